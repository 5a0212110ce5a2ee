/** Where clients take the answer to an authorization request, or come back after the end of a session. */
export interface RedirectRules {
  /** Further addresses, compared as texts. */
  readonly configured: readonly string[];
  /** The path for clients on the machine of the user: with any port, since they choose a free one (RFC 8252 7.3). */
  readonly path: '/auth/callback' | '/auth/logout';
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);
const OWN_SCHEME = 'openziti://';

/**
 * Whether answers may go to an address: to the own scheme of clients, to the machine of the user, to the
 * host of this very controller, which may serve a console, or to a configured address.
 */
export function isRedirectAllowed(
  uri: string,
  issuer: string,
  { configured, path }: RedirectRules,
): boolean {
  if (configured.includes(uri) || uri === OWN_SCHEME + path.slice(1)) return true;
  if (!URL.canParse(uri)) return false;
  const { origin, hostname, protocol } = new URL(uri);
  // Compared as written: programs read odd spellings of an address in different ways.
  if (uri !== `${origin}${path}`) return false;
  const isLoopback = LOOPBACK.has(hostname) && ['http:', 'https:'].includes(protocol);
  return isLoopback || origin === new URL(issuer).origin;
}
