/* Settings of logins that several tests send. */

/** Passwords without rules or lockout. */
export const PLAIN_PASSWORDS = {
  allowed: true,
  lockoutDurationMinutes: 0,
  maxAttempts: 0,
  minPasswordLength: 5,
  requireMixedCase: false,
  requireNumberChar: false,
  requireSpecialChar: false,
} as const;

/** The whole common name is the external id. */
export const COMMON_NAME_CLAIM = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
} as const;
