import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Row } from '../../src/base/row.js';
import { startController, type TestController } from '../support/controller.js';
import { certificatePem } from './support/certificates.js';
import { invalid, NOT_FOUND, refusal } from './support/refusals.js';

/** Authenticators, enrollments, and logging in by password. */

const PASSWORD = 'a good password';

let controller: TestController;
let count = 0;
const unique = (): string => `credential ${String(++count)}`;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());

const read = async (path: string): Promise<Row> => (await controller.rest('GET', path)).body.data;
const newIdentity = (more: Row = {}): Promise<string> =>
  controller.create('identities', { name: unique(), type: 'Device', isAdmin: false, ...more });
const login = async (username: string, password: string): Promise<number> =>
  (await controller.rest('POST', '/authenticate?method=password', { username, password })).status;

describe('an authenticator', () => {
  const sent = async (more: Row = {}): Promise<Row> => ({
    identityId: await newIdentity(),
    method: 'updb',
    username: unique(),
    password: PASSWORD,
    ...more,
  });
  const post = async (more: Row) => controller.rest('POST', '/authenticators', await sent(more));

  test('by password lets its identity log in, and hides the password', async () => {
    const body = await sent();
    const id = await controller.create('authenticators', body);
    expect(await login(String(body.username), PASSWORD)).toBe(200);
    const shown = await read(`/authenticators/${id}`);
    expect(shown).toMatchObject({
      method: 'updb',
      username: body.username,
      identityId: body.identityId,
      identity: { id: body.identityId, entity: 'identities' },
      _links: { identities: { href: `./identities/${String(body.identityId)}` } },
    });
    for (const name of ['password', 'passwordHash', 'salt', 'certPem']) {
      expect(shown).not.toHaveProperty(name);
    }
    expect((await read(`/identities/${String(body.identityId)}`)).authenticators).toEqual({
      updb: { id, username: body.username },
    });
  });

  test.each([
    [{ method: 'ott' }, 'method'],
    [{ identityId: 'nobody' }, 'identityId'],
    [{ username: 'abc' }, 'username'],
    [{ username: 'a'.repeat(101) }, 'username'],
    [{ username: undefined }, 'username'],
    [{ password: 'abcd' }, 'password'],
    [{ password: 'a'.repeat(101) }, 'password'],
    [{ password: undefined }, 'password'],
    [{ method: 'cert', certPem: undefined }, 'certPem'],
    [{ method: 'cert', certPem: 'text' }, 'certPem'],
  ])('is not made with %j', async (more, field) => {
    expect(refusal(await post(more))).toEqual(invalid(field));
  });

  test('is one of its method, with a username of its own', async () => {
    const first = await sent();
    await controller.create('authenticators', first);
    expect(refusal(await post({ identityId: first.identityId }))).toEqual([
      409,
      'MAX_AUTHENTICATOR_METHODS_REACHED',
    ]);
    expect(refusal(await post({ username: first.username }))).toEqual(invalid('username'));
    const certPem = await certificatePem(unique());
    await controller.create('authenticators', {
      identityId: first.identityId,
      method: 'cert',
      certPem,
    });
    const listed = await controller.rest(
      'GET',
      `/identities/${String(first.identityId)}/authenticators`,
    );
    const methods = (listed.body.data as { method: string }[]).map(({ method }) => method);
    expect(methods.sort()).toEqual(['cert', 'updb']);
    const again = await post({ method: 'cert', certPem, username: undefined });
    expect(refusal(again)).toEqual(invalid('certPem'));
  });

  test('takes another username and password', async () => {
    const body = await sent();
    const path = `/authenticators/${await controller.create('authenticators', body)}`;
    const [second, third] = [unique(), unique()];
    const put = await controller.rest('PUT', path, { username: second, password: 'another one' });
    expect(put.status).toBe(200);
    expect(await login(String(body.username), PASSWORD)).toBe(401);
    expect(await login(second, 'another one')).toBe(200);
    expect((await controller.rest('PATCH', path, { username: third })).status).toBe(200);
    expect(await login(third, 'another one')).toBe(200);
    expect((await controller.rest('PATCH', path, { password: 'a third one' })).status).toBe(200);
    expect(await login(third, 'a third one')).toBe(200);
    expect(refusal(await controller.rest('PATCH', path, { password: 'four' }))).toEqual(
      invalid('password'),
    );
  });

  test('stays with its identity and its method', async () => {
    const body = await sent();
    const path = `/authenticators/${await controller.create('authenticators', body)}`;
    await controller.rest('PATCH', path, { identityId: await newIdentity(), method: 'cert' });
    expect(await read(path)).toMatchObject({ identityId: body.identityId, method: 'updb' });
  });

  test('by certificate can not be changed', async () => {
    const id = await controller.create('authenticators', {
      identityId: await newIdentity(),
      method: 'cert',
      certPem: await certificatePem(unique()),
    });
    const path = `/authenticators/${id}`;
    expect((await read(path)).fingerprint).toMatch(/^[0-9a-f]{40}$/);
    for (const method of ['PUT', 'PATCH']) {
      const change = { username: unique(), password: PASSWORD };
      expect(refusal(await controller.rest(method, path, change))).toEqual([
        409,
        'CAN_NOT_UPDATE_AUTHENTICATOR',
      ]);
    }
  });
});

describe('an enrollment', () => {
  let ca: string;
  const soon = (): string => new Date(Date.now() + 3_600_000).toISOString();
  const post = async (more: Row) =>
    controller.rest('POST', '/enrollments', {
      identityId: await newIdentity(),
      method: 'ott',
      expiresAt: soon(),
      ...more,
    });

  beforeAll(async () => {
    ca = await controller.create('cas', {
      name: unique(),
      certPem: await certificatePem(unique()),
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: true,
      isOttCaEnrollmentEnabled: true,
      identityRoles: [],
    });
  });

  test.each(['ott', 'ottca', 'updb'])(
    'by %s has a token and a JWT that name it',
    async (method) => {
      const [identityId, expiresAt, username] = [await newIdentity(), soon(), unique()];
      const more = { ott: {}, ottca: { caId: ca }, updb: { username } }[method] ?? {};
      const answer = await post({ identityId, method, expiresAt, ...more });
      expect(answer.status).toBe(201);
      const { id } = answer.body.data as { id: string };
      const enrollment = await read(`/enrollments/${id}`);
      expect(enrollment).toMatchObject({
        method,
        identityId,
        identity: { id: identityId, entity: 'identities' },
        expiresAt,
        ...more,
      });
      expect(decodeJwt(String(enrollment.jwt))).toMatchObject({
        em: method,
        sub: identityId,
        jti: enrollment.token,
        exp: Math.floor(new Date(expiresAt).getTime() / 1000),
      });
      expect((await read(`/identities/${identityId}`)).enrollment).toMatchObject({
        [method]: { id, token: enrollment.token, jwt: enrollment.jwt },
      });
    },
  );

  test.each([
    [{ identityId: 'nobody' }, 'identityId'],
    [{ identityId: null }, 'identityId'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    [{ expiresAt: null }, 'expiresAt'],
    [{ expiresAt: 'soon' }, 'expiresAt'],
    [{ method: 'ottca' }, 'caId'],
    [{ method: 'ottca', caId: 'nothing' }, 'caId'],
    [{ method: 'updb' }, 'username'],
    [{ method: 'erott' }, 'method'],
    [{ method: 'letter' }, 'method'],
  ])('is not made with %j', async (more, field) => {
    expect(refusal(await post(more))).toEqual(invalid(field));
  });

  test('is the only one of its method', async () => {
    const identityId = await newIdentity({ enrollment: { ott: true } });
    expect(refusal(await post({ identityId }))).toEqual([409, 'ENROLLMENT_EXISTS']);
    expect((await post({ identityId, method: 'updb', username: unique() })).status).toBe(201);
    const listed = await controller.rest('GET', `/identities/${identityId}/enrollments`);
    expect(listed.body.data).toHaveLength(2);
  });

  test('is refreshed with a new token and a new JWT', async () => {
    const { id } = (await post({})).body.data as { id: string };
    const before = await read(`/enrollments/${id}`);
    const expiresAt = new Date(Date.now() + 7_200_000).toISOString();
    const path = `/enrollments/${id}/refresh`;
    const answer = await controller.rest('POST', path, { expiresAt });
    expect([answer.status, answer.body.data]).toEqual([200, expect.objectContaining({ id })]);
    const after = await read(`/enrollments/${id}`);
    expect(after.expiresAt).toBe(expiresAt);
    expect(after.token).not.toBe(before.token);
    expect(decodeJwt(String(after.jwt)).jti).toBe(after.token);
    const past = await controller.rest('POST', path, { expiresAt: '2020-01-01T00:00:00Z' });
    expect(refusal(past)).toEqual(invalid('expiresAt'));
    expect(refusal(await controller.rest('POST', path, {}))).toEqual(invalid('expiresAt'));
    const unknown = await controller.rest('POST', '/enrollments/nothing/refresh', { expiresAt });
    expect(refusal(unknown)).toEqual(NOT_FOUND);
  });
});

describe('re-enrolling an edge router', () => {
  test('gives it exactly one new enrollment', async () => {
    const id = await controller.create('edge-routers', { name: unique() });
    const before = await read(`/edge-routers/${id}`);
    const answer = await controller.rest('POST', `/edge-routers/${id}/re-enroll`);
    expect([answer.status, answer.body.data]).toEqual([200, {}]);
    const after = await read(`/edge-routers/${id}`);
    expect(after).toMatchObject({ isVerified: false, fingerprint: null, certPem: null });
    expect(after.enrollmentToken).not.toBe(before.enrollmentToken);
    const query = `filter=edgeRouter=%22${id}%22`;
    expect((await controller.rest('GET', `/enrollments?${query}`)).body.data).toHaveLength(1);
  });
});

describe('logging in', () => {
  test.each([
    ['', { username: 'admin', password: 'correct horse' }, 'INVALID_AUTH_METHOD'],
    ['?method=letter', { username: 'admin', password: 'correct horse' }, 'INVALID_AUTH_METHOD'],
    ['?method=password', {}, 'COULD_NOT_VALIDATE'],
    ['?method=password', { username: 'admin' }, 'COULD_NOT_VALIDATE'],
    ['?method=password', { username: '', password: 'correct horse' }, 'COULD_NOT_VALIDATE'],
    ['?method=password', undefined, 'COULD_NOT_VALIDATE'],
  ])('by "%s" with %j is 400', async (query, body, code) => {
    const answer = await controller.rest('POST', `/authenticate${query}`, body);
    expect(refusal(answer).slice(0, 2)).toEqual([400, code]);
  });

  test.each([
    ['admin', 'wrong horse'],
    ['nobody', 'correct horse'],
    ['ADMIN', 'correct horse'],
  ])('as %s with %s fails like every other', async (username, password) => {
    const answer = await controller.rest('POST', '/authenticate?method=password', {
      username,
      password,
    });
    expect(answer.status).toBe(401);
    expect(answer.body.error).toMatchObject({
      code: 'INVALID_AUTH',
      message: 'The authentication request failed',
    });
    expect(answer.body.error).not.toHaveProperty('cause');
    expect(answer.headers).not.toHaveProperty('www-authenticate');
  });

  test('gives a session with all that clients read', async () => {
    const answer = await controller.rest('POST', '/authenticate?method=password', {
      username: 'admin',
      password: 'correct horse',
      sdkInfo: { appID: 'x' },
      envInfo: { os: 'linux' },
      more: 1,
    });
    expect(answer.status).toBe(200);
    const session = answer.body.data as Row;
    const self = `./api-sessions/${String(session.id)}`;
    expect(session).toMatchObject({
      _links: { self: { href: self }, sessions: { href: `${self}/sessions` } },
      token: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
      ),
      identity: { entity: 'identities', id: session.identityId },
      ipAddress: expect.stringMatching(/^[0-9a-f.:]+$/),
      configTypes: [],
      authQueries: [],
      isMfaRequired: false,
      isMfaComplete: false,
      isCertExtendable: false,
      authenticatorId: expect.any(String),
      expirationSeconds: 1800,
    });
    const own = await controller.rest('GET', '/current-api-session', undefined, {
      'zt-session': String(session.token),
    });
    expect(own.body.data).toMatchObject({
      id: session.id,
      token: session.token,
      _links: { self: { href: self } },
    });
    expect(String(answer.headers['zt-session'])).toBe(session.token);
  });

  test('ends by logging out', async () => {
    const token = await controller.login();
    const as = (method: string) =>
      controller.rest(method, '/current-api-session', undefined, { 'zt-session': token });
    expect((await as('DELETE')).status).toBe(200);
    expect(refusal(await as('GET'))).toEqual([401, 'UNAUTHORIZED']);
    expect(refusal(await as('DELETE'))).toEqual([401, 'UNAUTHORIZED']);
  });
});
