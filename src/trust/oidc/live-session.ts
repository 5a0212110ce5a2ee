import { oidcSessions, signerOf, type OidcSession } from '../../data/rows/api-session/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { allowsSigner, needsTotp, askedFactors } from '../auth/index.js';
import { revocations } from '../../data/rows/revocation/index.js';
import { primaryMethod } from './claims.js';
import type { TokenClaims } from './verify-token.js';

/**
 * The session that tokens may be issued for: it lives, its identity is enabled, and its auth policy still
 * allows the way in which it began. Undefined for others.
 */
export async function sessionForTokens(
  { store, now, modules }: RequestContext,
  id: string,
): Promise<OidcSession | undefined> {
  // This also tells whether it was inactive for too long, and counts as activity.
  const isLive = (await modules.apiSessions.findById(id)) !== undefined;
  const session = isLive ? await oidcSessions.find(store, id, now()) : undefined;
  return session && mayHaveTokens(session) ? session : undefined;
}

/** The same for a token that asks for others; undefined as well if the token itself was revoked. */
export async function sessionOfToken(
  ctx: RequestContext,
  { jti, apiSessionId }: TokenClaims,
): Promise<OidcSession | undefined> {
  const isRevoked = await revocations.isTokenRevoked(ctx.store, jti);
  return isRevoked ? undefined : sessionForTokens(ctx, apiSessionId);
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
