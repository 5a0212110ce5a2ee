import { originOf } from '../../kernel/write/write.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { answerTo } from './authorize.js';
import { OIDC_PATH } from './issuer.js';
import { OAuthError } from './oauth-error.js';
import type { Parameters } from './parameters.js';
import type { OidcRequest } from './provider.js';
import { isRedirectAllowed } from './redirect-uris.js';
import { TOKEN_KIND } from './claims.js';
import { clientOf } from './clients.js';
import { ownerOfIdToken, verifyToken, type IdTokenOwner } from './verify-token.js';

/** Ends a session with all its tokens; without effect if it has ended. */
export const endOidcSession = (ctx: RequestContext, apiSessionId: string): Promise<void> =>
  ctx.modules.apiSessions.end(ctx, originOf(ctx), apiSessionId);

/**
 * The end-session endpoint (OpenID Connect RP-Initiated Logout 2). Ends the session of the ID token, and
 * gives the address to go to.
 */
export async function logOut({ ctx, issuer, parameters, settings }: OidcRequest): Promise<string> {
  const uri = parameters.get('post_logout_redirect_uri');
  const { postLogoutUris } = await ctx.modules.redirectLists.current();
  const configured = [...settings.postLogoutUris, ...postLogoutUris];
  const rules = { configured, path: '/auth/logout' } as const;
  if (uri !== undefined && !isRedirectAllowed(uri, issuer, rules)) {
    throw new OAuthError('invalid_request', 'the post_logout_redirect_uri is not allowed');
  }
  const hint = parameters.get('id_token_hint');
  if (hint !== undefined) {
    const owner = await ownerOfIdToken(hint, ctx.modules.tokenKeys);
    if (!owner) throw new OAuthError('invalid_request', 'the id_token_hint is invalid');
    requireOwnHint(owner, parameters);
    await endOidcSession(ctx, owner.apiSessionId);
  }
  if (uri === undefined) return `${OIDC_PATH}/logged-out`;
  const state = parameters.get('state');
  return state === undefined ? uri : answerTo(uri, { state });
}

/** A client that names itself beside an ID token is the one that has got the token. */
function requireOwnHint({ clientId }: IdTokenOwner, parameters: Parameters): void {
  if ((parameters.get('client_id') ?? clientId) === clientId) return;
  throw new OAuthError('invalid_request', 'the id_token_hint is of another client');
}

/**
 * The revocation endpoint (RFC 7009 2): a token ends together with its session. Unknown tokens are no
 * fault.
 */
export async function revoke({ ctx, parameters, authorization }: OidcRequest): Promise<void> {
  const clientId = clientOf(parameters, authorization);
  const token = parameters.get('token');
  if (token === undefined) throw new OAuthError('invalid_request', 'the token is missing');
  const options = { keys: ctx.modules.tokenKeys, now: ctx.now };
  for (const kind of [TOKEN_KIND.refresh, TOKEN_KIND.access]) {
    const claims = await verifyToken(token, kind, options);
    if (typeof claims !== 'object' || claims.clientId !== clientId) continue;
    await endOidcSession(ctx, claims.apiSessionId);
  }
}
