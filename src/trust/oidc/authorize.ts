import { isStorableText } from '../../base/storable.js';
import { requireClient, scopesIn } from './clients.js';
import { OIDC_PATH } from './issuer.js';
import { OAuthError, type OAuthErrorCode } from './oauth-error.js';
import { openRequest } from './open-request.js';
import type { Parameters } from './parameters.js';
import type { OidcRequest } from './provider.js';
import { isRedirectAllowed } from './redirect-uris.js';

/** RFC 7636 4.2: the base64url text of a SHA-256. */
const CHALLENGE = /^[\w-]{43}$/;
/** Clients choose `state` and `nonce`; both are sent back. */
const MAX_LENGTH = 2_048;

/**
 * The authorization endpoint (RFC 6749 4.1.1, OpenID Connect Core 3.1.2.1). Stores the request, and gives
 * the address of the page where the login continues, or that of the client with a refusal.
 * @throws OAuthError for a request whose client or redirect address can not be trusted
 */
export async function authorize(request: OidcRequest): Promise<string> {
  const { parameters } = request;
  const clientId = requireClient(parameters.get('client_id'));
  const redirectUri = await requireRedirect(request);
  const error = refusalIn(parameters);
  if (error !== undefined) {
    return answerTo(redirectUri, { error, state: parameters.get('state'), iss: request.issuer });
  }
  requireCodeFlow(parameters);
  const id = await openRequest(request, {
    clientId,
    redirectUri,
    codeChallenge: requireChallenge(parameters),
    scopes: requireScopes(parameters),
    state: echoed(parameters, 'state') ?? null,
    nonce: echoed(parameters, 'nonce') ?? null,
  });
  return `${OIDC_PATH}/login/${pageOf(request)}?authRequestID=${id}`;
}

/** The address of a client with an answer in its query (RFC 6749 4.1.2). */
export function answerTo(
  redirectUri: string,
  answer: Readonly<Record<string, string | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(answer)) {
    if (value !== undefined) query.append(name, value);
  }
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query.toString()}`;
}

async function requireRedirect({
  ctx,
  parameters,
  issuer,
  settings,
}: OidcRequest): Promise<string> {
  const redirectUri = parameters.get('redirect_uri');
  if (redirectUri === undefined) {
    throw new OAuthError('invalid_request', 'the redirect_uri is missing');
  }
  const { redirectUris } = await ctx.modules.redirectLists.current();
  const configured = [...settings.redirectUris, ...redirectUris];
  const rules = { configured, path: '/auth/callback' } as const;
  if (isRedirectAllowed(redirectUri, issuer, rules)) return redirectUri;
  throw new OAuthError('invalid_request', 'the redirect_uri is not allowed');
}

/** The error that the client gets at its address; undefined for a request that goes on. */
function refusalIn(parameters: Parameters): OAuthErrorCode | undefined {
  // Parameters in a signed document would count before those in the address (OpenID Connect Core 6).
  if (parameters.get('request') !== undefined) return 'request_not_supported';
  if (parameters.get('request_uri') !== undefined) return 'request_uri_not_supported';
  return parameters.get('prompt') === 'none' ? 'login_required' : undefined;
}

function requireCodeFlow(parameters: Parameters): void {
  const type = parameters.get('response_type');
  if (type === undefined) throw new OAuthError('invalid_request', 'the response_type is missing');
  if (type !== 'code') {
    throw new OAuthError('unauthorized_client', 'the response_type must be code');
  }
}

function requireScopes(parameters: Parameters): string[] {
  const scope = parameters.get('scope');
  if (scope === undefined) throw new OAuthError('invalid_request', 'the scope is missing');
  return scopesIn(scope);
}

/** A code without a challenge could be exchanged by anybody who sees it (RFC 9700 2.1.1). */
function requireChallenge(parameters: Parameters): string {
  const challenge = parameters.get('code_challenge');
  if (challenge === undefined) {
    throw new OAuthError('invalid_request', 'the code_challenge is missing');
  }
  if (parameters.get('code_challenge_method') !== 'S256') {
    throw new OAuthError('invalid_request', 'the code_challenge_method must be S256');
  }
  if (CHALLENGE.test(challenge)) return challenge;
  throw new OAuthError('invalid_request', 'the code_challenge is not the text of a SHA-256');
}

function echoed(parameters: Parameters, name: 'state' | 'nonce'): string | undefined {
  const value = parameters.get(name);
  if (value === undefined) return undefined;
  if (value.length <= MAX_LENGTH && isStorableText(value)) return value;
  throw new OAuthError('invalid_request', `the ${name} is too long or has a NUL`);
}

/** The page for the method that the client wishes; without a wish a certificate decides. */
function pageOf({ parameters, ctx }: OidcRequest): string {
  const method = parameters.get('method');
  if (method === 'ext-jwt' || method === 'cert') return method;
  if (method !== undefined) return 'username';
  return ctx.credentials.clientChain().length > 0 ? 'cert' : 'username';
}
