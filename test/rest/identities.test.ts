import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Row } from '../../src/base/row.js';
import { startController, type TestController } from '../support/controller.js';
import { invalid, NOT_FOUND, refusal } from './support/refusals.js';

const PASSWORD = 'a good password';

let controller: TestController;
let count = 0;
const unique = (): string => `identity ${String(++count)}`;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());

const body = (more: Row = {}): Row => ({
  name: unique(),
  type: 'Device',
  isAdmin: false,
  ...more,
});
const post = (more: Row) => controller.rest('POST', '/identities', body(more));
const create = (more: Row = {}): Promise<string> => controller.create('identities', body(more));
const patch = (id: string, change: Row, token = controller.token) =>
  controller.rest('PATCH', `/identities/${id}`, change, { 'zt-session': token });
const read = async (id: string): Promise<Row> =>
  (await controller.rest('GET', `/identities/${id}`)).body.data;

const login = (username: string) =>
  controller.rest('POST', '/authenticate?method=password', { username, password: PASSWORD });

/** An identity that can log in, and a token of it. */
async function loggedIn(more: Row = {}): Promise<{ id: string; username: string; token: string }> {
  const username = unique();
  const id = await create(more);
  await controller.create('authenticators', {
    identityId: id,
    method: 'updb',
    username,
    password: PASSWORD,
  });
  const { token } = (await login(username)).body.data as { token: string };
  return { id, username, token };
}

describe('the type of an identity', () => {
  test.each(['User', 'Device', 'Service', 'Router', 'Default'])(
    'is Default when %s is asked for',
    async (type) => {
      const id = await create({ type });
      expect(await read(id)).toMatchObject({
        typeId: 'Default',
        type: { id: 'Default', name: 'Default', entity: 'identity-types' },
      });
    },
  );

  test('is nothing else', async () => {
    expect(refusal(await post({ type: 'Robot' }))).toEqual(invalid('type'));
  });
});

describe('the auth policy of an identity', () => {
  test.each([undefined, '', null])('is the default for %j', async (authPolicyId) => {
    expect(await read(await create({ authPolicyId }))).toMatchObject({
      authPolicyId: 'default',
      authPolicy: { id: 'default', name: 'Default', entity: 'auth-policies' },
    });
  });

  test('must exist', async () => {
    const answer = await post({ authPolicyId: 'nothing' });
    expect(refusal(answer)).toEqual(NOT_FOUND);
    expect(answer.body.error.cause?.message).toBe('authPolicy with id nothing not found');
    expect(refusal(await patch(await create(), { authPolicyId: 'nothing' }))).toEqual(NOT_FOUND);
  });
});

describe('role attributes', () => {
  test('are a set in byte order', async () => {
    const id = await create({ roleAttributes: ['b', 'a b', 'B', 'é', 'b'] });
    expect((await read(id)).roleAttributes).toEqual(['B', 'a b', 'b', 'é']);
    await patch(id, { roleAttributes: [] });
    expect((await read(id)).roleAttributes).toEqual([]);
  });

  test.each(['#a', '@a'])('do not begin like %s', async (attribute) => {
    expect(refusal(await post({ roleAttributes: [attribute] }))).toEqual(invalid('roleAttributes'));
    const changed = await patch(await create(), { roleAttributes: [attribute] });
    expect(refusal(changed)).toEqual(invalid('roleAttributes'));
  });
});

describe('external ids', () => {
  test('are unique, and blank is none', async () => {
    const [first, second] = [await create({ externalId: '' }), await create({ externalId: '' })];
    expect((await read(first)).externalId).toBeNull();
    expect((await patch(first, { externalId: 'known elsewhere' })).status).toBe(200);
    expect((await read(first)).externalId).toBe('known elsewhere');
    const taken = { externalId: 'known elsewhere' };
    expect(refusal(await patch(second, taken))).toEqual(invalid('externalId'));
    expect(refusal(await post(taken))).toEqual(invalid('externalId'));
    expect((await patch(first, { externalId: '' })).status).toBe(200);
    expect((await read(first)).externalId).toBeNull();
  });
});

describe('hosting values', () => {
  test('are kept by service', async () => {
    const service = await controller.create('services', {
      name: unique(),
      encryptionRequired: true,
    });
    const hosting = {
      defaultHostingCost: 65535,
      defaultHostingPrecedence: 'required',
      serviceHostingCosts: { [service]: 7 },
      serviceHostingPrecedences: { [service]: 'failed' },
    };
    const id = await create(hosting);
    expect(await read(id)).toMatchObject(hosting);
    await controller.rest('PUT', `/identities/${id}`, body());
    expect(await read(id)).toMatchObject({
      defaultHostingCost: 0,
      defaultHostingPrecedence: 'default',
      serviceHostingCosts: {},
      serviceHostingPrecedences: {},
    });
  });

  test.each([
    [{ defaultHostingCost: 65536 }, 'defaultHostingCost'],
    [{ defaultHostingCost: -1 }, 'defaultHostingCost'],
    [{ defaultHostingPrecedence: 'first' }, 'defaultHostingPrecedence'],
    [{ serviceHostingCosts: { x: 65536 } }, 'serviceHostingCosts.x'],
    [{ serviceHostingPrecedences: { x: 'first' } }, 'serviceHostingPrecedences.x'],
  ])('are not %j', async (hosting, field) => {
    expect(refusal(await post(hosting))).toEqual(invalid(field));
    expect(refusal(await patch(await create(), hosting))).toEqual(invalid(field));
  });

  test.each([{ serviceHostingCosts: { x: 1 } }, { serviceHostingPrecedences: { x: 'default' } }])(
    'are for services that exist: %j',
    async (hosting) => {
      expect(refusal(await post(hosting))).toEqual(NOT_FOUND);
    },
  );
});

describe('the enrollment of a new identity', () => {
  let ca: string;
  beforeAll(async () => {
    const { certificatePem } = await import('./support/certificates.js');
    ca = await controller.create('cas', {
      name: unique(),
      certPem: await certificatePem('enrolling'),
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: false,
      isOttCaEnrollmentEnabled: true,
      identityRoles: [],
    });
  });

  const asked = (methods: readonly string[]): Row =>
    Object.fromEntries(
      methods.map((m) => [m, { ott: true, ottca: ca, updb: unique() }[m] as unknown]),
    );

  test.each([
    [['ott'], 'ott'],
    [['ottca'], 'ottca'],
    [['updb'], 'updb'],
    [['updb', 'ottca'], 'ottca'],
    [['updb', 'ottca', 'ott'], 'ott'],
  ])('is, of %j, the one by %s', async (methods, method) => {
    const id = await create({ enrollment: asked(methods) });
    const { enrollment } = await read(id);
    expect(Object.keys(enrollment as Row)).toEqual([method]);
    const {
      id: enrollmentId,
      token,
      jwt,
      expiresAt,
    } = (enrollment as Record<string, Row>)[method] ?? {};
    expect(decodeJwt(String(jwt))).toMatchObject({
      em: method,
      sub: id,
      jti: token,
      iss: `https://localhost:${String(controller.port)}`,
      exp: Math.floor(new Date(String(expiresAt)).getTime() / 1000),
    });
    const listed = await controller.rest('GET', `/identities/${id}/enrollments`);
    expect(listed.body.data).toMatchObject([{ id: enrollmentId, method, token }]);
  });

  test('may be left out', async () => {
    for (const enrollment of [undefined, null, {}, { ott: false }]) {
      expect((await read(await create({ enrollment }))).enrollment).toEqual({});
    }
  });

  test('names an authority that exists', async () => {
    const answer = await post({ enrollment: { ottca: 'nothing' } });
    expect(answer.status).toBe(400);
  });
});

describe('what an update leaves alone', () => {
  test('are login, enrollments and the mark of the first administrator', async () => {
    const { id } = await loggedIn({ enrollment: { ott: true } });
    const before = await read(id);
    const ignored = {
      isDefaultAdmin: true,
      authenticators: {},
      enrollment: {},
      disabled: true,
      hasApiSession: false,
    };
    const put = await controller.rest('PUT', `/identities/${id}`, body(ignored));
    expect(put.status).toBe(200);
    expect((await patch(id, ignored)).status).toBe(200);
    const after = await read(id);
    for (const name of Object.keys(ignored))
      expect([name, after[name]]).toEqual([name, before[name]]);
    expect(after.isDefaultAdmin).toBe(false);
    expect(after.disabled).toBe(false);
  });

  test('are the rights of the first administrator', async () => {
    const admins = await controller.rest('GET', '/identities?filter=isDefaultAdmin=true');
    const [{ id, name }] = admins.body.data as unknown as [{ id: string; name: string }];
    for (const [method, sent] of [
      ['PATCH', { isAdmin: false }],
      ['PUT', { name, type: 'Default', isAdmin: false }],
    ] as const) {
      const { status, body: refused } = await controller.rest(method, `/identities/${id}`, sent);
      expect([status, refused]).toMatchObject([400, { error: { cause: { field: 'isAdmin' } } }]);
    }
    expect(await read(id)).toMatchObject({ isAdmin: true });
    expect((await patch(id, { isAdmin: true })).status).toBe(200);
  });

  test('are the values that a PATCH does not send', async () => {
    const id = await create({ roleAttributes: ['a'], appData: { b: [1, { c: null }] } });
    const before = await read(id);
    for (const isAdmin of [true, false]) {
      expect((await patch(id, { isAdmin })).status).toBe(200);
      const { name, typeId, roleAttributes, appData } = before;
      expect(await read(id)).toMatchObject({ isAdmin, name, typeId, roleAttributes, appData });
    }
    await controller.rest('PUT', `/identities/${id}`, body());
    expect(await read(id)).toMatchObject({ roleAttributes: [], appData: {} });
  });
});

describe('a disabled identity', () => {
  const disable = (id: string, durationMinutes: number) =>
    controller.rest('POST', `/identities/${id}/disable`, { durationMinutes });

  test('loses its sessions and can not log in until it is enabled', async () => {
    const { id, username, token } = await loggedIn();
    const answer = await disable(id, 0);
    expect([answer.status, answer.body.data]).toEqual([200, {}]);
    expect(await read(id)).toMatchObject({
      disabled: true,
      disabledAt: expect.any(String),
      disabledUntil: null,
    });
    const own = await controller.rest('GET', '/current-identity', undefined, {
      'zt-session': token,
    });
    expect(own.status).toBe(401);
    expect(refusal(await login(username))).toEqual([401, 'INVALID_AUTH']);
    const enabled = await controller.rest('POST', `/identities/${id}/enable`);
    expect([enabled.status, enabled.body.data]).toEqual([200, {}]);
    expect(await read(id)).toMatchObject({
      disabled: false,
      disabledAt: null,
      disabledUntil: null,
    });
    expect((await login(username)).status).toBe(200);
  });

  test('is so for some minutes, or until enabled', async () => {
    const id = await create();
    await disable(id, 5);
    const { disabledAt, disabledUntil } = await read(id);
    const minutes =
      (new Date(String(disabledUntil)).getTime() - new Date(String(disabledAt)).getTime()) / 60_000;
    expect(minutes).toBe(5);
    await disable(id, -1);
    expect((await read(id)).disabledUntil).toBeNull();
  });
});

describe('permissions', () => {
  test('are names that are known, each once', async () => {
    const id = await create({ permissions: ['service', 'identity.read', 'service'] });
    expect((await read(id)).permissions).toEqual(['identity.read', 'service']);
    for (const permission of ['everything', 'identity.write', 'authenticator', 'ops.create', '']) {
      const answer = await post({ permissions: [permission] });
      expect(refusal(answer)).toEqual(invalid('permissions'));
    }
  });

  test.each([
    [[], { read: 401, create: 401, update: 401, delete: 401 }],
    [['admin_readonly'], { read: 200, create: 401, update: 401, delete: 401 }],
    [['service'], { read: 200, create: 201, update: 200, delete: 200 }],
    [['service.read'], { read: 200, create: 401, update: 401, delete: 401 }],
    [['service.create'], { read: 401, create: 201, update: 401, delete: 401 }],
    [['service.update'], { read: 401, create: 401, update: 200, delete: 401 }],
    [['service.delete'], { read: 401, create: 401, update: 401, delete: 200 }],
    [['identity', 'router'], { read: 401, create: 401, update: 401, delete: 401 }],
  ])('%j open %j of services', async (permissions, expected) => {
    const { token } = await loggedIn({ permissions });
    const as = async (method: string, path: string, sent?: Row): Promise<number> =>
      (await controller.rest(method, path, sent, { 'zt-session': token })).status;
    const service = { name: unique(), encryptionRequired: true };
    const id = await controller.create('services', service);
    expect({
      read: await as('GET', '/config-types').then(() => as('GET', '/service-role-attributes')),
      create: await as('POST', '/services', { ...service, name: unique() }),
      update: await as('PATCH', `/services/${id}`, {}),
      delete: await as('DELETE', `/services/${id}`),
    }).toEqual(expected);
  });

  describe('for identities', () => {
    let clerk: string;
    let admin: string;
    beforeAll(async () => {
      clerk = (await loggedIn({ permissions: ['identity', 'enrollment'] })).token;
      admin = await create({ isAdmin: true });
    });

    test('do not make administrators or give permissions', async () => {
      const as = (more: Row) =>
        controller.rest('POST', '/identities', body(more), { 'zt-session': clerk });
      expect((await as({})).status).toBe(201);
      expect(refusal(await as({ isAdmin: true }))).toEqual([401, 'UNAUTHORIZED']);
      expect(refusal(await as({ permissions: ['service'] }))).toEqual([401, 'UNAUTHORIZED']);
      const id = await create();
      expect((await patch(id, { tags: { a: 1 } }, clerk)).status).toBe(200);
      expect((await patch(id, { isAdmin: true }, clerk)).status).toBe(401);
      expect((await patch(id, { permissions: ['service'] }, clerk)).status).toBe(401);
    });

    test('do not reach administrators', async () => {
      expect((await patch(admin, { tags: { a: 1 } }, clerk)).status).toBe(401);
      const deleted = await controller.rest('DELETE', `/identities/${admin}`, undefined, {
        'zt-session': clerk,
      });
      expect(deleted.status).toBe(401);
      const enrolled = await controller.rest(
        'POST',
        '/enrollments',
        {
          identityId: admin,
          method: 'ott',
          expiresAt: new Date(Date.now() + 60_000).toISOString(),
        },
        { 'zt-session': clerk },
      );
      expect(enrolled.status).toBe(401);
      const disabled = await controller.rest(
        'POST',
        `/identities/${admin}/disable`,
        { durationMinutes: 1 },
        { 'zt-session': clerk },
      );
      expect(disabled.status).toBe(401);
    });

    test('work by PATCH alone', async () => {
      const path = `/identities/${await create()}`;
      const answer = await controller.rest('PUT', path, body(), { 'zt-session': clerk });
      expect(refusal(answer)).toEqual([401, 'UNAUTHORIZED']);
    });

    test('do not reach authenticators', async () => {
      const answer = await controller.rest('GET', '/authenticators', undefined, {
        'zt-session': clerk,
      });
      expect(refusal(answer)).toEqual([401, 'UNAUTHORIZED']);
    });
  });
});
