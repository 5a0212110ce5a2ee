import { CLIENT_IDS } from './clients.js';
import { TOKEN_KIND, type TokenFacts } from './claims.js';
import { certificateIn, signAccessToken, signIdToken, signRefreshToken } from './issue-tokens.js';
import { sessionOfToken } from './live-session.js';
import { OAuthError } from './oauth-error.js';
import { requirePossession } from './possession.js';
import { recertifyClient } from './session-certificate.js';
import { isCurrent } from './replaced-tokens.js';
import { requiredParameter, type OidcRequest } from './provider.js';
import { narrowedScopes } from './scopes.js';
import { verifyToken, type TokenClaims } from './verify-token.js';

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

const TYPE = {
  access: 'urn:ietf:params:oauth:token-type:access_token',
  refresh: 'urn:ietf:params:oauth:token-type:refresh_token',
  id: 'urn:ietf:params:oauth:token-type:id_token',
} as const;

/**
 * Exchanges a token of the caller's own session for another one (RFC 8693 2). Clients of the field exchange
 * the same refresh token again and again, so it stays valid. An access token gives an ID token alone:
 * its holder could stay for ever otherwise.
 */
export async function exchangeToken(request: OidcRequest, clientId: string): Promise<object> {
  const { ctx, parameters, issuer } = request;
  const subject = await verifiedSubject(request, clientId);
  const scopes = narrowedScopes(subject.scopes, parameters.get('scope'));
  if (!parameters.all('audience').every((audience) => CLIENT_IDS.includes(audience))) {
    throw new OAuthError('invalid_request', 'the audience is not served here');
  }
  await requirePossession(ctx, subject);
  const live = (await isCurrent(ctx, subject)) && (await sessionOfToken(ctx, subject));
  if (!live) throw new OAuthError('invalid_request', 'the subject_token was revoked');
  const isForUse = [TYPE.access, TYPE.refresh].some((type) => type === requestedType(request));
  const csrPem = isForUse ? parameters.get('csr_pem') : undefined;
  const { session, certificate } = await recertifyClient(ctx, live, csrPem);
  const answer = answerOf(request, { session, issuer, clientId, scopes, now: ctx.now() });
  return { ...answer, ...certificateIn(certificate) };
}

const requestedType = ({ parameters }: OidcRequest): string =>
  parameters.get('requested_token_type') ?? TYPE.refresh;

/** The claims of the token to exchange, if it may give the requested one. */
async function verifiedSubject(request: OidcRequest, clientId: string): Promise<TokenClaims> {
  const { ctx, parameters } = request;
  const token = requiredParameter(parameters, 'subject_token');
  const type = requiredParameter(parameters, 'subject_token_type');
  if (type !== TYPE.access && type !== TYPE.refresh) {
    throw new OAuthError('invalid_request', 'the subject_token_type is not supported');
  }
  if (type === TYPE.access && requestedType(request) !== TYPE.id) {
    throw new OAuthError(
      'invalid_request',
      'an access token can be exchanged for an ID token alone',
    );
  }
  const kind = type === TYPE.access ? TOKEN_KIND.access : TOKEN_KIND.refresh;
  const options = { keys: ctx.modules.tokenKeys, now: ctx.now };
  const claims = await verifyToken(token, kind, options);
  if (typeof claims !== 'object' || claims.clientId !== clientId) {
    const reason = claims === 'expired' ? 'has expired' : 'is invalid';
    throw new OAuthError('invalid_request', `the subject_token ${reason}`);
  }
  return claims;
}

/** The answer (RFC 8693 2.2.1). It has the ID token in `access_token`, where clients read it. */
function answerOf(request: OidcRequest, facts: TokenFacts): object {
  const { ctx, settings } = request;
  const signer = ctx.modules.tokenKeys.signer();
  const issued_token_type = requestedType(request);
  const accessToken = signAccessToken(facts, signer, settings);
  const common = { issued_token_type, expires_in: settings.accessSeconds };
  const bearer = {
    ...{ ...common, access_token: accessToken, token_type: 'Bearer' },
    scope: facts.scopes.join(' '),
  };
  switch (issued_token_type) {
    case TYPE.access:
      return bearer;
    case TYPE.refresh:
      return { ...bearer, refresh_token: signRefreshToken(facts, signer, settings) };
    case TYPE.id: {
      const idToken = signIdToken(facts, signer, settings, { accessToken, nonce: null });
      return { ...common, access_token: idToken, token_type: 'N_A' };
    }
  }
  throw new OAuthError('invalid_request', 'the requested_token_type is not supported');
}
