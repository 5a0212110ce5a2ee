export * as configOverrides from './config-overrides.js';
export * as listFreshness from './list-freshness.js';
export * as requestFailures from './request-failures.js';
export * as services from './services.js';
export type { EntityName } from './services.js';
