export * as loginAuthenticators from './login-authenticator-rows.js';
export * as loginCertificates from './login-certificate-rows.js';
export type { LoginCertificate } from './login-certificate-rows.js';
export * as loginSenders from './login-sender-rows.js';
export * as passwords from './password-rows.js';
export type { LoginPassword } from './password-rows.js';
