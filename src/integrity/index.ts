export type { Finding } from './integrity-findings.js';
export { IntegrityRuns } from './integrity-runs.js';
export type { HeldDifference, HeldModel } from './run.js';
export type { IntegrityResults } from './integrity-run-table.js';
