export * as configOverrides from './config-overrides.js';
export * as services from './services.js';
export type { EntityName } from './services.js';
