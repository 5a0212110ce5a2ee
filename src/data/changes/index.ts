export type { ChangeFollower } from './change-follower.js';
export { ChangeSink, type LineTarget } from './change-sink.js';
export { ChangeStream } from './change-stream.js';
export { changedFields, type ChangedValue } from './changed-fields.js';
export { FileTarget, streamTarget } from './line-targets.js';
export { pruneChanges, type Retention } from './prune-changes.js';
