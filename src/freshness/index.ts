export { ConfigUse } from './config-use.js';
export { ServiceFreshness, type LogPosition } from './service-freshness.js';
