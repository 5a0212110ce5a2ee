export * as integrityRuns from './integrity-run-rows.js';
export type { Finding, IntegrityResults, RunFindings } from './integrity-run-rows.js';
export * as orphans from './orphan-rows.js';
export type { Orphan, SideTable } from './orphan-rows.js';
