import type { SessionPosture } from '../../../../data/rows/posture/index.js';

/** The state of an API session as its second factor changes it. */

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
