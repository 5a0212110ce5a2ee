import {
  AuthorizationResponseError,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  discoveryRequest,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  None,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  ResponseBodyError,
  validateAuthResponse,
  type AuthorizationServer,
} from 'oauth4webapi';
import { Failure } from '../graph/failure.js';
import { texts } from '../texts.js';
import { returnAddress, storePending, type LoginAnswer } from './pending-login.js';
import type { Signer } from './signer.js';

/*
 * Logins at external signers: OpenID Connect with an authorization code and PKCE (RFC 7636), as a public
 * client.
 */

const METADATA = /\/\.well-known\/openid-configuration$/;

/** Leaves for the login page of a signer; `returnTo` is the page to show after the login. */
export async function leaveForLogin(signer: Signer, returnTo: string): Promise<void> {
  const address = await inWords(signer, async () => {
    const server = await discover(signer);
    refuseOtherHost(signer, server);
    const pending = {
      signer,
      state: generateRandomState(),
      nonce: generateRandomNonce(),
      verifier: generateRandomCodeVerifier(),
      returnTo,
    };
    const challenge = await calculatePKCECodeChallenge(pending.verifier);
    const to = loginAddress(server, { ...pending, challenge });
    storePending(pending);
    return to;
  });
  location.assign(address);
}

/** Gives the token that the controller wants, for the answer of a signer. */
export async function tokenFor({ parameters, pending }: LoginAnswer): Promise<string> {
  if (!pending) throw new Failure({ message: texts.login.signers.unasked });
  const { signer, state, nonce, verifier } = pending;
  return inWords(signer, async () => {
    const server = await discover(signer);
    const client = { client_id: signer.clientId };
    const checked = validateAuthResponse(server, client, parameters, state);
    const tokens = await processAuthorizationCodeResponse(
      server,
      client,
      await authorizationCodeGrantRequest(
        server,
        client,
        None(),
        checked,
        returnAddress(),
        verifier,
      ),
      { expectedNonce: nonce, requireIdToken: true },
    );
    return signer.targetToken === 'ID' ? (tokens.id_token ?? '') : tokens.access_token;
  });
}

/** Providers and administrators differ in the slash at the end of an issuer. */
async function discover({ externalAuthUrl }: Signer): Promise<AuthorizationServer> {
  const issuer = new URL(externalAuthUrl.replace(METADATA, ''));
  const response = await discoveryRequest(issuer);
  const { issuer: named } = (await response.clone().json()) as { issuer?: unknown };
  const isSame = typeof named === 'string' && withoutSlash(named) === withoutSlash(issuer.href);
  return processDiscoveryResponse(isSame ? new URL(named) : issuer, response);
}

const withoutSlash = (address: string): string => address.replace(/\/$/, '');

/** The content security policy of this page allows the host of the login page alone. */
function refuseOtherHost({ name, externalAuthUrl }: Signer, server: AuthorizationServer): void {
  const { origin, host } = addressOf(server.token_endpoint);
  if (origin === new URL(externalAuthUrl).origin) return;
  throw new Failure({ message: texts.login.signers.otherHost(name, host) });
}

interface LoginRequest {
  readonly signer: Signer;
  readonly state: string;
  readonly nonce: string;
  readonly challenge: string;
}

/** `fetch` alone throws type errors, so that they mean one thing. */
function addressOf(endpoint = ''): URL {
  if (!URL.canParse(endpoint) || !/^https:/i.test(endpoint)) throw new Error(endpoint);
  return new URL(endpoint);
}

function loginAddress(
  { authorization_endpoint: endpoint }: AuthorizationServer,
  { signer, state, nonce, challenge }: LoginRequest,
): string {
  const address = addressOf(endpoint);
  const { clientId, audience, scopes, targetToken } = signer;
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: returnAddress(),
    scope: [...new Set(['openid', ...scopes])].join(' '),
    state,
    nonce,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    // The audience of an ID token is the client.
    ...(targetToken === 'ACCESS' && audience !== null ? { audience } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  return address.href;
}

/** Says what went wrong at the signer. */
async function inWords<T>({ name }: Signer, work: () => Promise<T>): Promise<T> {
  const { signers } = texts.login;
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof Failure) throw fault;
    if (fault instanceof AuthorizationResponseError || fault instanceof ResponseBodyError) {
      const reason = fault.error_description ?? fault.error;
      throw new Failure({ message: signers.refused(name, reason.slice(0, 200)) });
    }
    if (isUnreachable(fault)) throw new Failure({ message: signers.unreachable(name) });
    throw new Failure({ message: signers.unclear(name) });
  }
}

/** `fetch` rejects so; the library gives its own faults a code. */
const isUnreachable = (fault: unknown): boolean => fault instanceof TypeError && !('code' in fault);
