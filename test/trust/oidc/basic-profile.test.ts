import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import { startController, type TestController } from '../../support/controller.js';
import { newPerson, PASSWORD, type Person } from '../auth/client.js';
import {
  ask,
  claimsOf,
  locationOf,
  LoginClient,
  pathIn,
  REDIRECT,
  type OidcAnswer,
  type Tokens,
} from './login-client.js';

/* The requests of the basic profile of OpenID Connect, and the answers of the provider. */

let controller: TestController & { dataDir: string };
let person: Person;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  person = await newPerson(controller);
});
afterAll(() => controller.stop());

const client = (): LoginClient => new LoginClient(controller);
const get = (path: string, headers: Record<string, string> = {}): Promise<OidcAnswer> =>
  ask(controller.port, 'GET', path, { headers });

/** Logs a person in after an authorization request with these parameters. */
async function logIn(change: Readonly<Record<string, string>> = {}): Promise<Tokens> {
  const own = client();
  await own.begin(change);
  return own.tokens(await own.password(person.username, PASSWORD));
}

describe('an authorization request', () => {
  const PAGE: [string, Record<string, string>][] = [
    ['with the scope openid alone', { scope: 'openid' }],
    ['with a scope without openid', { scope: 'offline_access' }],
    ['with scopes that the provider has not', { scope: 'openid profile email address phone' }],
    ['with max_age', { max_age: '10' }],
    ['with max_age zero', { max_age: '0' }],
    ['with prompt login', { prompt: 'login' }],
    ['with display', { display: 'popup' }],
    ['with ui_locales', { ui_locales: 'se de-CH' }],
    ['with claims_locales', { claims_locales: 'se' }],
    ['with acr_values', { acr_values: '1 2' }],
    ['with login_hint', { login_hint: 'somebody' }],
    ['with id_token_hint', { id_token_hint: 'a.b.c' }],
    ['with a parameter that nobody has defined', { extra: 'foobar' }],
    ['without a nonce', { nonce: '' }],
    ['without a state', { state: '' }],
  ];
  test.each(PAGE)('%s leads to the login', async (_, change) => {
    const answer = await client().authorize(change);
    expect(pathIn(answer)).toMatch(/^\/oidc\/login\/username\?authRequestID=[0-9a-f-]{36}$/);
  });

  test('may be a form that is posted', async () => {
    const own = client();
    const form = Object.fromEntries(own.parameters());
    expect(pathIn(await own.ask('POST', '/oidc/authorize', { form }))).toMatch(/^\/oidc\/login\//);
  });

  const REFUSED: [string, Record<string, string>, string][] = [
    ['without a response_type', { response_type: '' }, 'invalid_request'],
    ['with an unknown response_type', { response_type: 'odd' }, 'unauthorized_client'],
    ['of the implicit flow', { response_type: 'id_token' }, 'unauthorized_client'],
    ['of the hybrid flow', { response_type: 'code id_token' }, 'unauthorized_client'],
    ['without a redirect_uri', { redirect_uri: '' }, 'invalid_request'],
    ['without a client', { client_id: '' }, 'invalid_client'],
  ];
  test.each(REFUSED)('%s is refused', async (_, change, error) => {
    const { status, body } = await client().authorize(change);
    expect([status, body.error]).toEqual([400, error]);
  });

  const ANSWERED: [string, Record<string, string>, string][] = [
    ['with prompt none', { prompt: 'none' }, 'login_required'],
    ['with a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    [
      'with the address of a request object',
      { request_uri: 'https://client.example/request.jwt' },
      'request_uri_not_supported',
    ],
    [
      'with a request object and prompt none',
      { request: 'a.b.c', prompt: 'none' },
      'request_not_supported',
    ],
  ];
  test.each(ANSWERED)('%s is answered at the client', async (_, change, error) => {
    const issuer = `https://localhost:${String(controller.port)}/oidc`;
    const there = locationOf(await client().authorize(change));
    expect(there.origin + there.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(there.searchParams)).toEqual({
      ...{ error, state: 'its state', iss: issuer },
    });
  });

  test.each(['request', 'request_uri'])(
    'with %s is not answered at a foreign address',
    async (name) => {
      const answer = await client().authorize({
        [name]: 'x',
        redirect_uri: 'https://evil.example/',
      });
      expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
    },
  );
});

describe('an ID token', () => {
  test('has the nonce of the request, or none', async () => {
    expect(claimsOf((await logIn({ nonce: 'n-0S6_WzA2Mj' })).id_token).nonce).toBe('n-0S6_WzA2Mj');
    expect(claimsOf((await logIn({ nonce: '' })).id_token)).not.toHaveProperty('nonce');
  });

  test.each(['0', '10000', ''])(
    'says when the person logged in, for max_age "%s"',
    async (max_age) => {
      const before = Math.floor(Date.now() / 1000);
      const { auth_time: at } = claimsOf((await logIn({ max_age })).id_token);
      expect(Number(at)).toBeGreaterThanOrEqual(before);
      expect(Number(at)).toBeLessThanOrEqual(Date.now() / 1000);
    },
  );

  test('names a published key', async () => {
    const { kid, alg } = decodeProtectedHeader((await logIn()).id_token);
    const { keys } = (await get('/oidc/keys')).body as unknown as { keys: object[] };
    expect(keys).toContainEqual(expect.objectContaining({ kid, alg, use: 'sig' }));
  });

  test('has the subject that the userinfo endpoint tells', async () => {
    const tokens = await logIn();
    const authorization = `Bearer ${tokens.access_token}`;
    const { sub } = claimsOf(tokens.id_token);
    expect(sub).toBe(person.id);
    expect((await get('/oidc/userinfo', { authorization })).body.sub).toBe(sub);
    const headers = { authorization };
    const posted = await ask(controller.port, 'POST', '/oidc/userinfo', { headers });
    expect(posted.body.sub).toBe(sub);
  });
});

describe('the scope of tokens', () => {
  test.each([
    ['openid', 'openid', false],
    ['offline_access', 'offline_access', true],
    ['openid offline_access profile', 'openid offline_access', true],
  ])('of a request for "%s" is "%s"', async (scope, granted, isRefreshable) => {
    const tokens = await logIn({ scope });
    expect([tokens.scope, 'refresh_token' in tokens]).toEqual([granted, isRefreshable]);
  });
});

describe('a code', () => {
  test('gives tokens once, and to its own address alone', async () => {
    const own = client();
    await own.begin();
    const code = await own.code(await own.password(person.username, PASSWORD));
    const redirect_uri = 'http://localhost:8080/auth/other';
    expect((await own.exchange(code, { redirect_uri })).body.error).toBe('invalid_grant');
    const { status, headers, body } = await own.exchange(code);
    expect([status, headers['cache-control'], headers.pragma]).toEqual([
      200,
      'no-store',
      'no-cache',
    ]);
    expect((await own.exchange(code)).body.error).toBe('invalid_grant');
    const authorization = `Bearer ${String(body.access_token)}`;
    expect((await get('/oidc/userinfo', { authorization })).status).toBe(401);
  });
});

describe('the userinfo endpoint asks for a token', () => {
  const PLAIN = 'Bearer realm="openziti-oidc"';
  const REFUSED = `${PLAIN}, error="invalid_token", error_description="the access token is invalid"`;

  test.each([
    ['without one', {}, PLAIN],
    ['beside the token of an older session', { 'zt-session': 'x' }, PLAIN],
    ['beside another scheme', { authorization: 'Basic bmF0aXZlOg==' }, PLAIN],
    ['after one that is invalid', { authorization: 'Bearer a.b.c' }, REFUSED],
    ['after one from a browser', { authorization: 'Bearer x', accept: 'text/html' }, REFUSED],
  ])('%s', async (_, headers, challenge) => {
    const answer = await get('/oidc/userinfo', headers);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe(challenge);
  });

  test('after one whose session has ended, or that is of another kind', async () => {
    const own = client();
    const tokens = await logIn();
    await own.ask('POST', '/oidc/revoke', {
      form: { token: tokens.refresh_token, client_id: 'native' },
    });
    for (const token of [tokens.access_token, tokens.id_token]) {
      const answer = await get('/oidc/userinfo', { authorization: `Bearer ${token}` });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, REFUSED]);
    }
  });
});
