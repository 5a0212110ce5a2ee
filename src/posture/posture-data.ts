/**
 * What is known of the devices of an identity. All of it is plain JSON; instants are milliseconds
 * since the epoch and come from the server, never from a client.
 */

/** What one response left behind. */
export interface Report {
  /** The check that the client answered; it may be unknown here. */
  readonly postureCheckId: string;
  readonly lastUpdatedAt: number;
}

export interface OsReport extends Report {
  readonly type: string;
  readonly version: string;
  readonly build: string;
}

export interface DomainReport extends Report {
  readonly domain: string;
}

export interface MacReport extends Report {
  /** Lower-case hexadecimal digits. */
  readonly addresses: readonly string[];
}

export interface ProcessReport extends Report {
  /** Empty when the client did not say. */
  readonly path: string;
  readonly isRunning: boolean;
  /** Lower case without separators, as are the fingerprints. */
  readonly binaryHash: string;
  readonly signerFingerprints: readonly string[];
}

/** Of one identity, whichever of its API sessions said so. */
export interface PostureData {
  readonly os?: OsReport;
  readonly domain?: DomainReport;
  readonly mac?: MacReport;
  /** One per check and path, the latest report last: the last one of a check, or of a path, counts. */
  readonly processes: readonly ProcessReport[];
}

/** What a client said of its SDK when it logged in. */
export interface ClientSdk {
  readonly appId?: string;
  readonly appVersion?: string;
  readonly branch?: string;
  readonly revision?: string;
  readonly type?: string;
  readonly version?: string;
}

/** Of one API session, and gone with it. */
export interface SessionPosture {
  readonly passedMfaAt?: number | undefined;
  /** When the device last woke, and was last unlocked. */
  readonly wokenAt?: number;
  readonly unlockedAt?: number;
  readonly sdkInfo?: ClientSdk;
  /**
   * The MFA checks that were seen to have timed out since MFA was last passed: they stay failed
   * until it is passed again, even when their timeout is made longer meanwhile.
   */
  readonly timedOutChecks: readonly string[];
}

export const noPostureData: PostureData = { processes: [] };

export const noSessionPosture: SessionPosture = { timedOutChecks: [] };

/** MFA passed just now: earlier timeouts are forgiven. */
export const passMfa = (session: SessionPosture, now: number): SessionPosture => ({
  ...session,
  passedMfaAt: now,
  timedOutChecks: [],
});

/** MFA does not count any more, as when it is removed from the identity. */
export const revokeMfa = (session: SessionPosture): SessionPosture => ({
  ...session,
  passedMfaAt: undefined,
  timedOutChecks: [],
});

/** What an evaluation looks at: an identity by way of one of its API sessions. */
export interface PostureSubject {
  readonly data: PostureData;
  readonly session: SessionPosture;
}
