export * as certificateAuthorities from './certificate-authority-rows.js';
export type {
  BundleAuthority,
  EnrollingAuthority,
  LoginAuthority,
} from './certificate-authority-rows.js';
