import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { startController, type TestController } from '../../support/controller.js';
import { keysOf, networkCertificate, newAuthority, newLeaf } from './certificates.js';
import {
  call,
  loggedIn,
  newPerson,
  outcome,
  PASSWORD,
  passwordLogin,
  runSql,
  unique,
  withToken,
} from './client.js';

/* The administration of authenticators. */

let controller: TestController & { dataDir: string };

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());

const newIdentity = (): Promise<string> =>
  controller.create('identities', { name: unique('device'), type: 'Default', isAdmin: false });

const post = (body: unknown) => controller.rest('POST', '/authenticators', body);

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

describe('a new authenticator', () => {
  test('is the only one of its method', async () => {
    const { id: identityId } = await newPerson(controller);
    const second = await post({
      identityId,
      method: 'updb',
      username: unique('extra'),
      password: PASSWORD,
    });
    expect(outcome(second)).toEqual([409, 'MAX_AUTHENTICATOR_METHODS_REACHED']);
    const { leaf } = await networkCertificate(await keysOf(controller), identityId);
    expect((await post({ identityId, method: 'cert', certPem: leaf })).status).toBe(201);
    const { leaf: next } = await networkCertificate(await keysOf(controller), identityId);
    expect(outcome(await post({ identityId, method: 'cert', certPem: next }))).toEqual([
      409,
      'MAX_AUTHENTICATOR_METHODS_REACHED',
    ]);
  });

  test('has a username and a certificate that nobody else has', async () => {
    const { username } = await newPerson(controller);
    const taken = await post({
      identityId: await newIdentity(),
      method: 'updb',
      username,
      password: PASSWORD,
    });
    expect(outcome(taken)).toEqual([400, 'COULD_NOT_VALIDATE']);
    expect(taken.body.error.cause).toMatchObject({ field: 'username' });

    const { cert: certPem } = await newLeaf('x', undefined);
    expect((await post({ identityId: await newIdentity(), method: 'cert', certPem })).status).toBe(
      201,
    );
    const again = await post({ identityId: await newIdentity(), method: 'cert', certPem });
    expect(outcome(again)).toEqual([400, 'COULD_NOT_VALIDATE']);
  });

  test.each<[object, string]>([
    [{ method: 'updb', password: PASSWORD }, 'username'],
    [{ method: 'updb', username: 'somebody' }, 'password'],
    [{ method: 'updb', username: 'abc', password: PASSWORD }, 'username'],
    [{ method: 'updb', username: 'somebody', password: '1234' }, 'password'],
    [{ method: 'cert' }, 'certPem'],
    [{ method: 'cert', certPem: 'nonsense' }, 'certPem'],
    [{ method: 'ott' }, 'method'],
    [{}, 'method'],
  ])('is refused with %j', async (body, field) => {
    const answer = await post({ identityId: await newIdentity(), ...body });
    expect(outcome(answer)).toEqual([400, 'COULD_NOT_VALIDATE']);
    expect(answer.body.error.cause).toMatchObject({ field });
    expect(answer.text).not.toMatch(/1234|battery/);
  });

  test('needs an identity', async () => {
    const body = {
      identityId: 'nobody',
      method: 'updb',
      username: unique('extra'),
      password: PASSWORD,
    };
    expect((await post(body)).status).toBe(400);
  });
});

describe('an authenticator', () => {
  test('is changed by PUT and PATCH, and shows no secret', async () => {
    const { id, authenticatorId } = await newPerson(controller);
    const path = `/authenticators/${authenticatorId}`;
    const username = unique('renamed');
    const put = await controller.rest('PUT', path, { username, password: 'second one' });
    expect(put.status).toBe(200);
    expect((await passwordLogin(controller, { username }, 'second one')).status).toBe(200);
    expect((await controller.rest('PATCH', path, { password: 'third one' })).status).toBe(200);
    expect((await passwordLogin(controller, { username }, 'third one')).status).toBe(200);
    const { text, body } = await controller.rest('GET', path);
    expect(body.data).toMatchObject({
      id: authenticatorId,
      identityId: id,
      method: 'updb',
      username,
    });
    expect(text).not.toMatch(/argon2|passwordHash|third one/);
  });

  test('ends the logins of its identity when it is deleted', async () => {
    const person = await newPerson(controller);
    const path = `/authenticators/${person.authenticatorId}`;
    expect((await controller.rest('DELETE', path)).status).toBe(200);
    expect(outcome(await passwordLogin(controller, person))).toEqual([401, 'INVALID_AUTH']);
    expect((await controller.rest('DELETE', path)).status).toBe(404);
  });

  test('of a certificate can not be changed', async () => {
    const identityId = await newIdentity();
    const { leaf: certPem } = await networkCertificate(await keysOf(controller), identityId);
    const id = await controller.create('authenticators', { identityId, method: 'cert', certPem });
    const answer = await controller.rest('PATCH', `/authenticators/${id}`, {
      username: 'somebody',
    });
    expect(outcome(answer)).toEqual([409, 'CAN_NOT_UPDATE_AUTHENTICATOR']);
  });

  test('keeps its password out of the change log', async () => {
    const { authenticatorId } = await newPerson(controller);
    const [stored] = await runSql(
      controller,
      'select password_hash from authenticator where id = $1',
      [authenticatorId],
    );
    expect(stored?.password_hash).toMatch(/^\$argon2id\$/);
    const log = await runSql(
      controller,
      'select before::text || after::text as text from change where entity_id = $1',
      [authenticatorId],
    );
    expect(JSON.stringify(log)).not.toMatch(/argon2|battery/);
  });
});

describe('re-enroll', () => {
  const reEnroll = (id: string, body: unknown = { expiresAt: inAnHour() }) =>
    controller.rest('POST', `/authenticators/${id}/re-enroll`, body);

  interface Made {
    readonly method: string;
    readonly username?: string;
    readonly caId?: string;
    readonly token: string;
    readonly jwt: string;
    readonly identityId: string;
    readonly expiresAt: string;
  }

  async function made(authenticatorId: string): Promise<Made> {
    const expiresAt = inAnHour();
    const { status, body } = await reEnroll(authenticatorId, { expiresAt });
    expect(status).toBe(201);
    const { id, _links } = body.data as { id: string; _links: object };
    expect(_links).toEqual({ self: { href: `./enrollments/${id}` } });
    expect((await controller.rest('GET', `/authenticators/${authenticatorId}`)).status).toBe(404);
    const enrollment = (await controller.rest('GET', `/enrollments/${id}`)).body.data as Made;
    expect(enrollment.expiresAt).toBe(expiresAt);
    const { sub, jti, em } = decodeJwt(enrollment.jwt);
    expect([sub, jti, em]).toEqual([enrollment.identityId, enrollment.token, enrollment.method]);
    return enrollment;
  }

  test('takes a password back to updb with the same username', async () => {
    const person = await newPerson(controller);
    await expect(made(person.authenticatorId)).resolves.toMatchObject({
      method: 'updb',
      username: person.username,
      identityId: person.id,
    });
    expect((await passwordLogin(controller, person)).status).toBe(401);
  });

  test('takes a certificate of the network back to ott', async () => {
    const identityId = await newIdentity();
    const { leaf: certPem } = await networkCertificate(await keysOf(controller), identityId);
    const id = await controller.create('authenticators', { identityId, method: 'cert', certPem });
    await expect(made(id)).resolves.toMatchObject({ method: 'ott', identityId });
  });

  test('takes a certificate of another authority back to ottca', async () => {
    const root = await newAuthority('Third Party');
    const caId = await controller.create('cas', {
      name: unique('ca'),
      certPem: root.cert.toString(),
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: false,
      isOttCaEnrollmentEnabled: true,
      identityRoles: [],
    });
    const identityId = await newIdentity();
    const { cert: certPem } = await newLeaf('device', root);
    const id = await controller.create('authenticators', { identityId, method: 'cert', certPem });
    await expect(made(id)).resolves.toMatchObject({ method: 'ottca', caId, identityId });
  });

  test('changes nothing when it is refused', async () => {
    const person = await newPerson(controller);
    const body = {
      identityId: person.id,
      method: 'updb',
      username: unique('extra'),
      expiresAt: inAnHour(),
    };
    await controller.create('enrollments', body);
    expect(outcome(await reEnroll(person.authenticatorId))).toEqual([409, 'ENROLLMENT_EXISTS']);
    const past = { expiresAt: '2020-01-01T00:00:00.000Z' };
    const other = await newPerson(controller);
    expect(outcome(await reEnroll(other.authenticatorId, past))).toEqual([
      400,
      'COULD_NOT_VALIDATE',
    ]);
    expect(outcome(await reEnroll(other.authenticatorId, {}))).toEqual([400, 'COULD_NOT_VALIDATE']);
    expect(outcome(await reEnroll('nobody'))).toEqual([404, 'NOT_FOUND']);
    for (const one of [person, other]) {
      expect((await passwordLogin(controller, one)).status).toBe(200);
    }
  });
});

describe('request-extend', () => {
  const request = (id: string, body?: unknown, token = controller.token) =>
    call(controller, 'POST', `/edge/management/v1/authenticators/${id}/request-extend`, {
      ...withToken(token),
      ...(body === undefined ? {} : { body }),
    });

  async function registered(isIssuedByNetwork: boolean): Promise<string> {
    const identityId = await newIdentity();
    const { leaf: certPem } = await networkCertificate(await keysOf(controller), identityId);
    const id = await controller.create('authenticators', { identityId, method: 'cert', certPem });
    await runSql(controller, 'update authenticator set is_issued_by_network = $2 where id = $1', [
      id,
      isIssuedByNetwork,
    ]);
    return id;
  }

  test.each([
    [{ rollKeys: true }, true],
    [{ rollKeys: false }, false],
    [{}, false],
    [undefined, false],
  ])('with %j is remembered', async (body, isKeyRollRequested) => {
    const id = await registered(true);
    expect((await request(id, body)).status).toBe(200);
    const shown = await controller.rest('GET', `/authenticators/${id}`);
    expect(shown.body.data).toMatchObject({
      isExtendRequested: true,
      isKeyRollRequested,
      extendRequestedAt: expect.any(String),
    });
  });

  test('is refused for what can not be extended here', async () => {
    const person = await newPerson(controller);
    for (const id of [person.authenticatorId, await registered(false)]) {
      expect(outcome(await request(id))).toEqual([409, 'CAN_NOT_UPDATE_AUTHENTICATOR']);
    }
    expect(outcome(await request('nobody'))).toEqual([404, 'NOT_FOUND']);
    const { token } = await loggedIn(controller, person);
    expect((await request(person.authenticatorId, {}, token)).status).toBe(403);
    expect((await request(person.authenticatorId, {}, 'nonsense')).status).toBe(401);
  });
});

describe('those who may write identities and are no administrators', () => {
  test('do nothing with authenticators', async () => {
    const clerk = await newPerson(controller, { permissions: ['identity', 'enrollment'] });
    const { token } = await loggedIn(controller, clerk);
    const victim = await newPerson(controller, { isAdmin: true });
    const id = victim.authenticatorId;
    for (const [method, path, body] of [
      ['GET', '/authenticators', undefined],
      ['GET', `/authenticators/${id}`, undefined],
      ['POST', '/authenticators', { identityId: victim.id, method: 'updb' }],
      ['PUT', `/authenticators/${id}`, { username: victim.username, password: 'taken over' }],
      ['PATCH', `/authenticators/${id}`, { password: 'taken over' }],
      ['DELETE', `/authenticators/${id}`, undefined],
      ['POST', `/authenticators/${id}/re-enroll`, { expiresAt: inAnHour() }],
    ] as const) {
      const answer = await controller.rest(method, path, body, { 'zt-session': token });
      expect([method, path, ...outcome(answer)]).toEqual([method, path, 401, 'UNAUTHORIZED']);
    }
    expect((await passwordLogin(controller, victim)).status).toBe(200);
  });
});
