import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { made, openSession, Traffic, unique, type RoutingRouter } from './traffic-network.js';

/* Sessions, dials and hosting set the last use of access, in every process and controller. */

let net: Traffic;

beforeAll(async () => {
  net = await Traffic.start();
});
afterAll(() => net.stop());
beforeEach(() => net.begin());
afterEach(() => net.end());

interface Listed {
  readonly identityId: string;
  readonly type: string;
  readonly lastUsedAt: string | null;
}

/** The last use of a service, by identity and type. */
async function lastUse(
  identityId: string,
  type: 'Dial' | 'Bind',
  on: TestController = net.controller,
): Promise<Date | null> {
  const { data, errors } = await on.graphql(
    `query ($identity: ID!, $service: ID!) {
      accesses(identityId: $identity, serviceId: $service) { nodes { identityId type lastUsedAt } } }`,
    { identity: identityId, service: net.serviceId },
  );
  expect(errors).toBeUndefined();
  const { nodes } = (data as { accesses: { nodes: Listed[] } }).accesses;
  const one = nodes.find((node) => node.type === type);
  if (!one) throw new Error('no such access');
  return one.lastUsedAt === null ? null : new Date(one.lastUsedAt);
}

/** Waits until the last use is at a time or later. */
const expectUse = (
  identityId: string,
  type: 'Dial' | 'Bind',
  since: Date,
  on?: TestController,
): Promise<unknown> =>
  eventually(async () => {
    expect((await lastUse(identityId, type, on))?.getTime()).toBeGreaterThanOrEqual(
      since.getTime(),
    );
  });

/** The next millisecond of the clock, so that what follows is later than what was. */
async function later(): Promise<Date> {
  const begin = Date.now();
  const { value } = await eventually(() => {
    const now = new Date();
    if (now.getTime() <= begin) throw new Error('the clock has not moved');
    return now;
  });
  return value;
}

test('a session that any process opens sets it', async () => {
  expect(await lastUse(net.host.identityId, 'Bind')).toBeNull();
  const before = await later();
  await openSession(net.controller, net.host, net.serviceId, 'Bind');
  await expectUse(net.host.identityId, 'Bind', before);
});

test('a dial sets it, and hosting does', async () => {
  const session = await openSession(net.controller, net.host, net.serviceId, 'Bind');
  const begin = await later();
  const { body } = await net.router.bind(session, { address: unique('terminator') });
  expect(messages.CreateTerminatorV2Response.decode(body).result).toBe('Success');
  await expectUse(net.host.identityId, 'Bind', begin);

  const before = await later();
  made(await net.router.dial(net.dial));
  await expectUse(net.dialer.identityId, 'Dial', before);
});

async function tunneler(): Promise<RoutingRouter> {
  const router = await net.newRouter({ isTunnelerEnabled: true, roleAttributes: ['open'] });
  await net.controller.rest('PATCH', `/identities/${router.id}`, {
    roleAttributes: ['hosts', 'dialers'],
  });
  return router;
}

test('a tunneler in a router sets it for the identity of the router', async () => {
  const serviceName = unique('tunneled');
  await net.newService({ name: serviceName });
  const at = await tunneler();
  expect(await lastUse(at.id, 'Bind')).toBeNull();
  const begin = await later();
  const hosted = await at.router.ask(
    CONTENT.createTunnelTerminator,
    messages.CreateTunnelTerminatorRequest.encode({ serviceName, address: unique('terminator') }),
  );
  expect(hosted.type).toBe(CONTENT.createTunnelTerminatorResult);
  const dialed = await at.router.ask(
    CONTENT.createTunnelCircuit,
    messages.CreateCircuitForServiceRequest.encode({ serviceName }),
  );
  expect(dialed.type).toBe(CONTENT.createTunnelCircuitResult);
  await expectUse(at.id, 'Bind', begin);
  await expectUse(at.id, 'Dial', begin);
});

test('another controller sets it, and its stop loses no use', async () => {
  const second = await startController({ with: net.controller });
  const before = await later();
  await openSession(second, net.host, net.serviceId, 'Bind');
  await second.stop();
  expect((await lastUse(net.host.identityId, 'Bind'))?.getTime()).toBeGreaterThanOrEqual(
    before.getTime(),
  );
});

test('a stop stores the uses of all processes', async () => {
  const { controller, dialer } = net;
  const services: string[] = [];
  for (let i = 0; i < 8; i += 1) {
    await net.newService();
    services.push(net.serviceId);
  }
  const before = await later();
  // Each connection may be one of another process.
  await Promise.all(services.map((id) => openSession(controller, dialer, id, 'Dial')));
  await controller.end();
  const client = new pg.Client({ connectionString: controller.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ service_id: string }>(
    `select service_id from access_use
     where identity_id = $1 and type = 'Dial' and service_id = any($2) and used_at >= $3`,
    [dialer.identityId, services, before],
  );
  await client.end();
  expect(rows.map((row) => row.service_id).sort()).toEqual(services.sort());
});
