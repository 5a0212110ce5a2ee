export { applyChanges, type AppliedChange, type Application } from './apply-changes.js';
export type { ExpectedRevision } from './expected-revisions.js';
export { rehearse } from './write-changes.js';
