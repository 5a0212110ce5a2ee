import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { ADMIN_PASSWORD, startController, type TestController } from '../../support/controller.js';
import { newPerson, PASSWORD, runSql } from '../auth/client.js';
import { ask, claimsOf, LoginClient, locationOf, pathIn, REDIRECT } from './login-client.js';

/* Logins over OpenID Connect, as the clients of the field do them. */

let controller: TestController & { dataDir: string };

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());

const client = (options = {}): LoginClient => new LoginClient(controller, options);
const host = (): string => `localhost:${String(controller.port)}`;

describe('discovery', () => {
  test('names the issuer as the client spells the host', async () => {
    for (const spelled of [host(), `127.0.0.1:${String(controller.port)}`, 'LocalHost']) {
      const { status, body } = await ask(
        controller.port,
        'GET',
        '/oidc/.well-known/openid-configuration',
        {
          headers: { host: spelled },
        },
      );
      expect([status, body.issuer]).toEqual([200, `https://${spelled}/oidc`]);
      expect(body.token_endpoint).toBe(`https://${spelled}/oidc/oauth/token`);
      expect(body).toMatchObject({
        authorization_endpoint: `https://${spelled}/oidc/authorize`,
        openziti_endpoints: { password: `https://${spelled}/oidc/login/password` },
        code_challenge_methods_supported: ['S256'],
      });
    }
  });

  test('does not exist for a foreign host', async () => {
    const { status } = await ask(controller.port, 'GET', '/oidc/.well-known/openid-configuration', {
      headers: { host: 'evil.example' },
    });
    expect(status).toBe(404);
  });
});

describe('an authorization request', () => {
  const CASES: [string, Record<string, string>, string][] = [
    ['plain', {}, 'username'],
    ['for a certificate', { method: 'cert' }, 'cert'],
    ['for a JWT', { method: 'ext-jwt' }, 'ext-jwt'],
    [
      'with odd parameters',
      { prompt: 'Welcome back!', audience: 'x', scope: 'openid odd' },
      'username',
    ],
  ];
  test.each(CASES)('%s leads to its page', async (_, change, page) => {
    const own = client();
    const answer = await own.authorize(change);
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toMatch(
      new RegExp(`^/oidc/login/${page}\\?authRequestID=[0-9a-f-]{36}$`),
    );
    const shown = await own.ask('GET', pathIn(answer));
    expect([shown.status, shown.headers['auth-request-id']]).toEqual([
      200,
      pathIn(answer).split('=')[1],
    ]);
  });

  test('may be posted with everything in the address', async () => {
    const own = client({ clientId: 'openziti' });
    const answer = await own.ask('POST', `/oidc/authorize?${own.parameters().toString()}`);
    expect(answer.status).toBe(302);
  });

  test('with prompt none is answered to the client', async () => {
    const answer = await client().authorize({ prompt: 'none' });
    const query = `error=login_required&state=its+state&iss=https%3A%2F%2F`;
    expect(answer.headers.location).toContain(`${REDIRECT}?${query}`);
  });

  const REFUSED: [string, Record<string, string>, string][] = [
    ['a foreign redirect', { redirect_uri: 'https://evil.example/cb' }, 'invalid_request'],
    [
      'a redirect with the name of the user',
      { redirect_uri: 'http://localhost@evil.example/auth/callback' },
      'invalid_request',
    ],
    [
      'a redirect below a foreign host',
      { redirect_uri: 'http://localhost.evil.example/auth/callback' },
      'invalid_request',
    ],
    [
      'a redirect to another path',
      { redirect_uri: 'http://localhost:8080/other' },
      'invalid_request',
    ],
    [
      'a redirect with a query',
      { redirect_uri: 'http://localhost:8080/auth/callback?x=1' },
      'invalid_request',
    ],
    ['a script as redirect', { redirect_uri: 'javascript:alert(1)' }, 'invalid_request'],
    ['no redirect', { redirect_uri: '' }, 'invalid_request'],
    ['an unknown client', { client_id: 'other' }, 'invalid_client'],
    ['no scope', { scope: '' }, 'invalid_request'],
    ['another response type', { response_type: 'token' }, 'unauthorized_client'],
    ['no challenge', { code_challenge: '' }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'short' }, 'invalid_request'],
  ];
  test.each(REFUSED)('with %s is refused here', async (_, change, error) => {
    const answer = await client().authorize(change);
    expect([answer.status, answer.body.error]).toEqual([400, error]);
    expect(answer.headers.location).toBeUndefined();
  });
});

describe('a login by password', () => {
  test('gives a code, and the code gives tokens that a foreign library verifies', async () => {
    const own = client();
    await own.begin();
    const proved = await own.password('admin', ADMIN_PASSWORD);
    expect(proved.status).toBe(302);
    expect(String(proved.headers.location)).toContain(
      `https://${host()}/oidc/authorize/callback?id=${own.id}`,
    );
    const back = locationOf(await own.ask('GET', pathIn(proved)));
    expect(back.href.startsWith(`${REDIRECT}?code=`)).toBe(true);
    expect(back.searchParams.get('state')).toBe('its state');
    const code = back.searchParams.get('code') ?? '';
    expect(code).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const issued = await own.exchange(code);
    expect(issued).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer', expires_in: 1800, scope: 'openid offline_access' },
    });
    const keys = await own.ask('GET', '/oidc/keys');
    const { payload } = await jwtVerify(
      String(issued.body.access_token),
      createLocalJWKSet(keys.body as never),
      { issuer: `https://${host()}/oidc`, audience: 'native', algorithms: ['ES256'] },
    );
    expect(payload).toMatchObject({
      ...{ z_t: 'a', z_ia: true, z_cfs: null, amr: ['password'], client_id: 'native' },
      ...{ scopes: ['openid', 'offline_access'], z_aid: 'native', z_iccc: false },
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(1800);
    const id = claimsOf(String(issued.body.id_token));
    expect(id).toMatchObject({ nonce: 'its nonce', azp: 'native', sub: payload.sub });
    expect(id.z_t).toBeUndefined();
  });

  test('answers a wrong password without an envelope, and may be tried again', async () => {
    const person = await newPerson(controller);
    const own = client();
    await own.begin();
    const wrong = await own.password(person.username, 'wrong password');
    expect([wrong.status, wrong.body.code]).toEqual([401, 'INVALID_AUTH']);
    expect(Object.keys(wrong.body)).not.toContain('error');
    expect((await own.password(person.username, PASSWORD)).status).toBe(302);
  });

  test('needs a request that is under way', async () => {
    const own = client();
    own.id = '8a4a5b1f-0000-4000-8000-000000000000';
    const answer = await own.password('admin', ADMIN_PASSWORD);
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  test('takes JSON, and no other kind of body', async () => {
    const own = client();
    await own.begin();
    const json = { id: own.id, username: 'admin', password: ADMIN_PASSWORD };
    expect((await own.ask('POST', '/oidc/login/password', { json })).status).toBe(302);
    const text = { type: 'multipart/form-data; boundary=x', body: '--x--' };
    expect((await own.ask('POST', '/oidc/login/password', { text })).status).toBe(415);
  });
});

describe('the token endpoint', () => {
  test('lets Basic name the client, also in the URL-safe alphabet', async () => {
    const own = client();
    await own.begin();
    const code = await own.code(await own.password('admin', ADMIN_PASSWORD));
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      code_verifier: own.verifier,
    };
    const authorization = `Basic ${Buffer.from('native:').toString('base64url')}`;
    // A client of the field sends the rest of the address with its code.
    const answer = await own.ask('POST', '/oidc/oauth/token', {
      form: { ...form, state: 'its state' },
      headers: { authorization },
    });
    expect(answer.status).toBe(200);
  });

  const REFUSED: [string, Record<string, string>, string][] = [
    ['another client', { client_id: 'openziti' }, 'invalid_grant'],
    ['an unknown client', { client_id: 'other' }, 'invalid_client'],
    ['another redirect', { redirect_uri: 'http://localhost:8081/auth/callback' }, 'invalid_grant'],
    ['a redirect that no text of the database can be', { redirect_uri: 'x\0' }, 'invalid_grant'],
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_request'],
    ['another code', { code: 'x'.repeat(43) }, 'invalid_grant'],
    ['no code', { code: '' }, 'invalid_request'],
    ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['no grant', { grant_type: '' }, 'invalid_request'],
  ];
  test.each(REFUSED)('refuses a code with %s, and it stays usable', async (_, change, error) => {
    const own = client();
    await own.begin();
    const code = await own.code(await own.password('admin', ADMIN_PASSWORD));
    const refused = await own.exchange(code, change);
    expect([refused.status, refused.body.error]).toEqual([400, error]);
    expect((await own.exchange(code)).status).toBe(200);
  });

  test.each([
    ['at once', 0],
    ['after its minute', 61],
  ])('ends the tokens of a code that comes a second time %s', async (_, seconds) => {
    const own = client();
    await own.begin();
    const code = await own.code(await own.password('admin', ADMIN_PASSWORD));
    const token = String((await own.exchange(code)).body.access_token);
    await runSql(
      controller,
      `update authorization_request set code_expires_at = code_expires_at - $2 * interval '1 s' where id = $1`,
      [own.id, seconds],
    );
    const replayed = await own.exchange(code);
    expect([replayed.status, replayed.body.error]).toEqual([400, 'invalid_grant']);
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await ask(controller.port, 'GET', '/edge/client/v1/current-api-session', {
      headers,
    });
    expect(status).toBe(401);
  });
});

describe('an access token', () => {
  const get = (path: string, token: string) =>
    ask(controller.port, 'GET', path, { headers: { authorization: `Bearer ${token}` } });

  test('is the session at both interfaces, the graph and the fabric', async () => {
    const { access_token: token } = await client().logInByPassword('admin', ADMIN_PASSWORD);
    for (const on of ['client', 'management']) {
      const answer = await get(`/edge/${on}/v1/current-api-session`, token);
      expect(answer.status).toBe(200);
      expect(answer.body.data).toMatchObject({
        id: claimsOf(token).z_asid,
        token,
        isMfaRequired: false,
        authQueries: [],
      });
    }
    expect((await get('/edge/management/v1/identities', token)).status).toBe(200);
    expect((await get('/fabric/v1/routers', token)).status).toBe(200);
    const graph = await ask(controller.port, 'POST', '/graphql', {
      json: { query: '{ currentIdentity { name } }' },
      headers: { authorization: `Bearer ${token}` },
    });
    expect(graph.body.data).toEqual({ currentIdentity: { name: 'admin' } });
  });

  test('tells its owner', async () => {
    const person = await newPerson(controller);
    const { access_token: token } = await client().logInByPassword(person.username, PASSWORD);
    const answer = await get('/oidc/userinfo', token);
    expect(answer.body).toEqual({ sub: person.id, name: person.username });
    expect((await ask(controller.port, 'GET', '/oidc/userinfo')).status).toBe(401);
  });

  test('counts no more after a logout, and a session of the older kind stays', async () => {
    const person = await newPerson(controller);
    const { access_token: token, refresh_token: refresh } = await client().logInByPassword(
      person.username,
      PASSWORD,
    );
    const older = await controller.login(person.username, PASSWORD);
    const headers = { authorization: `Bearer ${token}` };
    const path = '/edge/client/v1/current-api-session';
    expect((await ask(controller.port, 'DELETE', path, { headers })).status).toBe(200);
    expect((await ask(controller.port, 'GET', path, { headers })).status).toBe(401);
    const refreshed = await client().refresh(refresh);
    expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_grant']);
    expect((await controller.rest('GET', path, undefined, { 'zt-session': older })).status).toBe(
      200,
    );
  });

  test('of a disabled identity counts no more, nor do its refresh tokens', async () => {
    const person = await newPerson(controller);
    const { access_token: token, refresh_token: refresh } = await client().logInByPassword(
      person.username,
      PASSWORD,
    );
    await controller.rest('POST', `/identities/${person.id}/disable`, { durationMinutes: 0 });
    await controller.rest('POST', `/identities/${person.id}/enable`, {});
    expect((await get('/edge/client/v1/current-identity', token)).status).toBe(401);
    expect((await client().refresh(refresh)).body.error).toBe('invalid_grant');
  });

  test('is refused when it was altered, and the refusal says so', async () => {
    const { access_token: token } = await client().logInByPassword('admin', ADMIN_PASSWORD);
    const [head, payload, signature] = token.split('.');
    const claims = { ...claimsOf(token), sub: 'somebody' };
    const altered = [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature];
    const answer = await get('/edge/client/v1/current-identity', altered.join('.'));
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe(
      'Bearer realm="openziti-oidc" error="invalid" error_description="token is invalid"',
    );
    expect(payload).toBeDefined();
  });

  test.each(['refresh_token', 'id_token'] as const)('is not the %s', async (name) => {
    const tokens = await client().logInByPassword('admin', ADMIN_PASSWORD);
    expect((await get('/edge/client/v1/current-identity', tokens[name])).status).toBe(401);
  });

  test('does not give the token of the older kind', async () => {
    const { access_token: token } = await client().logInByPassword('admin', ADMIN_PASSWORD);
    const id = String(claimsOf(token).z_asid);
    const { body } = await controller.rest('GET', `/api-sessions/${id}`);
    const stored = (body.data as { token: string }).token;
    for (const used of [stored, id]) {
      const answer = await controller.rest('GET', '/current-identity', undefined, {
        'zt-session': used,
      });
      expect(answer.status).toBe(401);
    }
  });
});
