export { applyChanges, type AppliedChange, type Application } from './apply-changes.js';
export type { ExpectedRevision } from './expected-revisions.js';
export { exportChanges, ExportedChanges } from './export-changes.js';
export { revertChanges, RevertedEntity, type Reversal } from './revert-changes.js';
export { rehearse } from './write-changes.js';
