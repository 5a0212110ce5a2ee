export * as usedAccess from './used-access-rows.js';
export type { AccessKey, AccessUse, UsedServices } from './used-access-rows.js';
export * as useRecording from './use-recording-rows.js';
