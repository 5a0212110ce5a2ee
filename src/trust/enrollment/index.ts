export { signingKeySet, signNonce, type SignedNonce } from './challenge.js';
export { enrollByJwt, type JwtEnrollmentDependencies } from './enroll-by-jwt.js';
export { enrollCa, enrollOttCa } from './enroll-by-certificate.js';
export {
  enrollOtt,
  enrollUpdb,
  type EnrolledCertificates,
  type EnrolledPassword,
} from './enroll-identity.js';
export {
  confirmRouterCertificate,
  enrollRouter,
  extendRouter,
  renewRouter,
  type RouterEnrollmentDependencies,
  type RouterRequests,
} from './enroll-router.js';
export { registerRouter, updateRouter } from './register-router.js';
export type { RouterKind } from './verified-router.js';
export type { RouterNameSettings } from './router-name-rule.js';
export { certifyKey, recordCertificate } from './certify-key.js';
export {
  enrollmentTokens,
  type EnrollmentJwtInput,
  type EnrollmentMethod,
  type EnrollmentPeriod,
  type EnrollmentSubject,
  type EnrollmentTokenOptions,
  type EnrollmentTokens,
  type NewEnrollment,
} from './enrollment-tokens.js';
export { enrollmentMethod } from './take-enrollment.js';
export { verifyAuthority } from './verify-authority.js';
