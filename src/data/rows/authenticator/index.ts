export * as loginCertificates from './login-certificates.js';
export type { LoginCertificate } from './login-certificates.js';
export * as loginSenders from './login-senders.js';
export * as passwords from './passwords.js';
export type { LoginPassword } from './passwords.js';
