/** Why a login is refused, with the texts of events. */
export const LOGIN_REFUSALS = {
  UNKNOWN_USERNAME: 'the username is unknown',
  WRONG_PASSWORD: 'the password is wrong',
  PASSWORDS_NOT_ALLOWED: 'the auth policy does not allow passwords',
  NO_CERTIFICATE: 'the client sent no certificate',
  UNREADABLE_CERTIFICATE: 'unreadable certificate',
  UNTRUSTED_CERTIFICATE: 'untrusted certificate',
  UNKNOWN_CERTIFICATE: 'no identity has the certificate',
  CERTIFICATE_NOT_CURRENT: 'the certificate is not valid now',
  CERTIFICATE_NOT_ALLOWED: 'the auth policy does not allow the certificate',
  NO_SIGNER: 'no external signer is enabled',
  MISSING_TOKEN: 'no matching token was provided',
  INVALID_TOKEN: 'token is invalid',
  EXPIRED_TOKEN: 'token expired',
  UNKNOWN_CLAIM: 'no identity has the claim',
  SIGNER_NOT_ALLOWED: 'the auth policy does not allow the signer',
  UNTRUSTED_SIGNER: 'the signer is not trusted for this identity',
  WRONG_CODE: 'the code is wrong',
  IDENTITY_DISABLED: 'the identity is disabled or locked out',
  LOCKED_OUT: 'the identity is locked out for addresses that it has not logged in from',
  TOO_MANY_LOGINS: 'too many logins failed lately, or run at the moment',
  INVALID_CREDENTIALS: 'the credentials are not valid',
} as const;

export type LoginRefusal = keyof typeof LOGIN_REFUSALS;
