import type { PostureSubject } from './posture-data.js';
import type {
  PostureCheckFields,
  PostureProcess,
  PostureProcessOfMany,
} from './posture-check-fields.js';
import type { OperatingSystem, OsType, PostureCheckTypeId } from './posture-check-types.js';

/** A check as far as it is evaluated; the members of other types are not looked at. */
export type PostureCheckSpec = {
  readonly id: string;
  readonly typeId: PostureCheckTypeId;
} & { readonly [K in keyof PostureCheckFields]?: PostureCheckFields[K] | null | undefined };

/** A process as reported; empty when it was not. */
export interface ActualProcess {
  readonly path?: string;
  readonly osType?: OsType;
  readonly isRunning: boolean;
  readonly hash: string;
  readonly signerFingerprints: readonly string[];
}

export interface MfaValues {
  readonly passedMfa: boolean;
  readonly timedOut: boolean;
  readonly passedOnWake: boolean;
  readonly passedOnUnlock: boolean;
}

/** Instants are RFC 3339 texts, null when it did not happen. */
export interface MfaCriteria {
  readonly passedMfaAt: string | null;
  readonly wokenAt: string | null;
  readonly unlockedAt: string | null;
  readonly timeoutSeconds: number;
  readonly timeoutRemainingSeconds: number;
}

interface Compared<Actual, Expected> {
  readonly actualValue: Actual;
  readonly expectedValue: Expected;
}

/** What was found and what was wanted, by type of check (schemas `postureCheckFailure*`). */
export interface FailureValuesByType {
  readonly OS: Compared<{ type: string; version: string }, readonly OperatingSystem[]>;
  readonly DOMAIN: Compared<string, readonly string[]>;
  readonly MAC: Compared<readonly string[], readonly string[]>;
  readonly PROCESS: Compared<ActualProcess, PostureProcess | null>;
  readonly PROCESS_MULTI: Compared<readonly ActualProcess[], readonly PostureProcessOfMany[]> & {
    readonly semantic: PostureCheckFields['semantic'];
  };
  readonly MFA: Compared<MfaValues, MfaValues> & { readonly criteria: MfaCriteria };
}

export type FailureValues = FailureValuesByType[PostureCheckTypeId];

export interface Timing {
  /** Seconds that a pass lasts; -1 when it does not end by itself. */
  readonly timeout: number;
  /** Seconds left of it, rounded up; -1 likewise. */
  readonly timeoutRemaining: number;
  /** The instant at which nothing is left, where there is one. */
  readonly timeoutAt?: number;
  /** The first instant at which `isPassing` differs if nothing happens but time. */
  readonly nextChangeAt?: number;
  /** The last event on the device after which the check asks for MFA. */
  readonly lastPromptAt?: number;
}

export interface Verdict extends Timing {
  readonly isPassing: boolean;
  /** Present when the check fails. */
  readonly failure?: FailureValues;
}

/** How checks of one type are held against what is known. */
export interface CheckRule<T extends PostureCheckTypeId = PostureCheckTypeId> {
  readonly passes: (check: PostureCheckSpec, subject: PostureSubject, now: number) => boolean;
  readonly failure: (
    check: PostureCheckSpec,
    subject: PostureSubject,
    now: number,
  ) => FailureValuesByType[T];
}
