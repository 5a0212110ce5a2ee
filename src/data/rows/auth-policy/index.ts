export * as authPolicies from './auth-policy-rows.js';
