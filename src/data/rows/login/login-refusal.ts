/** Why a JWT of an external signer is refused, with texts that repeat nothing of it. */
export const TOKEN_FAULTS = {
  MISSING_TOKEN: 'no matching token was provided',
  MALFORMED_TOKEN: 'the token is not a signed JWT',
  UNKNOWN_ISSUER: 'no enabled signer has the issuer (iss) of the token',
  ALGORITHM_NOT_ALLOWED: 'the algorithm (alg) of the token is not allowed for its key',
  MISSING_KEY_ID: 'the token names no key (kid)',
  UNKNOWN_KEY_ID: 'the signer has no key with the id (kid) that the token names',
  WRONG_SIGNATURE: 'the key of the signer does not verify the signature of the token',
  WRONG_AUDIENCE: 'the audience (aud) of the token is not that of the signer',
  MISSING_EXPIRY: 'the token lacks the claim exp',
  INVALID_TIME: 'a time of the token (exp, nbf or iat) is not a number',
  TOKEN_NOT_YET_VALID: 'the token is not valid yet (nbf); compare the clocks',
  TOKEN_OF_THE_FUTURE: 'the token was issued in the future (iat); compare the clocks',
  EXPIRED_TOKEN: 'token expired (exp)',
  MISSING_CLAIM: 'the token lacks the claim that names the identity, or it is not a text',
  UNMET_CONDITION: 'the token or X509-SVID does not meet a condition of its signer or authority',
} as const;

export type TokenFault = keyof typeof TOKEN_FAULTS;

/** Why a login is refused, with the texts of events. */
export const LOGIN_REFUSALS = {
  ...TOKEN_FAULTS,
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
  INVALID_TOKEN: 'token is invalid; only releases before told no closer reason',
  UNKNOWN_CLAIM: 'no identity has the id or external id that the token claims',
  CLAIM_IN_OTHER_CASE: 'an identity has the claimed id or external id in other upper or lower case',
  TOO_MANY_IDENTITIES:
    'first logins by the signer or authority have created as many identities as they may',
  FORBIDDEN_IDENTITY: 'an access rule forbids the identity that the first login would create',
  TOKEN_OF_ANOTHER: 'the token does not name the identity of the session',
  SIGNER_NOT_ALLOWED: 'the auth policy does not allow the signer',
  UNTRUSTED_SIGNER: 'the signer or authority is not trusted for this identity',
  WRONG_CODE: 'the code is wrong',
  IDENTITY_DISABLED: 'the identity is disabled or locked out',
  LOCKED_OUT: 'the identity is locked out for addresses that it has not logged in from',
  TOO_MANY_LOGINS: 'too many logins failed lately, or run at the moment',
  INVALID_CREDENTIALS: 'the credentials are not valid',
} as const;

export type LoginRefusal = keyof typeof LOGIN_REFUSALS;
