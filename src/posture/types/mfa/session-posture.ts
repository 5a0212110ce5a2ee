/** The stored state of an API session: when its second factor was given, and the events since. */

/** The SDK as its client described it at login. */
export interface ClientSdk {
  readonly appId?: string;
  readonly appVersion?: string;
  readonly branch?: string;
  readonly revision?: string;
  readonly type?: string;
  readonly version?: string;
}

/** Of one API session, and gone with it. Instants are milliseconds since the epoch. */
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
