import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { catalog } from '../../src/resources/index.js';
import { startController, type TestController } from '../support/controller.js';
import { SampleNetwork } from './support/network.js';
import { IN_USE, NOT_FOUND, refusal } from './support/refusals.js';

/** What goes with an entity, what lets go of it, and what holds on to it. */

let controller: TestController;
let network: SampleNetwork;

beforeAll(async () => {
  controller = await startController();
  network = await new SampleNetwork(controller, catalog).build();
});
afterAll(() => controller.stop());

const read = async (path: string): Promise<Row> => (await controller.rest('GET', path)).body.data;
const statusOf = async (path: string): Promise<number> =>
  (await controller.rest('GET', path)).status;
const remove = async (path: string): Promise<void> => {
  expect((await controller.rest('DELETE', path)).status).toBe(200);
};

describe('policies let go of what is deleted', () => {
  const POLICIES = [
    ['service-policies', 'identityRoles', 'Identity', { type: 'Dial' }],
    ['service-policies', 'serviceRoles', 'Service', { type: 'Bind' }],
    ['service-policies', 'postureCheckRoles', 'PostureCheck', { type: 'Dial' }],
    ['edge-router-policies', 'identityRoles', 'Identity', {}],
    ['edge-router-policies', 'edgeRouterRoles', 'EdgeRouter', {}],
    ['service-edge-router-policies', 'serviceRoles', 'Service', {}],
    ['service-edge-router-policies', 'edgeRouterRoles', 'EdgeRouter', {}],
  ] as const;

  test.each(POLICIES)('%s lose the @id of %s', async (collection, roles, resource, more) => {
    const [gone, kept] = [await network.create(resource), await network.create(resource)];
    const policy = await controller.create(collection, {
      name: network.unique(),
      semantic: 'AnyOf',
      [roles]: [`@${gone}`, `@${kept}`, '#blue'],
      ...more,
    });
    await remove(`/${catalog.get(resource).options.path}/${gone}`);
    const after = await read(`/${collection}/${policy}`);
    expect(after[roles]).toEqual(['#blue', `@${kept}`]);
    const display = after[`${roles}Display`] as { role: string }[];
    expect(display.map(({ role }) => role)).toEqual(['#blue', `@${kept}`]);
  });

  test('nobody can name what does not exist', async () => {
    const answer = await controller.rest('POST', '/service-policies', {
      name: network.unique(),
      semantic: 'AnyOf',
      type: 'Dial',
      identityRoles: ['@nobody'],
    });
    expect(refusal(answer)).toEqual([400, 'COULD_NOT_VALIDATE', 'identityRoles']);
    expect(answer.body.error.cause?.reason).toMatch(/^no identity found with the given ids/);
    expect(answer.body.error.cause?.value).toContain('nobody');
  });
});

describe('what goes with an identity', () => {
  test('are its authenticators, enrollments, sessions and service configs', async () => {
    const id = await network.create('Identity');
    const username = network.unique();
    const authenticator = await controller.create('authenticators', {
      identityId: id,
      method: 'updb',
      username,
      password: 'a good password',
    });
    const enrollment = (await read(`/identities/${id}`)).enrollment as { ott: { id: string } };
    const login = () =>
      controller.rest('POST', '/authenticate?method=password', {
        username,
        password: 'a good password',
      });
    const session = (await login()).body.data as { id: string };
    const [serviceId, configId] = [await network.create('Service'), await network.create('Config')];
    const override = await controller.rest('POST', `/identities/${id}/service-configs`, [
      { serviceId, configId },
    ]);
    expect(override.status).toBe(200);
    await remove(`/identities/${id}`);
    expect(await statusOf(`/authenticators/${authenticator}`)).toBe(404);
    expect(await statusOf(`/enrollments/${enrollment.ott.id}`)).toBe(404);
    expect(await statusOf(`/api-sessions/${session.id}`)).toBe(404);
    expect(refusal(await login())).toEqual([401, 'INVALID_AUTH']);
    // Nothing holds the config any more.
    await remove(`/configs/${configId}`);
  });

  test('is never the default administrator', async () => {
    const { body } = await controller.rest('GET', '/identities?filter=isDefaultAdmin=true');
    const [admin] = body.data as { id: string }[];
    const answer = await controller.rest('DELETE', `/identities/${admin?.id ?? ''}`);
    expect(refusal(answer).slice(0, 2)).toEqual([400, 'ENTITY_CAN_NOT_BE_DELETED']);
  });
});

describe('what goes with a login', () => {
  test.each(['authenticators', 'api-sessions'])('is its session, with its %s', async (gone) => {
    const { id, token } = await network.login();
    const session = await read(`/api-sessions/${id}`);
    const own = () =>
      controller.rest('GET', '/current-api-session', undefined, { 'zt-session': token });
    expect((await own()).status).toBe(200);
    await remove(`/${gone}/${gone === 'api-sessions' ? id : String(session.authenticatorId)}`);
    expect((await own()).status).toBe(401);
    expect(await statusOf(`/api-sessions/${id}`)).toBe(404);
  });

  test('are the sessions for services', async () => {
    const session = await network.create('Session');
    const { apiSessionId } = await read(`/sessions/${session}`);
    await remove(`/api-sessions/${String(apiSessionId)}`);
    expect(await statusOf(`/sessions/${session}`)).toBe(404);
  });

  test('an identity has a session while any is left', async () => {
    const { id, token } = await network.login();
    const { identityId } = await read(`/api-sessions/${id}`);
    const has = async () => (await read(`/identities/${String(identityId)}`)).hasApiSession;
    expect(await has()).toBe(true);
    await controller.rest('DELETE', '/current-api-session', undefined, { 'zt-session': token });
    expect(await has()).toBe(false);
  });
});

describe('what goes with services and routers', () => {
  test('are the terminators of a service and its sessions', async () => {
    const service = await network.create('Service');
    const terminator = await controller.create('terminators', {
      service,
      router: network.idOf('EdgeRouter'),
      binding: 'edge',
      address: 'a',
    });
    await remove(`/services/${service}`);
    expect(await statusOf(`/terminators/${terminator}`)).toBe(404);
  });

  test.each(['EdgeRouter', 'TransitRouter'])('is the enrollment of a %s', async (name) => {
    const { path } = catalog.get(name).options;
    const id = await network.create(name);
    const { enrollmentToken } = await read(`/${path}/${id}`);
    const listed = async () => {
      const query = `filter=token=%22${String(enrollmentToken)}%22`;
      return (await controller.rest('GET', `/enrollments?${query}`)).body.data as Row[];
    };
    expect(await listed()).toHaveLength(1);
    await remove(`/${path}/${id}`);
    expect(await listed()).toHaveLength(0);
  });

  test('are the terminators of a router', async () => {
    const router = await network.create('EdgeRouter');
    const terminator = await controller.create('terminators', {
      service: network.idOf('Service'),
      router,
      binding: 'edge',
      address: 'a',
    });
    await remove(`/edge-routers/${router}`);
    expect(await statusOf(`/terminators/${terminator}`)).toBe(404);
  });
});

describe('what is in use', () => {
  test('a config leaves services, and is held by identities', async () => {
    const config = await network.create('Config');
    const service = await network.create('Service');
    await controller.rest('PATCH', `/services/${service}`, { configs: [config] });
    const pair = [{ serviceId: service, configId: config }];
    const overrides = `/identities/${network.idOf('Identity')}/service-configs`;
    await controller.rest('POST', overrides, pair);
    expect(refusal(await controller.rest('DELETE', `/configs/${config}`))).toEqual(IN_USE);
    const taken = await controller.rest('DELETE', overrides, pair, {
      'content-length': String(JSON.stringify(pair).length),
    });
    expect(taken.status).toBe(200);
    await remove(`/configs/${config}`);
    expect((await read(`/services/${service}`)).configs).toEqual([]);
  });

  test('a config type is held by its configs', async () => {
    const type = await network.create('ConfigType');
    const config = await controller.create('configs', {
      name: network.unique(),
      configTypeId: type,
      data: {},
    });
    expect(refusal(await controller.rest('DELETE', `/config-types/${type}`))).toEqual(IN_USE);
    await remove(`/configs/${config}`);
    await remove(`/config-types/${type}`);
  });

  test('an auth policy is held by its identities', async () => {
    const policy = await network.create('AuthPolicy');
    const identity = await network.create('Identity');
    await controller.rest('PATCH', `/identities/${identity}`, { authPolicyId: policy });
    expect(refusal(await controller.rest('DELETE', `/auth-policies/${policy}`))).toEqual(IN_USE);
    await controller.rest('PATCH', `/identities/${identity}`, { authPolicyId: '' });
    await remove(`/auth-policies/${policy}`);
  });

  test('the default auth policy is always held, and can be changed', async () => {
    expect(refusal(await controller.rest('DELETE', '/auth-policies/default'))).toEqual(IN_USE);
    const changed = await controller.rest('PATCH', '/auth-policies/default', { tags: { a: 1 } });
    expect(changed.status).toBe(200);
  });

  test.each(['primary', 'secondary'])(
    'a signer is held by the %s of an auth policy',
    async (part) => {
      const signer = await network.create('ExternalJwtSigner');
      const policy = await network.create('AuthPolicy');
      const uses =
        part === 'primary'
          ? { primary: { extJwt: { allowedSigners: [signer] } } }
          : { secondary: { requireExtJwtSigner: signer } };
      expect((await controller.rest('PATCH', `/auth-policies/${policy}`, uses)).status).toBe(200);
      const path = `/external-jwt-signers/${signer}`;
      expect(refusal(await controller.rest('DELETE', path))).toEqual(IN_USE);
      await remove(`/auth-policies/${policy}`);
      await remove(path);
    },
  );

  test('an auth policy is held by a signer that enrolls into it', async () => {
    const policy = await network.create('AuthPolicy');
    const signer = await network.create('ExternalJwtSigner');
    const path = `/external-jwt-signers/${signer}`;
    await controller.rest('PATCH', path, { enrollAuthPolicyId: policy });
    expect(refusal(await controller.rest('DELETE', `/auth-policies/${policy}`))).toEqual(IN_USE);
    await remove(path);
    await remove(`/auth-policies/${policy}`);
  });

  test('a certificate authority is not: its outstanding enrollments go with it', async () => {
    const ca = await network.create('CertificateAuthority');
    const identity = await controller.create('identities', {
      name: network.unique(),
      type: 'Device',
      isAdmin: false,
      enrollment: { ottca: ca },
    });
    await remove(`/cas/${ca}`);
    expect((await read(`/identities/${identity}`)).enrollment).toEqual({});
    expect(refusal(await controller.rest('GET', `/cas/${ca}`))).toEqual(NOT_FOUND);
  });
});
