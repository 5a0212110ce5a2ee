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
