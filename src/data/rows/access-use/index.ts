export * as usedAccess from './used-access.js';
export type { AccessKey, AccessUse, UsedServices } from './used-access.js';
export * as useRecording from './use-recording.js';
