export { accessGuard, type AccessGuardDependencies } from './access-guard.js';
export { AccessWatch, loadAccess, type AccessState } from './access-watch.js';
export { endedSessions } from './ended-sessions.js';
export { judgeAccess } from './judge-access.js';
export { openSession, type SessionRequest } from './open-session.js';
export type { RecentChanges } from './latest-states.js';
export { failedServiceRequests } from './service-request-failures.js';
