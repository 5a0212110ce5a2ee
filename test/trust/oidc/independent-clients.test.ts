import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { startController, type TestController } from '../../support/controller.js';
import { newPerson, PASSWORD, type Person } from '../auth/client.js';
import { DeviceBrowser, passTime } from './device-client.js';
import { ask, locationOf, pathIn, REDIRECT } from './login-client.js';

/* Libraries that others wrote, with all their checks, against the provider. */

let controller: TestController & { dataDir: string };
let person: Person;
let issuer: URL;

beforeAll(async () => {
  controller = await startController();
  person = await newPerson(controller);
  issuer = new URL(`https://localhost:${String(controller.port)}/oidc`);
});
afterAll(() => controller.stop());

interface Fetched {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** `fetch`, for the certificate authority of the network. */
async function fetchOf(url: string, { method, headers, body }: Fetched): Promise<Response> {
  const { pathname, search } = new URL(url);
  const type = 'application/x-www-form-urlencoded';
  const text = { type, body: body instanceof URLSearchParams ? body.toString() : '' };
  const sent = method === 'GET' ? {} : { text };
  const answer = await ask(controller.port, method, pathname + search, { ...sent, headers });
  const answered = Object.entries(answer.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return new Response(answer.text, { status: answer.status, headers: answered });
}

/** Opens the address of a login as the browser of the person, and gives where it leads. */
async function logIn(url: URL): Promise<URL> {
  const at = (method: string, path: string, form?: Record<string, string>) =>
    ask(controller.port, method, path, form ? { form } : {});
  const page = pathIn(await at('GET', url.pathname + url.search));
  const id = new URL(page, issuer).searchParams.get('authRequestID') ?? '';
  const { username } = person;
  const proved = await at('POST', '/oidc/login/password', { id, username, password: PASSWORD });
  return locationOf(await at('GET', pathIn(proved)));
}

describe('openid-client', () => {
  const discover = async (): Promise<openid.Configuration> => {
    const config = await openid.discovery(issuer, 'native', undefined, openid.None(), {
      [openid.customFetch]: fetchOf,
    });
    openid.enableNonRepudiationChecks(config);
    return config;
  };

  const begin = async (config: openid.Configuration) => {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const checks = { expectedState: openid.randomState(), expectedNonce: openid.randomNonce() };
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      scope: 'openid offline_access',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: checks.expectedState,
      nonce: checks.expectedNonce,
    });
    return { back: await logIn(url), checks: { pkceCodeVerifier, ...checks } };
  };

  test('logs in, reads the user, renews its tokens and revokes them', async () => {
    const config = await discover();
    const { back, checks } = await begin(config);
    const tokens = await openid.authorizationCodeGrant(config, back, checks);
    const claims = tokens.claims();
    expect(claims).toMatchObject({ sub: person.id, name: person.username, aud: ['native'] });
    expect(tokens.expiresIn()).toBeGreaterThan(0);
    const user = await openid.fetchUserInfo(config, tokens.access_token, person.id);
    expect(user).toEqual({ sub: person.id, name: person.username });
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(renewed.claims()?.sub).toBe(person.id);
    await openid.tokenRevocation(config, renewed.refresh_token ?? '');
    await expect(
      openid.refreshTokenGrant(config, renewed.refresh_token ?? ''),
    ).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(
      openid.fetchUserInfo(config, renewed.access_token, person.id),
    ).rejects.toBeInstanceOf(Error);
    await expect(openid.tokenIntrospection(config, tokens.access_token)).rejects.toMatchObject({
      error: 'invalid_client',
    });
  });

  test('ends its session', async () => {
    const config = await discover();
    const { back, checks } = await begin(config);
    const tokens = await openid.authorizationCodeGrant(config, back, checks);
    const url = openid.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: 'http://localhost:8080/auth/logout',
      state: 'its state',
    });
    const answer = await ask(controller.port, 'GET', url.pathname + url.search);
    expect(answer.headers.location).toBe('http://localhost:8080/auth/logout?state=its+state');
    await expect(
      openid.refreshTokenGrant(config, tokens.refresh_token ?? ''),
    ).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('gets no tokens with the verifier of another login', async () => {
    const config = await discover();
    const { back, checks } = await begin(config);
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    await expect(
      openid.authorizationCodeGrant(config, back, { ...checks, pkceCodeVerifier }),
    ).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});

const options = { [oauth.customFetch]: fetchOf as never };

const serverOf = async (): Promise<oauth.AuthorizationServer> =>
  oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));

test('oauth4webapi logs in, checks the signature, exchanges and revokes its tokens', async () => {
  const server = await serverOf();
  const client: oauth.Client = { client_id: 'openziti' };
  const [verifier, state, nonce] = [
    oauth.generateRandomCodeVerifier(),
    oauth.generateRandomState(),
    oauth.generateRandomNonce(),
  ];
  const url = new URL(server.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    ...{ client_id: 'openziti', response_type: 'code', redirect_uri: REDIRECT, state, nonce },
    scope: 'openid offline_access',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  const parameters = oauth.validateAuthResponse(server, client, await logIn(url), state);
  const auth = oauth.None();
  const answer = await oauth.authorizationCodeGrantRequest(
    ...([server, client, auth, parameters, REDIRECT, verifier, options] as const),
  );
  const checks = { expectedNonce: nonce, requireIdToken: true };
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, checks);
  await oauth.validateApplicationLevelSignature(server, answer, options);
  const { access_token: access, refresh_token: refresh = '' } = tokens;
  const user = await oauth.userInfoRequest(server, client, access, options);
  expect(await oauth.processUserInfoResponse(server, client, person.id, user)).toEqual({
    sub: person.id,
    name: person.username,
  });
  const exchanged = await oauth.genericTokenEndpointRequest(
    ...([server, client, auth] as const),
    'urn:ietf:params:oauth:grant-type:token-exchange',
    {
      subject_token: refresh,
      subject_token_type: 'urn:ietf:params:oauth:token-type:refresh_token',
    },
    options,
  );
  const others = await oauth.processGenericTokenEndpointResponse(server, client, exchanged);
  const renewed = await oauth.refreshTokenGrantRequest(
    ...([server, client, auth, others.refresh_token ?? '', options] as const),
  );
  expect(await oauth.processRefreshTokenResponse(server, client, renewed)).toMatchObject({
    token_type: 'bearer',
  });
  const revoked = await oauth.revocationRequest(server, client, auth, refresh, options);
  await oauth.processRevocationResponse(revoked);
  const late = await oauth.userInfoRequest(server, client, access, options);
  await expect(
    oauth.processUserInfoResponse(server, client, person.id, late),
  ).rejects.toBeInstanceOf(Error);
});

test('oauth4webapi logs a device in', async () => {
  const server = await serverOf();
  const client: oauth.Client = { client_id: 'native' };
  const auth = oauth.None();
  const begun = await oauth.deviceAuthorizationRequest(
    ...([server, client, auth, { scope: 'openid offline_access' }, options] as const),
  );
  const codes = await oauth.processDeviceAuthorizationResponse(server, client, begun);
  const poll = async (): Promise<oauth.TokenEndpointResponse> => {
    const answer = await oauth.deviceCodeGrantRequest(
      ...([server, client, auth, codes.device_code, options] as const),
    );
    return oauth.processDeviceCodeResponse(server, client, answer);
  };
  await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' });
  await expect(poll()).rejects.toMatchObject({ error: 'slow_down' });
  expect(codes.verification_uri).toBe(`${issuer.href}/device`);
  await new DeviceBrowser(controller).approve(codes.user_code, person.username);
  await passTime(controller, 'polled_at', codes.interval ?? 5);
  const tokens = await poll();
  const user = await oauth.userInfoRequest(server, client, tokens.access_token, options);
  expect(await oauth.processUserInfoResponse(server, client, person.id, user)).toEqual({
    sub: person.id,
    name: person.username,
  });
  expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).toBe(person.id);
  await expect(poll()).rejects.toMatchObject({ error: 'invalid_grant' });
});
