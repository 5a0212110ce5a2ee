import { createHmac, createPublicKey, sign, type JsonWebKey, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADMIN_PASSWORD, startController, type TestController } from '../../support/controller.js';
import { keysOf, newKey } from '../auth/certificates.js';
import { newPerson, PASSWORD, runSql, type Person } from '../auth/client.js';
import { DeviceBrowser, DeviceClient } from './device-client.js';
import { ask, claimsOf, LoginClient, locationOf, pathIn, REDIRECT } from './login-client.js';

/*
 * The attacks of RFC 9700 and RFC 6819 that no other test of this folder has: forged tokens, tokens in place of
 * others, and requests in a form that helps somebody else.
 */

let controller: TestController & { dataDir: string };
let person: Person;
let admin: string;
let key: KeyObject;
let jwk: JsonWebKey & { readonly kid: string };

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  person = await newPerson(controller);
  admin = (await client().logInByPassword('admin', ADMIN_PASSWORD)).access_token;
  key = (await keysOf(controller)).server.privateKey;
  const { keys } = (await ask(controller.port, 'GET', '/oidc/keys')).body as unknown as {
    keys: (typeof jwk)[];
  };
  const [first] = keys;
  if (!first) throw new Error('no keys');
  jwk = first;
});
afterAll(() => controller.stop());

const client = (clientId = 'native'): LoginClient => new LoginClient(controller, { clientId });
const logIn = () => client().logInByPassword(person.username, PASSWORD);

type Claims = Readonly<Record<string, unknown>>;

const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

const without = (claims: Claims, name: string): Claims =>
  Object.fromEntries(Object.entries(claims).filter(([each]) => each !== name));

/** A token with the signature that `signature` makes. */
function jwt(header: Claims, claims: Claims, signature: (input: string) => string): string {
  const input = `${encoded(header)}.${encoded(claims)}`;
  return `${input}.${signature(input)}`;
}

const byKey =
  (signer: KeyObject) =>
  (input: string): string =>
    sign('sha256', Buffer.from(input), { key: signer, dsaEncoding: 'ieee-p1363' }).toString(
      'base64url',
    );
const bySecret =
  (secret: string | Buffer) =>
  (input: string): string =>
    createHmac('sha256', secret).update(input).digest('base64url');

/** A token that the controller itself would have signed. */
const signed = (claims: Claims): string =>
  jwt({ alg: 'ES256', kid: jwk.kid, typ: 'JWT' }, claims, byKey(key));

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TYPE = 'urn:ietf:params:oauth:token-type:';

const statusOf = async (path: string, headers: Record<string, string>): Promise<number> =>
  (await ask(controller.port, 'GET', path, { headers })).status;
const exchanged = async (subject_token: string, type: string): Promise<boolean> => {
  const subject_token_type = `${TYPE}${type}`;
  const requested_token_type = `${TYPE}id_token`;
  const form = { grant_type: EXCHANGE, subject_token, subject_token_type, requested_token_type };
  return (await client().token(form)).status === 200;
};

/** Each use of a token, and whether the token counts there. */
const USES: Readonly<Record<string, (token: string) => Promise<boolean>>> = {
  rest: async (token) =>
    (await statusOf('/edge/client/v1/current-identity', { authorization: `Bearer ${token}` })) ===
    200,
  'zt-session': async (token) =>
    (await statusOf('/edge/client/v1/current-identity', { 'zt-session': token })) === 200,
  graph: async (token) => {
    const json = { query: '{ currentIdentity { id } }' };
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await ask(controller.port, 'POST', '/graphql', { json, headers });
    const data = body.data as unknown as { currentIdentity?: object | null } | null;
    return (data?.currentIdentity ?? null) !== null;
  },
  userinfo: async (token) =>
    (await statusOf('/oidc/userinfo', { authorization: `Bearer ${token}` })) === 200,
  introspection: async (token) => {
    const headers = { authorization: `Bearer ${admin}` };
    const path = '/oidc/oauth/introspect';
    const { body } = await ask(controller.port, 'POST', path, { form: { token }, headers });
    return body.active as unknown as boolean;
  },
  refresh: async (token) => (await client().refresh(token)).status === 200,
  'exchange as access token': (token) => exchanged(token, 'access_token'),
  'exchange as refresh token': (token) => exchanged(token, 'refresh_token'),
  // The last, since it ends the session.
  logout: async (token) => {
    const path = `/oidc/end_session?id_token_hint=${encodeURIComponent(token)}`;
    return (await ask(controller.port, 'GET', path)).status === 302;
  },
};

async function usesOf(token: string): Promise<string[]> {
  const uses: string[] = [];
  for (const [name, use] of Object.entries(USES)) if (await use(token)) uses.push(name);
  return uses;
}

describe('a token counts for its own purpose alone:', () => {
  const OF_ACCESS = ['rest', 'graph', 'userinfo', 'introspection', 'exchange as access token'];
  const OF_REFRESH = ['introspection', 'refresh', 'exchange as refresh token'];

  test.each([
    ['access_token', OF_ACCESS],
    ['refresh_token', OF_REFRESH],
    ['id_token', ['logout']],
  ] as const)('the %s for %j', async (name, uses) => {
    const tokens = await logIn();
    expect(await usesOf(tokens[name])).toEqual(uses);
  });

  /** The claims of the other tokens of the controller, for the session of an access token. */
  const OTHERS: Readonly<Record<string, (access: Claims) => Claims>> = {
    'the proof of a one-time code': ({ sub, aud, z_asid, jti, iat }) => ({
      ...{ sub, aud, z_asid, jti, iat, z_t: 't' },
    }),
    'the token of a session for a service': ({ sub, z_asid, jti, iat, exp }) => ({
      ...{ sub: 'service', aud: ['openziti'], z_asid, jti, iat, exp },
      ...{ z_t: 's', z_iid: sub, z_st: 'Dial' },
    }),
    'an enrollment token': ({ iss, sub, exp, jti }) => ({ iss, sub, exp, jti, em: 'ott' }),
    'an access token without a kind': (access) => without(access, 'z_t'),
    'an access token of an odd kind': (access) => ({ ...access, z_t: ['a'] }),
    'a token for somebody else': (access) => ({ ...access, aud: ['https://other.example'] }),
    'a token for nobody': (access) => without(access, 'aud'),
    'a token without an end': (access) => without(access, 'exp'),
    'a token without a session': (access) => without(access, 'z_asid'),
    'a token of another session': (access) => ({ ...access, z_asid: 'x' }),
    'a token that has expired': (access) => ({ ...access, exp: Math.floor(Date.now() / 1000) - 1 }),
  };
  test.each(Object.keys(OTHERS))('%s for none of these', async (name) => {
    const access = claimsOf((await logIn()).access_token);
    const claims = OTHERS[name]?.(access) ?? {};
    expect(await usesOf(signed(claims))).toEqual([]);
    expect(await usesOf(signed({ ...access }))).toContain('rest');
  });
});

describe('a forged token counts nowhere', () => {
  const own = newKey();
  const ownJwk = createPublicKey(own).export({ format: 'jwk' });
  const pem = (): string => {
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    return publicKey.export({ type: 'spki', format: 'pem' }).toString();
  };
  const kid = (): string => jwk.kid;
  const ownKey = (header: Claims) => (claims: Claims) =>
    jwt({ alg: 'ES256', kid: kid(), ...header }, claims, byKey(own));
  const ofSecret = (secret: () => string) => (claims: Claims) =>
    jwt({ alg: 'HS256', kid: kid() }, claims, bySecret(secret()));
  const unsigned = (alg: string) => (claims: Claims) => jwt({ alg, kid: kid() }, claims, () => '');
  const ownSignature = (header: Claims) => (claims: Claims) =>
    jwt({ alg: 'ES256', kid: kid(), ...header }, claims, byKey(key));

  const FORGERIES: Readonly<Record<string, (claims: Claims) => string>> = {
    'without a signature': unsigned('none'),
    'without a signature, in other letters': unsigned('nOnE'),
    'without a signature, of the usual algorithm': unsigned('ES256'),
    'by the public key as a secret': ofSecret(pem),
    'by the published key as a secret': ofSecret(() => JSON.stringify(jwk)),
    'by an empty secret': ofSecret(() => ''),
    'by another key under the name of ours': ownKey({}),
    'with a key inside': ownKey({ jwk: ownJwk }),
    'with a key inside that it names itself': ownKey({ jwk: ownJwk, kid: undefined }),
    'with the address of a key': ownKey({
      jku: 'https://localhost:1/keys',
      x5u: 'https://localhost:1/',
    }),
    'with a certificate inside': ownKey({ x5c: ['MIIB'] }),
    'with a path as the name of its key': ownKey({ kid: '../../../../dev/null' }),
    'with a statement as the name of its key': ownKey({ kid: "' or 1=1 --" }),
    'with a list as the name of its key': (claims) => ownKey({ kid: [kid()] })(claims),
    'with the name of a member of all objects': ownKey({ kid: '__proto__' }),
    'with a name of the right form': ownKey({ kid: 'a'.repeat(40) }),
    'by our key, with another algorithm': ownSignature({ alg: 'ES384' }),
    'by our key, with an extension that we do not know': ownSignature({ crit: ['odd'], odd: 1 }),
    'by our key, over plain text': ownSignature({ crit: ['b64'], b64: false }),
  };

  test.each(Object.keys(FORGERIES))('%s', async (name) => {
    const { access_token, refresh_token, id_token } = await logIn();
    const forge = FORGERIES[name] ?? signed;
    for (const token of [access_token, refresh_token, id_token]) {
      expect(await usesOf(forge(claimsOf(token)))).toEqual([]);
    }
    expect(await USES.rest?.(access_token)).toBe(true);
  });
});

describe('a code', () => {
  const begin = async (own: LoginClient): Promise<string> => {
    await own.begin();
    return own.code(await own.password(person.username, PASSWORD));
  };

  test('that was injected into another login gives nothing: each login has a verifier', async () => {
    const [victim, attacker] = [client(), client()];
    const stolen = await begin(victim);
    await attacker.begin();
    const answer = await attacker.exchange(stolen);
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
  });

  test('is not proved by the challenge, as with the method plain', async () => {
    const own = client();
    const code = await begin(own);
    const challenge = own.parameters().get('code_challenge') ?? '';
    expect((await own.exchange(code, { code_verifier: challenge })).body.error).toBe(
      'invalid_grant',
    );
  });

  test('is not given for a challenge without a method, which means plain', async () => {
    const answer = await client().authorize({ code_challenge_method: '' });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  });

  test('that comes twice ends the tokens that its refresh token has given since', async () => {
    const own = client();
    const code = await begin(own);
    const first = (await own.exchange(code)).body as unknown as { refresh_token: string };
    const next = (await own.refresh(first.refresh_token)).body as unknown as {
      access_token: string;
      refresh_token: string;
    };
    await own.exchange(code);
    expect(await USES.rest?.(next.access_token)).toBe(false);
    expect((await own.refresh(next.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('counts for a minute', async () => {
    const own = client();
    const code = await begin(own);
    await runSql(
      controller,
      `update authorization_request set code_expires_at = code_expires_at - interval '61 s' where id = $1`,
      [own.id],
    );
    expect((await own.exchange(code)).body.error).toBe('invalid_grant');
  });

  test('comes with the issuer that gave it, so that no client takes it to another', async () => {
    const issuer = `https://localhost:${String(controller.port)}/oidc`;
    const { body } = await ask(controller.port, 'GET', '/oidc/.well-known/openid-configuration');
    expect(body.authorization_response_iss_parameter_supported).toBe(true);
    const own = client();
    await own.begin();
    const proved = await own.password(person.username, PASSWORD);
    const back = locationOf(await own.ask('GET', pathIn(proved)));
    // Clients of the field read all that follows the code.
    expect([...back.searchParams.keys()]).toEqual(['code', 'state', 'iss']);
    expect(back.searchParams.get('iss')).toBe(issuer);
    const refused = locationOf(await own.authorize({ prompt: 'none' }));
    expect(refused.searchParams.get('iss')).toBe(issuer);
  });
});

describe('a redirect', () => {
  test('is none to a foreign address, also for an answer without a login', async () => {
    const answer = await client().authorize({
      redirect_uri: 'https://evil.example/cb',
      prompt: 'none',
    });
    expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
  });

  test('goes to the address that was checked, when there are two', async () => {
    const own = client();
    const second = encodeURIComponent('https://evil.example/cb');
    const query = `${own.parameters({ prompt: 'none' }).toString()}&redirect_uri=${second}`;
    const there = await own.ask('GET', `/oidc/authorize?${query}`);
    expect(locationOf(there).href.startsWith(REDIRECT)).toBe(true);
    const reversed = await own.ask('GET', `/oidc/authorize?redirect_uri=${second}&${query}`);
    expect([reversed.status, reversed.headers.location]).toEqual([400, undefined]);
  });

  test('does not let a browser send the password on', async () => {
    const own = client();
    await own.begin();
    const proved = await own.password(person.username, PASSWORD);
    expect([302, 303]).toContain(proved.status);
  });

  test('follows no host but that of the connection', async () => {
    const headers = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
    const path = '/oidc/.well-known/openid-configuration';
    expect((await ask(controller.port, 'GET', path, { headers })).text).not.toContain('evil');
  });
});

describe('secrets in an address, which logs and histories keep, are no proof:', () => {
  test.each([
    ['/oidc/oauth/token', 'grant_type=refresh_token&client_id=native&refresh_token='],
    [
      '/oidc/oauth/token',
      `grant_type=${EXCHANGE}&client_id=native&subject_token_type=${TYPE}refresh_token&subject_token=`,
    ],
    ['/oidc/revoke', 'client_id=native&token='],
    ['/oidc/oauth/revoke', 'client_id=native&token='],
  ])('POST %s?%s', async (path, query) => {
    const { refresh_token: token } = await logIn();
    const answer = await ask(controller.port, 'POST', `${path}?${query}${token}`);
    expect([answer.status, answer.text.includes('access_token')]).toEqual([400, false]);
    expect(await USES.refresh?.(token)).toBe(true);
  });

  test('the access token', async () => {
    const { access_token: token } = await logIn();
    for (const path of ['/oidc/userinfo', '/edge/client/v1/current-identity']) {
      expect([path, await statusOf(`${path}?access_token=${token}`, {})]).toEqual([path, 401]);
    }
  });

  test('the password and the code of a second factor', async () => {
    const own = client();
    await own.begin();
    const query = new URLSearchParams({
      id: own.id,
      username: person.username,
      password: PASSWORD,
    });
    const answer = await own.ask('POST', `/oidc/login/password?${query.toString()}`);
    expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
  });
});

test('of a parameter that comes twice, the first counts everywhere', async () => {
  const { refresh_token: token } = await logIn();
  const form = { grant_type: 'refresh_token', refresh_token: [token, 'x'] };
  const at = (client_id: readonly string[]) =>
    ask(controller.port, 'POST', '/oidc/oauth/token', { form: { ...form, client_id } });
  expect((await at(['openziti', 'native'])).body.error).toBe('invalid_grant');
  expect((await at(['native', 'openziti'])).status).toBe(200);
});

test('the header decides which client asks, not a parameter beside it', async () => {
  const { refresh_token: token } = await logIn();
  const headers = { authorization: `Basic ${Buffer.from('openziti:').toString('base64')}` };
  const form = { grant_type: 'refresh_token', client_id: 'native', refresh_token: token };
  const answer = await ask(controller.port, 'POST', '/oidc/oauth/token', { form, headers });
  expect(answer.body.error).toBe('invalid_grant');
});

test('no page can be framed, runs a script or tells where it was', async () => {
  const own = client();
  const login = pathIn(await own.authorize());
  const device = await DeviceClient.begin(controller);
  const browser = new DeviceBrowser(controller);
  const pages = [
    await browser.get(login),
    await browser.get('/oidc/login/username?authRequestID=x'),
    await browser.get('/oidc/device'),
    await browser.enter('BCDF-GHJK'),
    await browser.logIn(device.userCode, person.username),
    await browser.get('/oidc/device/confirm?id=x&key=y'),
  ];
  for (const { headers, text } of pages) {
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /default-src 'none'.*frame-ancestors 'none'.*form-action/,
      ),
      ...{ 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' },
      ...{ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
    });
    expect(headers).not.toHaveProperty('set-cookie');
    expect(text).not.toMatch(/<script|\bon\w+=/);
  }
});
