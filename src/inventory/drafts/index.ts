export { applyChanges, type AppliedChange, type Application } from './apply-changes.js';
export type { ExpectedRevision } from './expected-revisions.js';
export { exportChanges } from './export-changes.js';
export { revertChanges, type Reversal, type RevertedState } from './revert-changes.js';
export { REVERT_OBSTACLES, type RevertObstacle } from './revert-obstacle.js';
export { rehearse } from './write-changes.js';
