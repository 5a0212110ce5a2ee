export * as certificateAuthorities from './certificate-authority-rows.js';
export { sourceOfAuthority } from './authority-source.js';
export type {
  BundleAuthority,
  EnrollingAuthority,
  LoginAuthority,
} from './certificate-authority-rows.js';
