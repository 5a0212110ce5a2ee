export { AccessEnforcer, sessionsWithoutAccess, type HeldSession } from './enforce-access.js';
export { openSession, type SessionRequest } from './open-session.js';
export { failedServiceRequests } from './service-request-failures.js';
