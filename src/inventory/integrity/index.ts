export { IntegrityRuns } from './integrity-runs.js';
export type { HeldDifference, HeldModel } from './run.js';
export type { Finding, IntegrityResults } from '../../data/rows/integrity/index.js';
