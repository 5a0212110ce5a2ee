export * as configOverrides from './config-override-rows.js';
export * as listFreshness from './list-freshness-rows.js';
export * as requestFailures from './request-failure-rows.js';
export * as services from './service-rows.js';
export type { EntityName } from './service-rows.js';
