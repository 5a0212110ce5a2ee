import { oidcSessions, signerOf, type OidcSession } from '../../data/rows/api-session/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { allowsSigner, needsTotp, askedFactors } from '../auth/index.js';
import { primaryMethod } from './claims.js';
import type { TokenClaims } from './verify-token.js';

/**
 * The session that tokens may be issued for: it lives, its identity is enabled, and its auth policy still
 * allows the way in which it began. Undefined for others. It counts as activity.
 */
export const sessionForTokens = (
  ctx: RequestContext,
  id: string,
): Promise<OidcSession | undefined> => usedSession(ctx, { id });

/** The same for a token that asks for others; undefined as well if the token itself was revoked. */
export const sessionOfToken = (
  ctx: RequestContext,
  { jti, apiSessionId: id }: TokenClaims,
): Promise<OidcSession | undefined> => usedSession(ctx, { id, jti });

async function usedSession(
  { store, now, modules }: RequestContext,
  key: { readonly id: string; readonly jti?: string },
): Promise<OidcSession | undefined> {
  const session = await oidcSessions.find(store, key, now());
  if (!session || !modules.apiSessions.recordRequest(session)) return undefined;
  return mayHaveTokens(session) ? session : undefined;
}

/** Whether the auth policy allows the way in which a session began, and misses no code. */
export const mayHaveTokens = (session: OidcSession): boolean =>
  isAllowed(session) && !lacksCode(session);

function isAllowed(session: OidcSession): boolean {
  const { primary } = session;
  switch (primaryMethod(session)) {
    case 'password':
      return primary.updb.allowed;
    case 'cert':
      return primary.cert.allowed;
    case 'ext-jwt':
      return allowsSigner(primary.extJwt, signerOf(session.authenticatorId));
  }
}

/** Whether a one-time code is missing: the policy may have begun to require it. */
const lacksCode = ({ secondary, unproved, ...session }: OidcSession): boolean =>
  needsTotp({ ...session, ...askedFactors(secondary, unproved) });
