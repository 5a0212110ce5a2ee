import { apiSessions } from '../../data/rows/api-session/index.js';
import type { Credentials } from '../../kernel/request/context.js';
import type { Rows } from '../../kernel/request/store-port.js';
import { fingerprint } from '../pki/index.js';
import { OAuthError } from './oauth-error.js';
import type { TokenClaims } from './verify-token.js';

interface Presenter {
  readonly store: Rows;
  readonly credentials: Pick<Credentials, 'clientChain'>;
}

/** Whether the client shows a certificate that its token names; true for a token that names none. */
export function namesCertificate(
  { fingerprints }: TokenClaims,
  { clientChain }: Presenter['credentials'],
): boolean {
  if (fingerprints.length === 0) return true;
  const [leaf] = clientChain();
  return leaf !== undefined && fingerprints.includes(fingerprint(leaf));
}

/**
 * Whether the client shows a certificate of the token (as RFC 8705 3 does for other claims): one that the
 * token names, or one that its session has got since. Tokens of other logins name none.
 */
export async function provesPossession(
  { store, credentials }: Presenter,
  claims: TokenClaims,
): Promise<boolean> {
  if (namesCertificate(claims, credentials)) return true;
  const [leaf] = credentials.clientChain();
  if (!leaf) return false;
  return apiSessions.acceptsCertificate(store, claims.apiSessionId, fingerprint(leaf));
}

/** @throws OAuthError access_denied */
export async function requirePossession(presenter: Presenter, claims: TokenClaims): Promise<void> {
  if (await provesPossession(presenter, claims)) return;
  throw new OAuthError('access_denied', 'peer certificate fingerprint does not match token');
}
