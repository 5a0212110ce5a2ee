import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { made, Traffic } from '../network/control/traffic-network.js';
import { eventually } from '../support/eventually.js';
import { TestRouter, type EnrolledRouter } from '../support/test-router.js';

/* The fabric interface with routers that are connected. */

let net: Traffic;

beforeAll(async () => {
  net = await Traffic.start();
});
afterAll(() => net.stop());
beforeEach(() => net.begin());
afterEach(() => net.end());

const FABRIC = '/fabric/v1';

async function read(path: string): Promise<unknown> {
  const { status, body } = await net.controller.rest('GET', `${FABRIC}/${path}`);
  expect(status).toBe(200);
  return body.data;
}

const reference = (entity: string, id: string, name: string) => ({
  _links: { self: { href: `./${entity}/${id}` } },
  entity,
  id,
  name,
});

const routerReference = ({ id, name }: EnrolledRouter) => reference('routers', id, name);

describe('of a circuit over two routers', () => {
  test('the circuit names its session, service, terminator and path', async () => {
    const { other, linkId, circuitId } = await net.overLink();
    const { name } = (await read(`services/${net.serviceId}`)) as { name: string };
    const { value: circuit } = await eventually(() => read(`circuits/${circuitId}`));
    const [terminator] = (await read(`routers/${other.id}/terminators`)) as { id: string }[];
    const { id: terminatorId } = terminator ?? { id: '' };
    expect(circuit).toEqual({
      _links: { self: { href: `./circuits/${circuitId}` } },
      id: circuitId,
      createdAt: expect.stringMatching(/^\d{4}-/) as unknown,
      updatedAt: expect.stringMatching(/^\d{4}-/) as unknown,
      tags: {
        serviceId: net.serviceId,
        clientId: net.dialer.identityId,
        hostId: net.host.identityId,
      },
      clientId: net.dial.id,
      service: reference('services', net.serviceId, name),
      terminator: reference('terminators', terminatorId, terminatorId),
      path: {
        nodes: [routerReference(net.router.enrolled), routerReference(other.enrolled)],
        links: [reference('links', linkId, linkId)],
      },
    });
  });

  test('the link has latencies in nanoseconds, and neither times nor links of its own', async () => {
    const { other, linkId } = await net.overLink();
    const { value: link } = await eventually(() => read(`links/${linkId}`));
    expect(link).toEqual({
      id: linkId,
      protocol: 'tls',
      sourceRouter: routerReference(net.router.enrolled),
      destRouter: routerReference(other.enrolled),
      state: 'Connected',
      down: false,
      staticCost: 1,
      sourceLatency: 65_000_000_000,
      destLatency: 65_000_000_000,
      cost: 130_001,
      iteration: 1,
      connections: [],
    });
    const filter = encodeURIComponent(
      `destRouter = "${other.id}" and sourceLatency > 64999999999 sort by cost desc`,
    );
    expect(await read(`links?filter=${filter}`)).toEqual([link]);
  });

  test('lists find it by what clients filter', async () => {
    const { circuitId } = await net.overLink();
    for (const filter of [
      `service = "${net.serviceId}"`,
      `clientId = "${net.dial.id}"`,
      `id = "${circuitId}" sort by createdAt`,
    ]) {
      await eventually(async () => {
        const circuits = await read(`circuits?filter=${encodeURIComponent(filter)}`);
        expect(circuits).toEqual([expect.objectContaining({ id: circuitId })]);
      });
    }
  });

  test('deleting the circuit cuts it, whatever the body says', async () => {
    const { other, circuitId } = await net.overLink();
    await eventually(() => read(`circuits/${circuitId}`));
    const { status, body } = await net.controller.send<{ data: unknown }>(
      'DELETE',
      `${FABRIC}/circuits/${circuitId}`,
      {
        body: '{"immediate":false}',
        headers: { 'content-length': '19', 'zt-session': net.controller.token },
      },
    );
    expect([status, body.data]).toEqual([200, {}]);
    for (const at of [net.router, other]) {
      await eventually(() => {
        expect(at.unroutes).toEqual([{ circuitId, now: true }]);
      });
    }
  });

  test('a link is taken out of use', async () => {
    const { linkId, circuitId } = await net.overLink();
    await eventually(() => read(`links/${linkId}`));
    const { status } = await net.controller.rest('PATCH', `${FABRIC}/links/${linkId}`, {
      down: true,
      staticCost: 7,
    });
    expect(status).toBe(200);
    expect(await read(`links/${linkId}`)).toMatchObject({ down: true, staticCost: 7 });
    await eventually(() => {
      expect(net.router.unroutes).toEqual([{ circuitId, now: true }]);
    });
  });
});

test('a path of one router has no links', async () => {
  await net.bind(net.router);
  const { circuitId } = made(await net.router.dial(net.dial));
  await eventually(async () => {
    expect(await read(`circuits/${circuitId}`)).toMatchObject({
      path: { nodes: [routerReference(net.router.enrolled)], links: null },
    });
  });
});

describe('a router', () => {
  test('shows its software and link listeners while it is connected', async () => {
    const { id } = net.router;
    await eventually(async () => {
      expect(await read(`routers/${id}`)).toMatchObject({
        connected: true,
        listenerAddresses: [],
        interfaces: null,
        versionInfo: { version: 'v1.6.20' },
        _links: {
          self: { href: `./routers/${id}` },
          terminators: { href: `./routers/${id}/terminators` },
        },
      });
    });
    await net.router.router.close();
    await eventually(async () => {
      const router = await read(`routers/${id}`);
      expect(router).toMatchObject({ connected: false, listenerAddresses: null });
      expect(router).not.toHaveProperty('versionInfo');
    });
  });

  test('with a fingerprint of its own connects without an enrollment', async () => {
    // The certificate of another router, which is gone.
    const { enrolled } = net.router;
    const { fingerprint } = (await read(`routers/${enrolled.id}`)) as { fingerprint: string };
    await net.controller.rest('DELETE', `${FABRIC}/routers/${enrolled.id}`);
    const created = await net.controller.rest('POST', `${FABRIC}/routers`, {
      id: enrolled.id,
      name: 'known by its certificate',
      fingerprint,
      cost: 5,
      noTraversal: true,
    });
    expect([created.status, created.body.data]).toEqual([
      201,
      { _links: { self: { href: `./routers/${enrolled.id}` } }, id: enrolled.id },
    ]);
    const { value: router } = await eventually(() =>
      TestRouter.connect(net.controller.port, enrolled),
    );
    await eventually(async () => {
      expect(await read(`routers/${enrolled.id}`)).toMatchObject({
        connected: true,
        cost: 5,
        noTraversal: true,
      });
    });
    await router.close();
  });

  test.each([
    ['fingerprint', { fingerprint: 'ABC' }],
    ['id', { id: 'not / an id' }],
  ])('with a wrong %s is refused', async (field, wrong) => {
    const body = { id: 'wrong', name: 'wrong', cost: 0, noTraversal: false, ...wrong };
    const answer = await net.controller.rest('POST', `${FABRIC}/routers`, body);
    expect([answer.status, answer.body.error.cause?.field]).toEqual([400, field]);
  });

  test('is changed, and keeps what this interface does not show', async () => {
    const { id } = net.router;
    const change = { name: 'renamed', fingerprint: null, cost: 12, noTraversal: true };
    const { status } = await net.controller.rest('PATCH', `${FABRIC}/routers/${id}`, change);
    expect(status).toBe(200);
    await eventually(async () => {
      const { body } = await net.controller.rest('GET', `/edge-routers/${id}`);
      expect(body.data).toMatchObject({
        name: 'renamed',
        cost: 12,
        noTraversal: true,
        isOnline: true,
        roleAttributes: ['open'],
      });
    });
  });
});

test('a service keeps its role attributes and configs when it is replaced', async () => {
  await net.controller.rest('PATCH', `/services/${net.serviceId}`, { roleAttributes: ['kept'] });
  const { status } = await net.controller.rest('PUT', `${FABRIC}/services/${net.serviceId}`, {
    name: 'replaced',
    maxIdleTimeMillis: 500,
  });
  expect(status).toBe(200);
  const { body } = await net.controller.rest('GET', `/services/${net.serviceId}`);
  expect(body.data).toMatchObject({
    name: 'replaced',
    roleAttributes: ['kept'],
    encryptionRequired: false,
    terminatorStrategy: 'smartrouting',
  });
  expect(await read(`services/${net.serviceId}`)).toMatchObject({ maxIdleTimeMillis: 500 });
});

test('a terminator has an instance instead of an identity', async () => {
  const created = await net.controller.rest('POST', `${FABRIC}/terminators`, {
    service: net.serviceId,
    router: net.router.id,
    binding: 'transport',
    address: 'tcp:localhost:80',
    instanceId: 'printer',
  });
  const { id } = created.body.data as { id: string };
  expect(await read(`terminators/${id}`)).toMatchObject({
    instanceId: 'printer',
    router: routerReference(net.router.enrolled),
    service: { entity: 'services', id: net.serviceId },
    hostId: '',
  });
  const { body } = await net.controller.rest('GET', `/terminators/${id}`);
  expect(body.data).toMatchObject({ identity: 'printer' });
});

test.each([
  ['GET', 'list-members'],
  ['POST', 'add-member'],
  ['POST', 'remove-member'],
  ['POST', 'transfer-leadership'],
])('%s cluster/%s: a controller has no cluster', async (method, operation) => {
  const answer = await net.controller.rest(method, `${FABRIC}/cluster/${operation}`);
  expect([answer.status, answer.body.error.code]).toEqual([400, 'SERVER_NOT_RUNNING_IN_HA_MODE']);
});

test('a snapshot keeps to the data directory', async () => {
  const answer = await net.controller.rest('POST', `${FABRIC}/database/snapshot`, {
    path: '/etc/passwd',
  });
  expect(answer.status).toBe(200);
  expect((answer.body.data as { path: string }).path).toMatch(/^snapshots\/[\w.-]+$/);
});
