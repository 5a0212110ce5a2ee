export * as authenticatedSessions from './authenticated-sessions.js';
