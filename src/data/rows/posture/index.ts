export * as identityPosture from './identity-posture-rows.js';
export type { LockedPosture } from './identity-posture-rows.js';
export * as postureChecks from './posture-check-rows.js';
export type { CheckType, StoredCheck } from './posture-check-rows.js';
export * as sessionPosture from './session-posture-rows.js';
export type {
  ClientSdk,
  JudgedSession,
  SessionOwner,
  SessionPosture,
  StoredSession,
} from './session-posture-rows.js';
