export * as certificateAuthorities from './certificate-authority-rows.js';
export type { EnrollingAuthority, LoginAuthority } from './certificate-authority-rows.js';
