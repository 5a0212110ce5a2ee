export type { SnapshotHeader } from './format.js';
export { verifySnapshot, type VerifiedSnapshot } from './read-snapshot.js';
export { restoreSnapshot, type Restored } from './restore-snapshot.js';
export { SnapshotFault } from './snapshot-fault.js';
export { Snapshots, type NewSnapshot, type SnapshotsOptions } from './snapshots.js';
export { writeSnapshot, type WrittenSnapshot } from './write-snapshot.js';
