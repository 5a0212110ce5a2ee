import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import {
  keysOf,
  networkCertificate,
  newAuthority,
  newLeaf,
  type ClientCertificate,
} from './certificates.js';
import {
  authenticate,
  authPolicy,
  bearersOf,
  call,
  newPerson,
  outcome,
  PASSWORD,
  runSql,
  unique,
  type Call,
} from './client.js';
import { OutsideSigner } from './signers.js';

/* Every failure of the login, with its status and code; the clients know no other difference. */

let controller: TestController & { dataDir: string };
let signer: OutsideSigner;
let signerId: string;
const usernames: Record<string, string> = {};
const subjects: Record<string, string> = {};
const certificates: Record<string, ClientCertificate> = {};

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  signer = await OutsideSigner.create('outside');
  const other = await OutsideSigner.create('other');
  signerId = await controller.create('external-jwt-signers', signer.settings);
  const otherId = await controller.create('external-jwt-signers', other.settings);
  const policies = {
    open: {},
    closed: { cert: { allowed: false }, extJwt: { allowed: false }, updb: { allowed: false } },
    choosy: { extJwt: { allowedSigners: [otherId] } },
  };
  const keys = await keysOf(controller);
  for (const [name, change] of Object.entries(policies)) {
    const authPolicyId = await controller.create('auth-policies', authPolicy(change));
    const { id, username } = await newPerson(controller, { authPolicyId });
    usernames[name] = username;
    subjects[name] = id;
    certificates[name] = await withCertificate(id, await networkCertificate(keys, id));
  }
  const { id, username } = await newPerson(controller);
  usernames.disabled = username;
  subjects.disabled = id;
  certificates.disabled = await withCertificate(id, await networkCertificate(keys, id));
  await controller.rest('POST', `/identities/${id}/disable`, { durationMinutes: 0 });
  await prepareCertificates();
});
afterAll(() => controller.stop());

/** Lets an identity log in with a certificate. */
async function withCertificate<C extends ClientCertificate & { leaf?: string }>(
  identityId: string,
  certificate: C,
): Promise<C> {
  const certPem = certificate.leaf ?? certificate.cert;
  await controller.create('authenticators', { identityId, method: 'cert', certPem });
  return certificate;
}

async function prepareCertificates(): Promise<void> {
  const keys = await keysOf(controller);
  certificates.unregistered = await networkCertificate(keys, 'nobody');
  const stranger = await newAuthority('stranger');
  const known = await controller.create('identities', person('known'));
  certificates.untrusted = await withCertificate(known, await newLeaf('known', stranger));
  const authPolicyId = await controller.create(
    'auth-policies',
    authPolicy({ cert: { allowExpiredCerts: false } }),
  );
  const late = await controller.create('identities', { ...person('late'), authPolicyId });
  const lastYears = new Date(Date.now() - 400 * 86_400_000);
  certificates.expired = await withCertificate(
    late,
    await networkCertificate(keys, late, lastYears),
  );
}

const person = (name: string): object => ({ name: unique(name), type: 'Default', isAdmin: false });

const body = (username: unknown, password: unknown): Call => ({ body: { username, password } });

describe('a failed login by password', () => {
  test.each<[string, () => Call, number, string]>([
    ['no body', () => ({}), 400, 'COULD_NOT_VALIDATE'],
    ['null for a body', () => ({ body: null }), 400, 'COULD_NOT_VALIDATE'],
    ['no username', () => body(undefined, PASSWORD), 400, 'COULD_NOT_VALIDATE'],
    ['a blank username', () => body('', PASSWORD), 400, 'COULD_NOT_VALIDATE'],
    ['no password', () => body(usernames.open, undefined), 400, 'COULD_NOT_VALIDATE'],
    ['a blank password', () => body(usernames.open, ''), 400, 'COULD_NOT_VALIDATE'],
    ['a number for a password', () => body(usernames.open, 12345), 400, 'COULD_NOT_VALIDATE'],
    ['a username of 3', () => body('abc', PASSWORD), 400, 'COULD_NOT_VALIDATE'],
    ['a username of 101', () => body('a'.repeat(101), PASSWORD), 400, 'COULD_NOT_VALIDATE'],
    ['a password of 4', () => body(usernames.open, '1234'), 400, 'COULD_NOT_VALIDATE'],
    ['a password of 101', () => body(usernames.open, 'a'.repeat(101)), 400, 'COULD_NOT_VALIDATE'],
    ['an unknown username', () => body('nobody', PASSWORD), 401, 'INVALID_AUTH'],
    ['a username with NUL', () => body('no\0body', PASSWORD), 401, 'INVALID_AUTH'],
    ['a username in another case', () => body(upper('open'), PASSWORD), 401, 'INVALID_AUTH'],
    ['a wrong password', () => body(usernames.open, 'wrong one'), 401, 'INVALID_AUTH'],
    ['a disabled identity', () => body(usernames.disabled, PASSWORD), 401, 'INVALID_AUTH'],
    ['a policy against it', () => body(usernames.closed, PASSWORD), 401, 'INVALID_AUTH'],
  ])('by %s', async (_, options, status, code) => {
    const answer = await authenticate(controller, 'password', options());
    expect(outcome(answer)).toEqual([status, code]);
    expect(answer.headers['www-authenticate']).toBeUndefined();
  });

  const upper = (name: string): string | undefined => usernames[name]?.toUpperCase();

  test('tells nothing of its cause', async () => {
    const bodies = await Promise.all(
      ['nobody', usernames.disabled, usernames.closed, usernames.open].map((username) =>
        authenticate(controller, 'password', body(username, 'wrong one')),
      ),
    );
    expect(new Set(bodies.map(withoutRequestId)).size).toBe(1);
  });
});

const withoutRequestId = ({ text }: { text: string }): string =>
  text.replace(/"requestId":"[^"]*"/, '');

describe('a failed login by certificate', () => {
  const CASES = ['none', 'untrusted', 'unregistered', 'disabled', 'closed', 'expired'];

  test.each(CASES)('%s is refused without a reason', async (name) => {
    const answer = await authenticate(controller, 'cert', { certificate: certificates[name] });
    expect(outcome(answer)).toEqual([401, 'INVALID_AUTH']);
    expect(answer.headers['www-authenticate']).toBeUndefined();
    const { text } = await authenticate(controller, 'password', body('nobody', PASSWORD));
    expect(withoutRequestId(answer)).toBe(withoutRequestId({ text }));
  });

  test('the same client with an allowed certificate gets in', async () => {
    const answer = await authenticate(controller, 'cert', { certificate: certificates.open });
    expect(answer.status).toBe(200);
  });
});

describe('a failed login by JWT', () => {
  type Token = () => Promise<string | undefined>;
  const jwt = (...args: Parameters<OutsideSigner['jwt']>): Promise<string> => signer.jwt(...args);

  test.each<[string, Token, 'missing' | 'invalid' | 'expired', string]>([
    ['no token', () => Promise.resolve(undefined), 'missing', 'no matching token was provided'],
    ['no JWT', () => Promise.resolve('abc.def'), 'missing', 'no matching token was provided'],
    [
      'an unknown issuer',
      () => jwt('x', { iss: 'x' }),
      'missing',
      'no matching token was provided',
    ],
    ['an unknown key', () => jwt('x', {}, { kid: 'x' }), 'invalid', 'token is invalid'],
    ['another audience', () => jwt('x', { aud: 'x' }), 'invalid', 'token is invalid'],
    ['its end', () => jwt('x', {}, { expiresIn: -60 }), 'expired', 'token expired'],
    ['nobody of that id', () => jwt('x'), 'invalid', 'token is invalid'],
    ['a subject with NUL', () => jwt('x\0y'), 'invalid', 'token is invalid'],
    ['a disabled identity', () => jwt(subjects.disabled ?? ''), 'invalid', 'token is invalid'],
    ['a policy against it', () => jwt(subjects.closed ?? ''), 'invalid', 'token is invalid'],
    ['a policy for others', () => jwt(subjects.choosy ?? ''), 'invalid', 'token is invalid'],
  ])('by %s names the signers to ask', async (_, token, error, description) => {
    const sent = await token();
    const headers = sent === undefined ? {} : { authorization: bearersOf([sent]) };
    const answer = await authenticate(controller, 'ext-jwt', { headers });
    expect(outcome(answer)).toEqual([401, 'UNAUTHORIZED']);
    const challenge = String(answer.headers['www-authenticate']);
    expect(challenge).toMatch(
      new RegExp(
        `^Bearer realm="openziti-primary-ext-jwt" error="${error}" error_description="${description}" id="[^"]+" issuer="[^"]+"$`,
      ),
    );
    expect(listIn(challenge, 'id')).toContain(signerId);
    expect(listIn(challenge, 'issuer')).toContain('outside');
  });

  const listIn = (challenge: string, name: string): string[] =>
    (new RegExp(` ${name}="([^"]*)"`).exec(challenge)?.[1] ?? '').split('|');

  test('by the absence of any signer has no challenge', async () => {
    const token = await signer.jwt(subjects.open ?? '');
    await runSql(controller, 'update external_jwt_signer set enabled = false');
    // Through the interface, so that the controller hears of it.
    await controller.rest('PATCH', `/external-jwt-signers/${signerId}`, { enabled: false });
    const answer = await authenticate(controller, 'ext-jwt', {
      headers: { authorization: bearersOf([token]) },
    });
    await runSql(controller, 'update external_jwt_signer set enabled = true');
    await controller.rest('PATCH', `/external-jwt-signers/${signerId}`, { enabled: true });
    expect(outcome(answer)).toEqual([401, 'UNAUTHORIZED']);
    expect(answer.headers['www-authenticate']).toBeUndefined();
  });
});

describe('a login by another method', () => {
  test.each(['', '?method=', '?method=PASSWORD', '?method=totp', '?method=__proto__'])(
    '"%s" is refused',
    async (query) => {
      const answer = await call(controller, 'POST', `/authenticate${query}`, body('admin', 'x'));
      expect(outcome(answer)).toEqual([400, 'INVALID_AUTH_METHOD']);
    },
  );
});

describe('the challenge of an operation that needs a session', () => {
  const MISSING = 'error="missing" error_description="no matching token was provided"';
  const INVALID = 'error="invalid" error_description="token is invalid"';

  test.each<[string, Call['headers'], string]>([
    [
      'no token',
      {},
      `zt-session realm="zt-session" ${MISSING},Bearer realm="openziti-oidc" ${MISSING}`,
    ],
    [
      'an unknown session',
      { 'zt-session': '00000000-0000-4000-8000-000000000000' },
      `zt-session realm="zt-session" ${INVALID}`,
    ],
    [
      'an unknown bearer',
      { authorization: 'Bearer 00000000-0000-4000-8000-000000000000' },
      `Bearer realm="openziti-oidc" ${INVALID}`,
    ],
  ])('for %s', async (_, headers, expected) => {
    const answer = await call(controller, 'GET', '/current-identity', { headers: headers ?? {} });
    expect(outcome(answer)).toEqual([401, 'UNAUTHORIZED']);
    expect(answer.headers['www-authenticate']).toBe(expected);
  });

  test.each(['/version', '/', '/external-jwt-signers', '/specs'])(
    'is not made by %s, whatever is sent',
    async (path) => {
      const headers = { 'zt-session': 'nonsense', authorization: 'Bearer nonsense' };
      const answer = await call(controller, 'GET', path, { headers });
      expect(answer.status).toBe(200);
      expect(answer.headers['www-authenticate']).toBeUndefined();
    },
  );
});

describe('GraphQL', () => {
  const LOGIN = `mutation ($method: String!, $input: AuthenticateInput!) {
    authenticate(method: $method, input: $input) { token } }`;

  test.each<[string, Record<string, unknown>, string, number]>([
    ['password', { username: 'nobody', password: PASSWORD }, 'INVALID_AUTH', 401],
    ['password', {}, 'COULD_NOT_VALIDATE', 400],
    ['cert', {}, 'INVALID_AUTH', 401],
    ['ext-jwt', {}, 'UNAUTHORIZED', 401],
    ['other', {}, 'INVALID_AUTH_METHOD', 400],
  ])('%s with %j fails with %s', async (method, input, code, status) => {
    const answer = await call(controller, 'POST', '/graphql', {
      body: { query: LOGIN, variables: { method, input } },
    });
    const { errors } = answer.body as unknown as { errors: { extensions: object }[] };
    expect(errors).toHaveLength(1);
    expect(errors[0]?.extensions).toMatchObject({ code, status });
  });
});
