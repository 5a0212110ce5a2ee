import { retryAfterOf, type ApiError } from '../../base/errors.js';
import { errorBody } from '../../../rest-compat/engine/envelope.js';
import { OAuthError } from '../../trust/oidc/index.js';

/** An answer of the provider. */
export interface OidcReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const json = (body: object, status = 200): OidcReply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export const text = (body: string, status = 200): OidcReply => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
});

export const redirect = (location: string): OidcReply => ({ status: 302, headers: { location } });

export const withHeaders = (
  reply: OidcReply,
  headers: Readonly<Record<string, string>>,
): OidcReply => ({ ...reply, headers: { ...reply.headers, ...headers } });

/** A refusal in the form of OAuth (RFC 6749 5.2). */
export function oauthRefusal(error: OAuthError | ApiError): OidcReply {
  if (error instanceof OAuthError) {
    return json({ error: error.error, error_description: error.description }, error.status);
  }
  const code = error.status >= 500 ? 'server_error' : 'invalid_request';
  const body = {
    error: error.status === 429 || error.status === 503 ? 'temporarily_unavailable' : code,
    error_description: error.message,
  };
  return withHeaders(json(body, error.status), retryHeaders(error));
}

const INVALID_CODE = 'INVALID TOTP CODE';

/** A refusal of a login, as clients of the field read it: the error without its envelope. */
export function loginRefusal(error: ApiError, requestId: string): OidcReply {
  const body = errorBody(error, requestId);
  // Clients take 401 for the end of the login, so that they could not ask for another code.
  const isWrongCode = error.code === 'MFA_INVALID_TOKEN';
  const reply = isWrongCode ? json({ ...body, code: INVALID_CODE }, 400) : json(body, error.status);
  return withHeaders(reply, refusalHeaders(error));
}

/** When to come again, and which proof is missing. */
export const refusalHeaders = (error: ApiError): Record<string, string> => ({
  ...retryHeaders(error),
  ...(error.challenge === undefined ? {} : { 'www-authenticate': error.challenge }),
});

function retryHeaders(error: ApiError): Record<string, string> {
  const seconds = retryAfterOf(error);
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}
