export { AccessEnforcer } from './enforce-access.js';
export { openSession, type SessionRequest } from './open-session.js';
export { failedServiceRequests } from './service-request-failures.js';
