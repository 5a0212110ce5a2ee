/**
 * The one catalogue of errors: code -> HTTP status and message. Code throws only these on purpose;
 * GraphQL and REST map an `ApiError` to their wire form.
 */
const CATALOGUE = {
  COULD_NOT_VALIDATE: [
    400,
    'The supplied request contains an invalid document or no valid accept content were available, see cause',
  ],
  COULD_NOT_PARSE_BODY: [400, 'The body of the request could not be parsed'],
  INVALID_FILTER: [400, 'The filter query supplied is invalid'],
  INVALID_PAGINATION: [400, 'The pagination parameters supplied are invalid'],
  INVALID_SORT_IDENTIFIER: [400, 'The sort order supplied is invalid'],
  SERVER_NOT_RUNNING_IN_HA_MODE: [
    400,
    'The server is not running in HA mode. HA operations are not permitted',
  ],
  INVALID_AUTH_METHOD: [400, 'The supplied authentication method is not supported'],
  COULD_NOT_PROCESS_CSR: [400, 'The supplied certificate signing request can not be processed'],
  ENTITY_CAN_NOT_BE_DELETED: [400, 'The entity requested for delete can not be deleted'],
  ENTITY_CAN_NOT_BE_UPDATED: [400, 'The entity requested for update can not be updated'],
  QUERY_TOO_COMPLEX: [400, 'The query is too large, too deep or too costly'],
  UNAUTHORIZED: [
    401,
    'The request could not be completed. The session is not authorized or the credentials are invalid',
  ],
  INVALID_AUTH: [401, 'The authentication request failed'],
  MFA_INVALID_TOKEN: [401, 'The code is not valid for the second factor'],
  FORBIDDEN: [403, 'The session is not permitted to do this'],
  NOT_FOUND: [404, 'The resource requested was not found or is no longer available'],
  METHOD_NOT_ALLOWED: [405, 'The resource requested does not support this HTTP verb'],
  NOT_ACCEPTABLE: [406, 'No content type that the request accepts can be produced'],
  CAN_NOT_DELETE_REFERENCED_ENTITY: [
    409,
    'The entity requested for delete is referenced by others',
  ],
  INVALID_ENROLLMENT_TOKEN: [404, 'The supplied enrollment token is not valid'],
  INVALID_ENROLL_METHOD: [400, 'The supplied enrollment method is not that of the token'],
  ENROLLMENT_EXPIRED: [400, 'The enrollment has expired'],
  ENROLLMENT_CA_NOT_VALID: [400, 'The certificate authority of the enrollment may not enroll'],
  ENROLLMENT_NO_VALID_CAS: [400, 'No certificate authority may enroll identities by itself'],
  MISSING_OR_INVALID_CSR: [400, 'A certificate signing request is missing or invalid'],
  CERT_FAILED_VALIDATION: [400, 'The client certificate is missing or not of a trusted authority'],
  CERTIFICATE_FAILED_VALIDATION: [
    400,
    'The certificate is missing or not of the expected authority',
  ],
  MISSING_CERT_CLAIM: [400, 'The client certificate lacks the claim that names its identity'],
  EXPECTED_PEM_CERTIFICATE: [400, 'A PEM block of type CERTIFICATE was expected'],
  COULD_NOT_PARSE_DER_BLOCK: [400, 'The certificate could not be parsed'],
  INVALID_COMMON_NAME: [400, 'The common name is not the verification token'],
  NO_EDGE_ROUTERS_AVAILABLE: [400, 'No edge routers are available for this service'],
  INVALID_POSTURE: [409, 'The posture of the device does not permit this'],
  CERT_IN_USE: [409, 'The certificate is in use already'],
  CA_ALREADY_VERIFIED: [409, 'The certificate authority is verified already'],
  ENROLLMENT_IDENTITY_ALREADY_ENROLLED: [409, 'The identity is enrolled already'],
  INVALID_ENROLLMENT_NOT_ALLOWED: [409, 'The signer does not allow this enrollment'],
  INVALID_CLIENT_CERT: [400, 'The client certificate is not the one that was issued'],
  ENROLLMENT_EXISTS: [409, 'An enrollment of the same method is already outstanding'],
  MAX_AUTHENTICATOR_METHODS_REACHED: [
    409,
    'The identity already has an authenticator of this method',
  ],
  CAN_NOT_UPDATE_AUTHENTICATOR: [409, 'The authenticator can not be updated in this way'],
  CAN_NOT_UPDATE_ROUTER: [409, 'The router can not be changed as one of this kind'],
  INVALID_BACKING_TOKEN_TYPE: [400, 'The API session is not one over OpenID Connect'],
  MFA_EXISTS: [409, 'The identity already has a second factor'],
  MFA_NOT_ENROLLED: [409, 'The identity has no second factor'],
  ACCESS_RULE_VIOLATED: [409, 'The change would violate an access rule'],
  HISTORY_NOT_KEPT: [
    410,
    'The change log does not go back so far any more, or is another one; begin anew',
  ],
  REVISION_CONFLICT: [412, 'The entity was changed by somebody else since it was read'],
  REQUEST_ENTITY_TOO_LARGE: [413, 'The body of the request is too large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The content type of the request body is not supported'],
  RATE_LIMITED: [429, 'This is done one at a time, or only so often; try again later'],
  SERVER_TOO_MANY_REQUESTS: [
    429,
    'Too many requests to alter state have been issued. Please slow your request rate or try again later.',
  ],
  SUBSCRIBER_TOO_SLOW: [
    429,
    'The subscriber took nothing for too long; it can resume from the cursor, if one is given',
  ],
  UNHANDLED: [500, 'An unhandled error occurred'],
  UNAVAILABLE: [503, 'The controller can not serve requests at the moment'],
  TIMEOUT: [503, 'The requested operation took too much time to reply'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof CATALOGUE;

/** The cause of an error: a field of the input, or a message. */
export type ErrorCause =
  | {
      readonly kind: 'field';
      readonly field: string;
      readonly reason: string;
      readonly value: unknown;
    }
  | { readonly kind: 'message'; readonly message: string }
  /** The cursor from which a subscription can resume. */
  | { readonly kind: 'resume'; readonly message: string; readonly cursor: string }
  /** Data that clients evaluate. */
  | { readonly kind: 'data'; readonly message: string; readonly data: object };

export class ApiError extends Error {
  readonly status: number;
  /** Seconds after which the client should try again. */
  retryAfter?: number;
  /** The part of the input that the error is about, as clients sent it: `changes[2]`. */
  place?: string;
  /** The member whose value another entity has already. */
  duplicate?: string;
  /** Challenges for the header `WWW-Authenticate`, if the cause of a 401 is known exactly. */
  challenge?: string;

  constructor(
    readonly code: ErrorCode,
    readonly detail?: ErrorCause,
    options?: ErrorOptions & { readonly status?: number },
  ) {
    // An expected error needs no stack trace, which would cost more than the error itself.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(CATALOGUE[code][1], options);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'ApiError';
    this.status = options?.status ?? CATALOGUE[code][0];
  }
}

/** Fields whose values are never repeated in errors, since logs of clients may record them. */
const SECRETS = new Set(['password', 'currentPassword', 'code']);

/** 400: one field of the input breaks a rule. `field` is the JSON name as the client sent it. */
export const invalidField = (field: string, reason: string, value: unknown): ApiError =>
  new ApiError('COULD_NOT_VALIDATE', {
    kind: 'field',
    field,
    reason,
    value: SECRETS.has(field) ? '' : value,
  });

/** 404: clients read the cause, so it names the entity in the singular and the id asked for. */
export const notFound = (entity: string, id: string): ApiError =>
  new ApiError('NOT_FOUND', { kind: 'message', message: `${entity} with id ${id} not found` });

/** The reason of a field error as one text, with the field in front unless it begins with it. */
export const reasonWithField = (field: string, reason: string): string =>
  // eslint-disable-next-line no-restricted-syntax -- chooses the words that people see
  reason.startsWith(`${field} `) ? reason : `${field}: ${reason}`;

/** Any other catalogue entry, with an optional statement of the cause. */
export const failure = (code: ErrorCode, message?: string): ApiError =>
  new ApiError(code, message === undefined ? undefined : { kind: 'message', message });

/** Gives the same error with the part of the input that it is about. */
export function placedAt(place: string, error: ApiError): ApiError {
  error.place = place;
  return error;
}

/** Seconds after which a refused client may try again; undefined if that would not help. */
export const retryAfterOf = ({ retryAfter, status }: ApiError): number | undefined =>
  retryAfter ?? (status === 429 || status === 503 ? 1 : undefined);

/** 429: the operation is limited; `retryAfter` says in how many seconds it is allowed. */
export function rateLimited(message: string, retryAfter: number): ApiError {
  const error = failure('RATE_LIMITED', message);
  error.retryAfter = Math.max(1, Math.ceil(retryAfter));
  return error;
}

/** 429: too many attempts; `retryAfter` says when to try again. */
export function tooManyRequests(retryAfter: number): ApiError {
  const error = new ApiError('SERVER_TOO_MANY_REQUESTS');
  error.retryAfter = Math.max(1, Math.ceil(retryAfter));
  return error;
}
