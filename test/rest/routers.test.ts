import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Row } from '../../src/base/row.js';
import { startController, type TestController } from '../support/controller.js';
import { eventually } from '../support/eventually.js';
import { invalid, NOT_FOUND, refusal } from './support/refusals.js';

let controller: TestController;
let count = 0;
const unique = (): string => `router ${String(++count)}`;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());

const read = async (path: string): Promise<Row> => (await controller.rest('GET', path)).body.data;
const statusOf = async (path: string): Promise<number> =>
  (await controller.rest('GET', path)).status;

describe('a new router', () => {
  test.each([
    ['edge-routers', 'erott'],
    ['transit-routers', 'trott'],
    ['routers', 'trott'],
  ])('of %s waits for its enrollment by %s', async (collection, em) => {
    const id = await controller.create(collection, { name: unique() });
    const router = await read(`/${collection}/${id}`);
    expect(router).toMatchObject({
      isVerified: false,
      isOnline: false,
      disabled: false,
      noTraversal: false,
      cost: 0,
      fingerprint: null,
      unverifiedFingerprint: null,
      unverifiedCertPem: null,
    });
    const claims = decodeJwt(String(router.enrollmentJwt));
    expect(claims).toMatchObject({ em, sub: id, jti: router.enrollmentToken });
    const expires = new Date(String(router.enrollmentExpiresAt)).getTime();
    const lifetime = expires - new Date(String(router.enrollmentCreatedAt)).getTime();
    expect(Math.round(lifetime / 60_000)).toBe(180);
    expect(claims.exp).toBe(Math.floor(expires / 1000));
  });

  test('is the same under /routers and /transit-routers', async () => {
    const id = await controller.create('transit-routers', { name: unique() });
    expect((await read(`/routers/${id}`)).name).toBe((await read(`/transit-routers/${id}`)).name);
    expect(await statusOf(`/edge-routers/${id}`)).toBe(404);
  });

  test.each(['routers', 'transit-routers'])('of either kind is listed by /%s', async (path) => {
    const edge = await controller.create('edge-routers', { name: unique() });
    const transit = await controller.create('transit-routers', { name: unique() });
    const filter = `id in ["${edge}","${transit}"] sort by isEdge desc`;
    const listed = await read(`/${path}?filter=${encodeURIComponent(filter)}`);
    expect(listed).toMatchObject(
      [edge, transit].map((id) => ({ id, _links: { self: { href: `./transit-routers/${id}` } } })),
    );
    expect(await read(`/${path}/${edge}`)).toEqual((listed as unknown as Row[])[0]);
  });

  test.each(['routers', 'transit-routers'])(
    'of either kind is deleted by /%s with what depends on it',
    async (path) => {
      const edge = await controller.create('edge-routers', {
        name: unique(),
        isTunnelerEnabled: true,
      });
      const transit = await controller.create('transit-routers', { name: unique() });
      for (const id of [edge, transit]) {
        expect((await controller.rest('DELETE', `/${path}/${id}`)).status).toBe(200);
        expect(refusal(await controller.rest('DELETE', `/${path}/${id}`))).toEqual(NOT_FOUND);
      }
      expect(await statusOf(`/edge-routers/${edge}`)).toBe(404);
      expect(await statusOf(`/identities/${edge}`)).toBe(404);
    },
  );

  test.each(['routers', 'transit-routers'])(
    'that is an edge router is not changed by /%s',
    async (path) => {
      const id = await controller.create('edge-routers', { name: unique() });
      const before = await read(`/edge-routers/${id}`);
      for (const method of ['PUT', 'PATCH']) {
        const answer = await controller.rest(method, `/${path}/${id}`, { name: unique() });
        expect(refusal(answer).slice(0, 2)).toEqual([409, 'CAN_NOT_UPDATE_ROUTER']);
      }
      expect(await read(`/edge-routers/${id}`)).toEqual(before);
    },
  );

  test('lets go of a deleted config once, and is logged as what it is', async () => {
    const configTypeId = await controller.create('config-types', {
      name: unique(),
      schema: { type: 'object' },
      target: 'router',
    });
    const config = await controller.create('configs', { name: unique(), configTypeId, data: {} });
    const id = await controller.create('edge-routers', { name: unique(), configs: [config] });
    await controller.rest('DELETE', `/configs/${config}`);
    const path = `/changes?filter=${encodeURIComponent(`entityId = "${id}"`)}`;
    await eventually(async () => {
      const types = ((await read(path)) as unknown as Row[]).map(({ type }) => type);
      expect(types).toEqual(['EdgeRouter', 'EdgeRouter']);
    });
  });

  test.each([-1, 65536, 1.5, 'x'])('has no cost of %j', async (cost) => {
    const answer = await controller.rest('POST', '/edge-routers', { name: unique(), cost });
    expect(refusal(answer)).toEqual(invalid('cost'));
  });
});

describe('a tunneler-enabled router', () => {
  const enabled = async (): Promise<{ id: string; name: string }> => {
    const name = unique();
    return {
      id: await controller.create('edge-routers', { name, isTunnelerEnabled: true }),
      name,
    };
  };

  test('is an identity too, with a system policy that lets it use itself', async () => {
    const { id, name } = await enabled();
    const identity = await read(`/identities/${id}`);
    expect(identity).toMatchObject({ id, name, typeId: 'Router', type: { name: 'Router' } });
    expect(await read(`/edge-router-policies/${id}`)).toMatchObject({
      name: `edge-router-${id}-system`,
      semantic: 'AnyOf',
      isSystem: true,
      edgeRouterRoles: [`@${id}`],
      identityRoles: [`@${id}`],
    });
  });

  test('its policy can not be changed or deleted', async () => {
    const { id } = await enabled();
    const path = `/edge-router-policies/${id}`;
    const body = { name: 'a', semantic: 'AnyOf' };
    expect(refusal(await controller.rest('PATCH', path, { tags: { a: 1 } }))).toEqual([
      400,
      'ENTITY_CAN_NOT_BE_UPDATED',
    ]);
    expect(refusal(await controller.rest('PUT', path, body))).toEqual([
      400,
      'ENTITY_CAN_NOT_BE_UPDATED',
    ]);
    expect(refusal(await controller.rest('DELETE', path))).toEqual([
      400,
      'ENTITY_CAN_NOT_BE_DELETED',
    ]);
  });

  test('its identity keeps name and type, and can not be deleted', async () => {
    const { id, name } = await enabled();
    const path = `/identities/${id}`;
    expect(refusal(await controller.rest('PATCH', path, { name: unique() }))).toEqual(
      invalid('name'),
    );
    expect(refusal(await controller.rest('PATCH', path, { type: 'Device' }))).toEqual(
      invalid('typeId'),
    );
    expect(refusal(await controller.rest('DELETE', path)).slice(0, 2)).toEqual([
      400,
      'ENTITY_CAN_NOT_BE_DELETED',
    ]);
    const changed = await controller.rest('PUT', path, {
      name,
      type: 'Router',
      isAdmin: false,
      roleAttributes: ['tunneler'],
      tags: { a: 1 },
    });
    expect(changed.status).toBe(200);
    expect(await read(path)).toMatchObject({ name, roleAttributes: ['tunneler'], tags: { a: 1 } });
  });

  test('no other identity becomes a router', async () => {
    const id = await controller.create('identities', {
      name: unique(),
      type: 'Device',
      isAdmin: false,
    });
    const answer = await controller.rest('PATCH', `/identities/${id}`, { type: 'Router' });
    expect(refusal(answer)).toEqual(invalid('typeId'));
  });

  test('takes its identity along when it is renamed', async () => {
    const { id } = await enabled();
    const name = unique();
    await controller.rest('PATCH', `/edge-routers/${id}`, { name });
    expect((await read(`/identities/${id}`)).name).toBe(name);
  });

  test.each([
    ['PATCH', { isTunnelerEnabled: false }],
    ['PUT', { name: 'switched off' }],
    ['DELETE', undefined],
  ])('loses identity and policy by %s %j', async (method, body) => {
    const { id } = await enabled();
    const answer = await controller.rest(method, `/edge-routers/${id}`, body);
    expect(answer.status).toBe(200);
    expect(await statusOf(`/identities/${id}`)).toBe(404);
    expect(await statusOf(`/edge-router-policies/${id}`)).toBe(404);
  });

  test('can be switched on and off again', async () => {
    const id = await controller.create('edge-routers', { name: unique() });
    expect(await statusOf(`/identities/${id}`)).toBe(404);
    for (const [isTunnelerEnabled, status] of [
      [true, 200],
      [false, 404],
      [true, 200],
    ] as const) {
      const path = `/edge-routers/${id}`;
      expect((await controller.rest('PATCH', path, { isTunnelerEnabled })).status).toBe(200);
      expect(await statusOf(`/identities/${id}`)).toBe(status);
      expect(await statusOf(`/edge-router-policies/${id}`)).toBe(status);
    }
  });

  test('is refused when an identity has its name', async () => {
    const name = unique();
    await controller.create('identities', { name, type: 'Device', isAdmin: false });
    const created = await controller.rest('POST', '/edge-routers', {
      name,
      isTunnelerEnabled: true,
    });
    expect(refusal(created)).toEqual(invalid('name'));
    const id = await controller.create('edge-routers', { name });
    const switched = await controller.rest('PATCH', `/edge-routers/${id}`, {
      isTunnelerEnabled: true,
    });
    expect(refusal(switched)).toEqual(invalid('name'));
    expect((await read(`/edge-routers/${id}`)).isTunnelerEnabled).toBe(false);
  });
});

describe.each(['edge-routers', 'transit-routers'])(
  'control channel listeners of %s',
  (collection) => {
    test('are set, replaced and cleared', async () => {
      const one = { 'tls:a.example.com:6262': ['default'] };
      const two = { 'tls:b.example.com:6262': ['default', 'far'], 'tls:c.example.com:1': [] };
      const id = await controller.create(collection, { name: unique() });
      const path = `/${collection}/${id}`;
      expect((await read(path)).ctrlChanListeners).toEqual({});
      for (const ctrlChanListeners of [one, two, {}]) {
        expect((await controller.rest('PATCH', path, { ctrlChanListeners })).status).toBe(200);
        expect((await read(path)).ctrlChanListeners).toEqual(ctrlChanListeners);
      }
    });

    test('are lists of groups', async () => {
      const answer = await controller.rest('POST', `/${collection}`, {
        name: unique(),
        ctrlChanListeners: { 'tls:a:1': 'default' },
      });
      expect(answer.status).toBe(400);
    });
  },
);

describe.each(['edge-routers', 'transit-routers', 'routers'])('configs of %s', (collection) => {
  const configOf = (configTypeId: string, data: object): Promise<string> =>
    controller.create('configs', { name: unique(), configTypeId, data });
  const LINK = 'router.link.v1';

  test('are those for routers, one of each type', async () => {
    const link = await configOf(LINK, {});
    const other = await configOf(LINK, {});
    const hosting = await configOf('NH5p4FpGR', { protocol: 'tcp', address: 'a', port: 1 });
    const id = await controller.create(collection, { name: unique(), configs: [link] });
    const path = `/${collection}/${id}`;
    expect((await read(path)).configs).toEqual([link]);
    for (const configs of [[hosting], [link, other]]) {
      const changed = await controller.rest('PATCH', path, { configs });
      expect(refusal(changed)).toEqual(invalid('configs'));
      const created = await controller.rest('POST', `/${collection}`, { name: unique(), configs });
      expect(refusal(created)).toEqual(invalid('configs'));
    }
    const unknown = await controller.rest('PATCH', path, { configs: ['nothing'] });
    expect(refusal(unknown)).toEqual(NOT_FOUND);
    expect((await controller.rest('PATCH', path, { configs: [other] })).status).toBe(200);
    expect((await read(path)).configs).toEqual([other]);
    expect((await controller.rest('DELETE', `/configs/${other}`)).status).toBe(200);
    expect((await read(path)).configs).toEqual([]);
  });
});
