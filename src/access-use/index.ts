export { AccessUses } from './access-uses.js';
export { beginRecording, recordedSince } from './access-use-recording-table.js';
export {
  lastUsesOf,
  nextUsesSince,
  storeUsesOfNow,
  usesOfNow,
  type AccessKey,
  type AccessUse,
  type UsedServices,
} from './access-use-table.js';
