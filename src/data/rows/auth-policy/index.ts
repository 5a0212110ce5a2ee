export * as authPolicies from './auth-policies.js';
