export * as certificateAuthorities from './certificate-authorities.js';
export type { EnrollingAuthority, LoginAuthority } from './certificate-authorities.js';
