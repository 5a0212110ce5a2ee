import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADMIN_PASSWORD, startController, type TestController } from '../../support/controller.js';
import { newPerson, PASSWORD, runSql } from '../auth/client.js';
import { newDevice } from './device.js';
import { ask, claimsOf, LoginClient, type OidcAnswer, type Tokens } from './login-client.js';

/* What becomes of the tokens of a login: renewal, exchange, revocation, and who may use them. */

let controller: TestController & { dataDir: string };
let other: TestController;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  other = await startController({ with: controller });
});
afterAll(async () => {
  await other.stop();
  await controller.stop();
});

const client = (options = {}): LoginClient => new LoginClient(controller, options);
const admin = (): Promise<Tokens> => client().logInByPassword('admin', ADMIN_PASSWORD);
const tokensIn = ({ body }: OidcAnswer): Tokens => body as unknown as Tokens;
const statusOf = async (token: string, port = controller.port): Promise<number> =>
  (
    await ask(port, 'GET', '/edge/client/v1/current-identity', {
      headers: { authorization: `Bearer ${token}` },
    })
  ).status;

const TYPE = 'urn:ietf:params:oauth:token-type:';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

describe('a refresh token', () => {
  test('gives new tokens of the same session, also twice at once', async () => {
    const first = await admin();
    const [one, two] = await Promise.all([
      client().refresh(first.refresh_token),
      client().refresh(first.refresh_token),
    ]);
    expect([one.status, two.status]).toEqual([200, 200]);
    const [a, b, earlier] = [
      tokensIn(one).access_token,
      tokensIn(two).access_token,
      first.access_token,
    ].map(claimsOf);
    expect(a?.jti).not.toBe(b?.jti);
    expect([a?.z_asid, b?.z_asid]).toEqual([earlier?.z_asid, earlier?.z_asid]);
    expect([a?.auth_time, a?.amr]).toEqual([earlier?.auth_time, earlier?.amr]);
    expect(await statusOf(tokensIn(one).access_token)).toBe(200);
  });

  test('that comes again after its grace ends the session', async () => {
    const first = await admin();
    const renewed = tokensIn(await client().refresh(first.refresh_token));
    const jti = claimsOf(first.refresh_token).jti;
    await runSql(
      controller,
      `update used_refresh_token set used_at = used_at - interval '61 s' where jti = $1`,
      [jti],
    );
    const again = await client().refresh(first.refresh_token);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    expect(await statusOf(renewed.access_token)).toBe(401);
    expect((await client().refresh(renewed.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('that was replaced long ago can not be exchanged, either', async () => {
    const first = await admin();
    const renewed = tokensIn(await client().refresh(first.refresh_token));
    await runSql(
      controller,
      `update used_refresh_token set used_at = used_at - interval '61 s' where jti = $1`,
      [claimsOf(first.refresh_token).jti],
    );
    const answer = await client().token({
      grant_type: EXCHANGE,
      subject_token: first.refresh_token,
      subject_token_type: `${TYPE}refresh_token`,
    });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    expect(await statusOf(renewed.access_token)).toBe(401);
  });

  const REFUSED: [string, (tokens: Tokens) => Promise<OidcAnswer>, string][] = [
    ['an access token', ({ access_token: t }) => client().refresh(t), 'invalid_grant'],
    ['an ID token', ({ id_token: t }) => client().refresh(t), 'invalid_grant'],
    ['garbage', () => client().refresh('garbage'), 'invalid_grant'],
    ['nothing', () => client().refresh(''), 'invalid_request'],
    [
      'the token of another client',
      ({ refresh_token: t }) => client({ clientId: 'openziti' }).refresh(t),
      'invalid_grant',
    ],
    [
      'a wish for more',
      ({ refresh_token: t }) => client().refresh(t, { scope: 'openid email' }),
      'invalid_scope',
    ],
  ];
  test.each(REFUSED)('is not %s', async (_, refresh, error) => {
    const answer = await refresh(await admin());
    expect([answer.status, answer.body.error]).toEqual([400, error]);
  });

  test('is renewed by another controller, which knows the tokens of this one', async () => {
    const { access_token: token, refresh_token: refresh } = await admin();
    expect(await statusOf(token, other.port)).toBe(200);
    const renewed = await new LoginClient(other).refresh(refresh);
    expect(renewed.status).toBe(200);
    expect(await statusOf(tokensIn(renewed).access_token)).toBe(200);
  });
});

test('a login that one controller began is finished by another', async () => {
  const here = client();
  const id = await here.begin();
  const there = Object.assign(new LoginClient(other), { id, verifier: here.verifier });
  const proved = await there.password('admin', ADMIN_PASSWORD);
  const code = await here.code(proved);
  expect((await there.exchange(code)).status).toBe(200);
});

describe('an exchange', () => {
  const exchange = (token: string, form: Record<string, string> = {}): Promise<OidcAnswer> =>
    client().token({
      grant_type: EXCHANGE,
      subject_token: token,
      subject_token_type: `${TYPE}refresh_token`,
      // Clients of the field send these empty.
      ...{ actor_token: '', scope: '', audience: '', resource: '' },
      ...form,
    });

  test('of a refresh token gives tokens again and again, and an ID token', async () => {
    const { refresh_token: token } = await admin();
    for (let uses = 0; uses < 2; uses += 1) {
      const renewed = await exchange(token, { requested_token_type: `${TYPE}refresh_token` });
      expect(renewed).toMatchObject({
        status: 200,
        body: { token_type: 'Bearer', issued_token_type: `${TYPE}refresh_token` },
      });

      expect(await statusOf(tokensIn(renewed).access_token)).toBe(200);
      expect((await client().refresh(tokensIn(renewed).refresh_token)).status).toBe(200);
    }
    const id = await exchange(token, { requested_token_type: `${TYPE}id_token` });
    expect(id.body).toMatchObject({ token_type: 'N_A', issued_token_type: `${TYPE}id_token` });
    expect(claimsOf(tokensIn(id).access_token)).toMatchObject({ name: 'admin', azp: 'native' });
    expect(id.body).not.toHaveProperty('refresh_token');
  });

  test('of an access token gives no longer life', async () => {
    const { access_token: token } = await admin();
    const subject_token_type = `${TYPE}access_token`;
    for (const wanted of ['access_token', 'refresh_token']) {
      const answer = await exchange(token, {
        subject_token_type,
        requested_token_type: TYPE + wanted,
      });
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    }
  });

  test.each([
    ['garbage', { subject_token: 'garbage' }],
    ['no token', { subject_token: '' }],
    ['an odd type', { subject_token_type: 'odd' }],
    ['an odd wish', { requested_token_type: 'odd' }],
    ['a foreign audience', { audience: 'https://other.example' }],
    ['another client', { client_id: 'openziti' }],
  ])('is refused with %s', async (_, form) => {
    const { refresh_token: token } = await admin();
    const answer = await exchange(token, form);
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('the end of a session', () => {
  test.each(['/oidc/revoke', '/oidc/oauth/revoke'])(
    'comes by %s, at all controllers',
    async (path) => {
      const { access_token: token, refresh_token: refresh } = await admin();
      const form = { token: refresh, client_id: 'native', token_type_hint: 'refresh_token' };
      const revoked = await ask(controller.port, 'POST', path, { form });
      expect([revoked.status, revoked.text]).toEqual([200, '']);
      expect(await statusOf(token)).toBe(401);
      const again = await client().refresh(refresh);
      expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
      expect(String(again.body.error_description)).toContain('revoked');
      expect((await new LoginClient(other).refresh(refresh)).status).toBe(400);
    },
  );

  test('does not come by the token of another client, and garbage is no fault', async () => {
    const { access_token: token, refresh_token: refresh } = await admin();
    for (const form of [
      { token: refresh, client_id: 'openziti' },
      { token: 'garbage', client_id: 'native' },
    ]) {
      expect((await ask(controller.port, 'POST', '/oidc/revoke', { form })).status).toBe(200);
    }
    expect(await statusOf(token)).toBe(200);
  });

  test('comes by a logout with the ID token, and leads back', async () => {
    const tokens = await admin();
    const query = new URLSearchParams({
      id_token_hint: tokens.id_token,
      post_logout_redirect_uri: 'http://localhost:8080/auth/logout',
      state: 'x',
    });
    const answer = await ask(controller.port, 'GET', `/oidc/end_session?${query.toString()}`);
    expect(answer.headers.location).toBe('http://localhost:8080/auth/logout?state=x');
    expect(await statusOf(tokens.access_token)).toBe(401);
  });

  test.each([
    ['does not come with the name of another client', 'openziti', 400, 200],
    ['does not come with the name of no client', 'other', 400, 200],
    ['comes with the name of its client', 'native', 302, 401],
  ])('%s beside the ID token', async (_, client_id, status, tokenStatus) => {
    const { id_token: id_token_hint, access_token: token } = await admin();
    const form = { id_token_hint, client_id };
    const answer = await ask(controller.port, 'POST', '/oidc/end_session', { form });
    const isRefused = answer.text.includes('"error":"invalid_request"');
    expect([answer.status, isRefused]).toEqual([status, status === 400]);
    expect(await statusOf(token)).toBe(tokenStatus);
  });

  test('leads nowhere else', async () => {
    const query = new URLSearchParams({ post_logout_redirect_uri: 'https://evil.example/' });
    const answer = await ask(controller.port, 'GET', `/oidc/end_session?${query.toString()}`);
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    const plain = await ask(controller.port, 'GET', '/oidc/end_session');
    expect(plain.headers.location).toBe('/oidc/logged-out');
  });
});

describe('a login by certificate', () => {
  test('gives tokens for clients with that certificate alone', async () => {
    const { id, certificate } = await newDevice(controller);
    const own = client({ certificate, clientId: 'openziti' });
    await own.begin({ method: 'cert' });
    const proved = await own.ask('POST', `/oidc/login/cert?id=${own.id}`, {
      json: { sdkInfo: { type: 'ziti-sdk-c', appID: 'x' }, envInfo: { os: 'Linux' } },
    });
    const tokens = await own.tokens(proved);
    expect(claimsOf(tokens.access_token)).toMatchObject({
      sub: id,
      amr: ['cert'],
      z_sdk: { type: 'ziti-sdk-c', appId: 'x' },
      z_env: { os: 'Linux' },
      z_cfs: [new X509Certificate(certificate.cert).fingerprint.replaceAll(':', '').toLowerCase()],
    });
    const get = (token: string, shown?: typeof certificate) =>
      ask(controller.port, 'GET', '/edge/client/v1/current-identity', {
        headers: { authorization: `Bearer ${token}` },
        certificate: shown,
      });
    const somebodyElse = (await newDevice(controller)).certificate;
    expect((await get(tokens.access_token, certificate)).status).toBe(200);
    expect((await get(tokens.access_token)).status).toBe(401);
    expect((await get(tokens.access_token, somebodyElse)).status).toBe(401);
    expect((await get(tokens.access_token, certificate)).status).toBe(200);
    const stolen = await client({ clientId: 'openziti' }).refresh(tokens.refresh_token);
    expect([stolen.status, stolen.body.error]).toEqual([400, 'access_denied']);
    expect((await own.refresh(tokens.refresh_token)).status).toBe(200);
  });

  test('chooses its page by the certificate of the connection', async () => {
    const { certificate } = await newDevice(controller);
    const answer = await client({ certificate }).authorize();
    expect(answer.headers.location).toContain('/oidc/login/cert?');
  });
});

test('a person gives their tokens to nobody by the page of a stranger', async () => {
  // A stranger begins a login and sends its address to a person, who logs in there.
  const stranger = client();
  await stranger.begin();
  const person = await newPerson(controller);
  const victim = Object.assign(client(), { id: stranger.id });
  const proved = await victim.password(person.username, PASSWORD);
  const path = `/oidc/authorize/callback?id=${stranger.id}`;
  const taken = await stranger.ask('GET', path);
  expect(String(taken.headers.location)).not.toContain('code=');
  expect(proved.status).toBe(302);
});
