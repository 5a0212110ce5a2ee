export * as integrityRuns from './integrity-runs.js';
export type { Finding, IntegrityResults, RunFindings } from './integrity-runs.js';
export * as orphans from './orphans.js';
export type { Orphan, SideTable } from './orphans.js';
