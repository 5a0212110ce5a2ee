export * as accessRules from './access-rule-rows.js';
export * as edgeRouterPolicies from './edge-router-policy-rows.js';
export * as servicePolicies from './service-policy-rows.js';
export type { ComingPolicy, DuePolicy } from './service-policy-rows.js';
export type { ExplainedIds, ExplainedKind } from './service-policy-rows.js';
