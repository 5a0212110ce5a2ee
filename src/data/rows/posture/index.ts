export * as identityPosture from './identity-posture.js';
export type { LockedPosture } from './identity-posture.js';
export * as postureChecks from './posture-checks.js';
export type { CheckType, StoredCheck } from './posture-checks.js';
export * as sessionPosture from './session-posture.js';
export type {
  ClientSdk,
  JudgedSession,
  SessionOwner,
  SessionPosture,
  StoredSession,
} from './session-posture.js';
