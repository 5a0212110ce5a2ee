import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { keysOf, networkCertificate, type NetworkCertificate } from './certificates.js';
import {
  authenticate,
  authPolicy,
  bearersOf,
  call,
  loggedIn,
  newPerson,
  PASSWORD,
  outcome,
  passwordLogin,
  sessionIn,
  unique,
  withToken,
  type Person,
  type SessionView,
} from './client.js';
import { OutsideSigner } from './signers.js';

/* What auth policies allow, ask for and protect. */

let controller: TestController & { dataDir: string };
let signer: OutsideSigner;
let signerId: string;
let otherSigner: OutsideSigner;
let otherSignerId: string;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  signer = await OutsideSigner.create('one');
  signerId = await controller.create('external-jwt-signers', signer.settings);
  otherSigner = await OutsideSigner.create('two');
  otherSignerId = await controller.create('external-jwt-signers', otherSigner.settings);
});
afterAll(() => controller.stop());

type PolicyChange = Parameters<typeof authPolicy>[0];

const newPolicy = (change: PolicyChange): Promise<string> =>
  controller.create('auth-policies', authPolicy(change));

const underPolicy = async (change: PolicyChange): Promise<Person> =>
  newPerson(controller, { authPolicyId: await newPolicy(change) });

async function certificateOf({ id }: Person, now?: Date): Promise<NetworkCertificate> {
  const certificate = await networkCertificate(await keysOf(controller), id, now);
  const body = { identityId: id, method: 'cert', certPem: certificate.leaf };
  await controller.create('authenticators', body);
  return certificate;
}

describe('the primary methods', () => {
  type Method = 'cert' | 'extJwt' | 'updb';
  const METHODS: readonly Method[] = ['cert', 'extJwt', 'updb'];

  test.each(METHODS)('%s alone lets nobody in by the others', async (allowed) => {
    const settings = Object.fromEntries(METHODS.map((m) => [m, { allowed: m === allowed }]));
    const person = await underPolicy(settings);
    const certificate = await certificateOf(person);
    const headers = { authorization: bearersOf([await signer.jwt(person.id)]) };
    const statuses: Record<Method, number> = {
      cert: (await authenticate(controller, 'cert', { certificate })).status,
      extJwt: (await authenticate(controller, 'ext-jwt', { headers })).status,
      updb: (await passwordLogin(controller, person)).status,
    };
    const expected = Object.fromEntries(METHODS.map((m) => [m, m === allowed ? 200 : 401]));
    expect(statuses).toEqual(expected);
  });

  test('name the signers that count; an empty list is all of them', async () => {
    const picky = await underPolicy({ extJwt: { allowedSigners: [signerId] } });
    const easy = await underPolicy({ extJwt: { allowedSigners: [] } });
    const statuses: number[] = [];
    for (const { id } of [picky, easy]) {
      for (const by of [signer, otherSigner]) {
        const headers = { authorization: bearersOf([await by.jwt(id)]) };
        statuses.push((await authenticate(controller, 'ext-jwt', { headers })).status);
      }
    }
    expect(statuses).toEqual([200, 401, 200, 200]);
  });

  test.each([
    [true, 200],
    [false, 401],
  ])('with allowExpiredCerts %s answer %d to an expired certificate', async (allowed, expected) => {
    const person = await underPolicy({ cert: { allowExpiredCerts: allowed } });
    const longAgo = new Date(Date.now() - 400 * 86_400_000);
    const certificate = await certificateOf(person, longAgo);
    expect((await authenticate(controller, 'cert', { certificate })).status).toBe(expected);
  });

  test('count as they are at the time of the login', async () => {
    const authPolicyId = await newPolicy({});
    const person = await newPerson(controller, { authPolicyId });
    const primary = { updb: { allowed: false } };
    await controller.rest('PATCH', `/auth-policies/${authPolicyId}`, { primary });
    expect(outcome(await passwordLogin(controller, person))).toEqual([401, 'INVALID_AUTH']);
  });
});

describe('the password rules', () => {
  const RULES = {
    minPasswordLength: 8,
    requireMixedCase: true,
    requireNumberChar: true,
    requireSpecialChar: true,
  };
  const GOOD = 'Correct-h0rse';
  let identityId: string;
  let username: string;
  let id: string;
  let own: { headers: { 'zt-session': string } };

  beforeEach(async () => {
    username = unique('ruled');
    const authPolicyId = await newPolicy({ updb: RULES });
    const identity = { name: username, type: 'Default', isAdmin: false, authPolicyId };
    identityId = await controller.create('identities', identity);
    const authenticator = { identityId, method: 'updb', username, password: GOOD };
    id = await controller.create('authenticators', authenticator);
    const body = { username, password: GOOD };
    const { token } = sessionIn(await authenticate(controller, 'password', { body }));
    own = { headers: { 'zt-session': token } };
  });

  const OWN = '/current-identity/authenticators';
  const SETTERS: [string, (password: string) => ReturnType<typeof call>][] = [
    [
      'on create',
      async (password) => {
        await controller.rest('DELETE', `/authenticators/${id}`);
        const body = { identityId, method: 'updb', username, password };
        return controller.rest('POST', '/authenticators', body);
      },
    ],
    [
      'on PUT',
      (password) => controller.rest('PUT', `/authenticators/${id}`, { username, password }),
    ],
    ['on PATCH', (password) => controller.rest('PATCH', `/authenticators/${id}`, { password })],
    [
      'on PUT of the own',
      (password) =>
        call(controller, 'PUT', `${OWN}/${id}`, {
          ...own,
          body: { username, password, currentPassword: GOOD },
        }),
    ],
    [
      'on PATCH of the own',
      (password) =>
        call(controller, 'PATCH', `${OWN}/${id}`, {
          ...own,
          body: { password, currentPassword: GOOD },
        }),
    ],
  ];

  test.each(SETTERS)('hold %s', async (_, set) => {
    for (const bad of [
      'Short-1',
      'correct-h0rse',
      'CORRECT-H0RSE',
      'Correct-horse',
      'Correcth0rse',
    ]) {
      const answer = await set(bad);
      expect([bad, ...outcome(answer)]).toEqual([bad, 400, 'COULD_NOT_VALIDATE']);
      expect(answer.body.error.cause).toMatchObject({ field: 'password' });
      expect(answer.text).not.toContain(bad);
    }
    expect([200, 201]).toContain((await set(`${GOOD}!`)).status);
    const body = { username, password: `${GOOD}!` };
    expect((await authenticate(controller, 'password', { body })).status).toBe(200);
  });

  test('leave passwords alone that were there before', async () => {
    const authPolicyId = await newPolicy({ updb: { minPasswordLength: 50 } });
    await controller.rest('PATCH', `/identities/${identityId}`, { authPolicyId });
    const body = { username, password: GOOD };
    expect((await authenticate(controller, 'password', { body })).status).toBe(200);
  });
});

describe('requireExtJwtSigner', () => {
  let person: Person;
  let session: SessionView;

  beforeEach(async () => {
    person = await underPolicy({ secondary: { requireExtJwtSigner: signerId } });
    session = await loggedIn(controller, person);
  });

  const read = (...bearers: string[]) =>
    call(controller, 'GET', '/current-identity', withToken(session.token, ...bearers));

  test('asks for a JWT of the signer', () => {
    expect(session.authQueries).toStrictEqual([
      {
        typeId: 'EXT-JWT',
        provider: 'url',
        id: signerId,
        httpUrl: 'https://one.example/login',
        clientId: 'client-of-one',
        scopes: ['openid'],
      },
    ]);
  });

  test('is looked at with every request', async () => {
    const jwt = await signer.jwt(person.id);
    expect((await read(jwt)).status).toBe(200);
    expect(outcome(await read())).toEqual([401, 'UNAUTHORIZED']);
    expect((await read(jwt)).status).toBe(200);
  });

  test('is content with one of three bearers', async () => {
    const jwt = await signer.jwt(person.id);
    const others = [await otherSigner.jwt(person.id), 'a.b.c'];
    expect((await read(...others, jwt)).status).toBe(200);
    expect((await read(...others, 'd.e.f', jwt)).status).toBe(401);
  });

  test('may come beside the session as a bearer', async () => {
    const authorization = bearersOf([session.token, await signer.jwt(person.id)]);
    const answer = await call(controller, 'GET', '/current-identity', {
      headers: { authorization },
    });
    expect(answer.status).toBe(200);
  });

  test.each<[string, () => Promise<string | undefined>, string]>([
    ['nothing', () => Promise.resolve(undefined), 'missing'],
    ['a JWT of another signer', () => otherSigner.jwt(person.id), 'missing'],
    ['another audience', () => signer.jwt(person.id, { aud: 'x' }), 'invalid'],
    [
      'a key of somebody else',
      () => signer.jwt(person.id, {}, { key: otherSigner.key }),
      'invalid',
    ],
    ['an expired JWT', () => signer.jwt(person.id, {}, { expiresIn: -60 }), 'expired'],
  ])('refuses %s, and says what to bring', async (_, jwt, error) => {
    const sent = await jwt();
    const answer = await read(...(sent === undefined ? [] : [sent]));
    expect(outcome(answer)).toEqual([401, 'UNAUTHORIZED']);
    expect(answer.headers['www-authenticate']).toMatch(
      new RegExp(
        `^Bearer realm="openziti-secondary-ext-jwt" error="${error}" error_description="[^"]+" id="${signerId}" issuer="one"$`,
      ),
    );
    const { body, headers } = await call(
      controller,
      'GET',
      '/current-api-session',
      withToken(session.token, ...(sent === undefined ? [] : [sent])),
    );
    expect((body.data as SessionView).authQueries).toMatchObject([{ id: signerId }]);
    expect(headers['www-authenticate']).toBeUndefined();
  });

  test('is no query of a login that brings the JWT', async () => {
    const login = async (...bearers: string[]) =>
      sessionIn(
        await authenticate(controller, 'password', {
          body: { username: person.username, password: PASSWORD },
          headers: { authorization: bearersOf(bearers) },
        }),
      );
    const met = await login(await signer.jwt(person.id));
    expect(met.authQueries).toEqual([]);
    expect((await login(await otherSigner.jwt(person.id))).authQueries).toMatchObject([
      { typeId: 'EXT-JWT', id: signerId },
    ]);
    // Each request has to bring it nevertheless.
    expect((await call(controller, 'GET', '/current-identity', withToken(met.token))).status).toBe(
      401,
    );
  });

  test('is no query of such a login on the graph, whatever else that asks for', async () => {
    const { username } = person;
    const answer = await call(controller, 'POST', '/graphql', {
      body: {
        query: `mutation ($input: AuthenticateInput!) {
          authenticate(method: "password", input: $input) { authQueries { signerId } } }`,
        variables: { input: { username, password: PASSWORD } },
      },
      headers: { authorization: bearersOf([await signer.jwt(person.id)]) },
    });
    expect(answer.body).toMatchObject({ data: { authenticate: { authQueries: [] } } });
  });

  test('shows no query while it is met', async () => {
    const jwt = await signer.jwt(person.id);
    const answer = await call(
      controller,
      'GET',
      '/current-api-session',
      withToken(session.token, jwt),
    );
    expect(sessionIn(answer).authQueries).toEqual([]);
  });

  test('is met no more once the signer is disabled', async () => {
    const jwt = await signer.jwt(person.id);
    await controller.rest('PATCH', `/external-jwt-signers/${signerId}`, { enabled: false });
    const answer = await read(jwt);
    await controller.rest('PATCH', `/external-jwt-signers/${signerId}`, { enabled: true });
    expect(answer.status).toBe(401);
    expect((await read(jwt)).status).toBe(200);
  });

  test('comes on top of a code where both are required', async () => {
    const secondary = { requireExtJwtSigner: signerId, requireTotp: true };
    person = await underPolicy({ secondary });
    const both = await loggedIn(controller, person);
    expect(both.authQueries.map((query) => query.typeId)).toEqual(['MFA', 'EXT-JWT']);
    session = both;
    expect((await read(await signer.jwt(person.id))).status).toBe(401);
  });
});

describe('what is in use', () => {
  const SIGNER = '/external-jwt-signers';

  test('the default policy can be changed, and not deleted', async () => {
    const answer = await controller.rest('DELETE', '/auth-policies/default');
    expect(outcome(answer)).toEqual([409, 'CAN_NOT_DELETE_REFERENCED_ENTITY']);
    const { body } = await controller.rest('GET', '/auth-policies/default');
    expect(body.data).toMatchObject({ id: 'default', name: 'Default' });
    const tags = { touched: true };
    expect((await controller.rest('PATCH', '/auth-policies/default', { tags })).status).toBe(200);
  });

  test('a policy of an identity can not be deleted until the identity has another', async () => {
    const authPolicyId = await newPolicy({});
    const { id } = await newPerson(controller, { authPolicyId });
    const remove = () => controller.rest('DELETE', `/auth-policies/${authPolicyId}`);
    expect(outcome(await remove())).toEqual([409, 'CAN_NOT_DELETE_REFERENCED_ENTITY']);
    await controller.rest('PATCH', `/identities/${id}`, { authPolicyId: 'default' });
    expect((await remove()).status).toBe(200);
  });

  test.each<[string, (id: string) => PolicyChange]>([
    ['allowed', (id) => ({ extJwt: { allowedSigners: [otherSignerId, id] } })],
    ['required', (id) => ({ secondary: { requireExtJwtSigner: id } })],
  ])('a signer that is %s by a policy can not be deleted', async (_, change) => {
    const extra = await OutsideSigner.create(unique('extra'));
    const id = await controller.create('external-jwt-signers', extra.settings);
    const policyId = await newPolicy(change(id));
    expect(outcome(await controller.rest('DELETE', `${SIGNER}/${id}`))).toEqual([
      409,
      'CAN_NOT_DELETE_REFERENCED_ENTITY',
    ]);
    await controller.rest('DELETE', `/auth-policies/${policyId}`);
    expect((await controller.rest('DELETE', `${SIGNER}/${id}`)).status).toBe(200);
  });

  test.each<PolicyChange>([
    { extJwt: { allowedSigners: ['nobody'] } },
    { secondary: { requireExtJwtSigner: 'nobody' } },
  ])('a policy can not name a signer that does not exist: %j', async (change) => {
    const answer = await controller.rest('POST', '/auth-policies', authPolicy(change));
    expect(outcome(answer)).toEqual([404, 'NOT_FOUND']);
  });

  test('an identity can not name a policy that does not exist', async () => {
    const identity = { name: unique('x'), type: 'Default', isAdmin: false, authPolicyId: 'nobody' };
    const answer = await controller.rest('POST', '/identities', identity);
    expect([400, 404]).toContain(answer.status);
  });

  test('an identity without a policy has the default one', async () => {
    const { id } = await newPerson(controller, { authPolicyId: null });
    const { body } = await controller.rest('GET', `/identities/${id}`);
    expect(body.data).toMatchObject({ authPolicyId: 'default' });
  });
});
