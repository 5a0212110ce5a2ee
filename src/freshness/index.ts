export { ConfigUse } from './config-use.js';
export { ServiceFreshness } from './service-freshness.js';
