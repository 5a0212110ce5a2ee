import {
  authorizationRequests,
  type CodeGrant,
  type CodeOwner,
} from '../../data/rows/authorization/index.js';
import { isStorableText } from '../../base/storable.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { TOKEN_KIND, type TokenFacts } from './claims.js';
import { clientOf } from './clients.js';
import { endOidcSession } from './end-session.js';
import { DEVICE_CODE, exchangeDeviceCode } from './exchange-device-code.js';
import { exchangeToken, TOKEN_EXCHANGE } from './exchange-token.js';
import { certificateIn, issueTokens, type TokenAnswer } from './issue-tokens.js';
import { sessionForTokens, sessionOfToken } from './live-session.js';
import { OAuthError } from './oauth-error.js';
import type { Parameters } from './parameters.js';
import { requirePossession } from './possession.js';
import { requiredParameter, type OidcRequest } from './provider.js';
import { hasReplaced } from './replaced-tokens.js';
import { hashOf } from './secret-hash.js';
import { certifyClient, recertifyClient } from './session-certificate.js';
import { narrowedScopes } from './scopes.js';
import { verifyToken, type TokenClaims } from './verify-token.js';

/** The token endpoint (RFC 6749 3.2). @throws OAuthError */
export async function issue(request: OidcRequest): Promise<object> {
  const { parameters, authorization } = request;
  const grant = requiredParameter(parameters, 'grant_type');
  const clientId = clientOf(parameters, authorization);
  switch (grant) {
    case 'authorization_code':
      return exchangeCode(request, clientId);
    case 'refresh_token':
      return refresh(request, clientId);
    case DEVICE_CODE:
      return exchangeDeviceCode(request, clientId);
    case TOKEN_EXCHANGE:
      return exchangeToken(request, clientId);
  }
  throw new OAuthError('unsupported_grant_type', 'the grant_type is not supported');
}

/** Exchanges a code for tokens (RFC 6749 4.1.3, RFC 7636 4.6). */
async function exchangeCode(request: OidcRequest, clientId: string): Promise<TokenAnswer> {
  const { ctx, parameters, issuer, settings } = request;
  const grant = {
    clientId,
    codeHash: hashOf(requiredParameter(parameters, 'code')),
    redirectUri: redirectOf(parameters),
    codeChallenge: hashOf(requiredParameter(parameters, 'code_verifier')),
  };
  const used = await authorizationRequests.useCode(ctx.store, grant, ctx.now());
  const { apiSessionId, scopes, nonce, csrPem } = used ?? (await refuseCode(ctx, grant));
  const live = apiSessionId === null ? undefined : await sessionForTokens(ctx, apiSessionId);
  if (!live) throw invalidCode();
  const { session, certificate } = await certifyClient(ctx, live, csrPem);
  const facts: TokenFacts = { session, issuer, clientId, scopes, now: ctx.now() };
  const tokens = issueTokens(facts, ctx.modules.tokenKeys.signer(), settings, nonce);
  return { ...tokens, ...certificateIn(certificate) };
}

function redirectOf(parameters: Parameters): string {
  const redirectUri = requiredParameter(parameters, 'redirect_uri');
  if (isStorableText(redirectUri)) return redirectUri;
  throw new OAuthError('invalid_grant', 'the redirect_uri is not that of any request');
}

const invalidCode = (): OAuthError => new OAuthError('invalid_grant', 'invalid code');

/**
 * Says why a code can not be used. A second use ends the session, also when the time of the code is over:
 * one of both users is a thief (RFC 6749 4.1.2).
 */
async function refuseCode(ctx: RequestContext, grant: CodeGrant): Promise<never> {
  const owner = await authorizationRequests.findByCode(ctx.store, grant.codeHash);
  const { apiSessionId, codeExpiresAt } = owner ?? {};
  if (!owner || !apiSessionId || !codeExpiresAt) throw invalidCode();
  if (owner.isCodeUsed) await endOidcSession(ctx, apiSessionId);
  else if (codeExpiresAt > ctx.now()) requireGrant(owner, grant);
  throw invalidCode();
}

/** The code is exchanged by the client that asked for it, at the address and with the verifier of its request. */
function requireGrant(owner: CodeOwner, grant: CodeGrant): void {
  const refuse = (what: string): never => {
    throw new OAuthError('invalid_grant', `the ${what} is not that of the authorization request`);
  };
  if (grant.clientId !== owner.clientId) refuse('client');
  if (grant.redirectUri !== owner.redirectUri) refuse('redirect_uri');
  if (grant.codeChallenge !== owner.codeChallenge) refuse('code_verifier');
}

/** Gives new tokens for a refresh token, which is replaced (RFC 6749 6, RFC 9700 4.14). */
async function refresh(request: OidcRequest, clientId: string): Promise<TokenAnswer> {
  const { ctx, parameters, issuer, settings } = request;
  const token = requiredParameter(parameters, 'refresh_token');
  const claims = await verifiedRefreshToken(ctx, token);
  if (claims.clientId !== clientId) {
    throw new OAuthError('invalid_grant', 'the refresh token is of another client');
  }
  const scopes = narrowedScopes(claims.scopes, parameters.get('scope'));
  await requirePossession(ctx, claims);
  const live = await sessionOfToken(ctx, claims);
  if (!live) throw revoked();
  // First, since a client whose request is refused has to use the token again.
  const { session, certificate } = await recertifyClient(ctx, live, parameters.get('csr_pem'));
  if (!(await hasReplaced(ctx, claims))) throw revoked();
  const facts: TokenFacts = { session, issuer, clientId, scopes, now: ctx.now() };
  const tokens = issueTokens(facts, ctx.modules.tokenKeys.signer(), settings, null);
  return { ...tokens, ...certificateIn(certificate) };
}

const revoked = (): OAuthError => new OAuthError('invalid_grant', 'the refresh token was revoked');

async function verifiedRefreshToken(ctx: RequestContext, token: string): Promise<TokenClaims> {
  const { now, modules } = ctx;
  const claims = await verifyToken(token, TOKEN_KIND.refresh, { keys: modules.tokenKeys, now });
  if (typeof claims === 'object') return claims;
  const reason = claims === 'expired' ? 'has expired' : 'is invalid';
  throw new OAuthError('invalid_grant', `the refresh token ${reason}`);
}
