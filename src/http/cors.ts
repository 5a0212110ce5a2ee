import type { IncomingMessage, ServerResponse } from 'node:http';

/*
 * Own code, because `cors` 2.8.6 makes other answers. An origin that is not allowed still gets the
 * credentials and exposed headers. Every OPTIONS request counts as a preflight, also one without
 * `access-control-request-method`. With any origin allowed, `vary` is left out. To put that right
 * around the library would take as much code as this.
 */

const ALLOWED_HEADERS =
  'content-type, accept, authorization, zt-session, if-match, apollo-require-preflight, mfa-validation-code, session-token, overgraph-override-reason';
const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const EXPOSED_HEADERS =
  'etag, zt-session, expiration-seconds, expires-at, www-authenticate, retry-after, x-request-id';

/** Sets the headers for requests from pages of other origins; true when it was only a question. */
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
  response.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
  const asks = request.method === 'OPTIONS' && request.headers['access-control-request-method'];
  if (typeof asks !== 'string') return false;
  response.setHeader('access-control-allow-headers', ALLOWED_HEADERS);
  response.setHeader('access-control-allow-methods', ALLOWED_METHODS);
  return true;
}
