import { oidcSessions, type OidcSession } from '../../data/rows/api-session/index.js';
import { permitsAll, reading } from '../../kernel/declare/permissions.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { TOKEN_KIND, type TokenKind } from './claims.js';
import { mayHaveTokens } from './live-session.js';
import { OAuthError } from './oauth-error.js';
import { requiredParameter, type OidcRequest } from './provider.js';
import { isReusable } from './replaced-tokens.js';
import { verifyToken, type TokenClaims } from './verify-token.js';

const INACTIVE = { active: false };

/**
 * The introspection endpoint (RFC 7662 2). OAuth clients have no secrets, so a caller authenticates with a
 * session of its own, which may read API sessions: the answer tells the same. It does not count as activity of
 * the session in question.
 * @throws OAuthError
 */
export async function introspect({ ctx, parameters }: OidcRequest): Promise<object> {
  if (!permitsAll(ctx.caller, reading(ctx.catalog.resources.ApiSession))) {
    throw new OAuthError('invalid_client', 'the session of the caller may not read API sessions');
  }
  const token = requiredParameter(parameters, 'token');
  for (const kind of [TOKEN_KIND.access, TOKEN_KIND.refresh]) {
    const claims = await verifyToken(token, kind, { keys: ctx.modules.tokenKeys, now: ctx.now });
    if (typeof claims !== 'object') continue;
    const session = await activeSession(ctx, claims, kind);
    return session ? factsOf(claims, kind, session) : INACTIVE;
  }
  return INACTIVE;
}

async function activeSession(
  ctx: RequestContext,
  claims: TokenClaims,
  kind: TokenKind,
): Promise<OidcSession | undefined> {
  const key = { id: claims.apiSessionId, jti: claims.jti };
  const session = await oidcSessions.find(ctx.store, key, ctx.now());
  if (!session || !mayHaveTokens(session)) return undefined;
  return kind === TOKEN_KIND.access || (await isReusable(ctx, claims)) ? session : undefined;
}

/** RFC 7662 2.2, and the claims that bind a token to its session and to certificates. */
const factsOf = (claims: TokenClaims, kind: TokenKind, session: OidcSession): object => ({
  active: true,
  scope: claims.scopes.join(' '),
  client_id: claims.clientId,
  aud: [claims.clientId],
  sub: claims.identityId,
  username: session.identityName,
  exp: claims.expiresAt.getTime() / 1000,
  jti: claims.jti,
  ...(kind === TOKEN_KIND.access ? { token_type: 'Bearer' } : {}),
  z_t: kind,
  z_asid: claims.apiSessionId,
  z_cfs: claims.fingerprints.length === 0 ? null : claims.fingerprints,
});
