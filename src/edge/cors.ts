import type { IncomingMessage, ServerResponse } from 'node:http';

/*
 * This is not the library `cors`, since its version 2.8.6 answers differently. It sends the
 * credentials and exposed headers even to an origin that is not allowed. It treats every OPTIONS
 * request as a preflight, even without `access-control-request-method`. It omits `vary` if any
 * origin is allowed. A correction around the library would need as much code.
 */

const ALLOWED_HEADERS =
  'content-type, accept, authorization, zt-session, if-match, apollo-require-preflight, mfa-validation-code, session-token, overgraph-override-reason';
const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const EXPOSED_HEADERS =
  'etag, zt-session, expiration-seconds, expires-at, www-authenticate, retry-after, x-request-id';

/** Headers that pages read from answers of the OpenID provider. */
const EXPOSED_OF_LOGINS = 'location, auth-request-id, totp-required';

/** Sets the headers for requests from pages of other origins; true for a preflight request. */
export function cors(
  allowed: readonly string[] | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return false;
  response.setHeader('vary', 'origin');
  if (allowed === undefined) response.setHeader('access-control-allow-origin', '*');
  else if (allowed.includes(origin)) {
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-allow-credentials', 'true');
  } else return false;
  response.setHeader('access-control-expose-headers', `${EXPOSED_HEADERS}, ${EXPOSED_OF_LOGINS}`);
  const requestedMethod =
    request.method === 'OPTIONS' && request.headers['access-control-request-method'];
  if (typeof requestedMethod !== 'string') return false;
  response.setHeader('access-control-allow-headers', ALLOWED_HEADERS);
  response.setHeader('access-control-allow-methods', ALLOWED_METHODS);
  return true;
}
