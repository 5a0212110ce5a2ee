export * as accessRules from './access-rules.js';
export * as edgeRouterPolicies from './edge-router-policies.js';
export * as servicePolicies from './service-policies.js';
export type { EntityInViolation } from './access-rules.js';
