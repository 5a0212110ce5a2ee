import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { textValue } from '../../../src/network/control/header-values.js';
import { eventually } from '../../support/eventually.js';
import {
  link,
  made,
  openSession,
  peerData,
  refused,
  routeOf,
  Traffic,
  type RoutingRouter,
} from './traffic-network.js';

/* Clients of a router dial services: which circuits are made, and how. */

let net: Traffic;

beforeAll(async () => {
  net = await Traffic.start();
});
afterAll(() => net.stop());
beforeEach(() => net.begin());
afterEach(() => net.end());

test('a circuit over one router joins its client with its host', async () => {
  const address = await net.bind(net.router, {
    peerData: { 1003: Buffer.from('public key of the host') },
  });
  net.router.onRoute = () => ({
    isDone: true,
    headers: new Map([
      [5, Buffer.alloc(8)],
      [1011, Buffer.from('application data')],
      [1110, Buffer.from('local')],
    ]),
  });
  const request = peerData([
    [1003, 'public key of the client'],
    [1008, 'caller'],
  ]);
  const circuit = made(await net.router.dial(net.dial, request));
  const route = routeOf(net.router);
  expect(route).toMatchObject({
    circuitId: circuit.circuitId,
    attempt: 0,
    egress: {
      binding: 'edge',
      destination: address,
      peerData: { 1003: Buffer.from('public key of the client'), 1008: Buffer.from('caller') },
    },
    tags: {
      serviceId: net.serviceId,
      clientId: net.dialer.identityId,
      hostId: net.host.identityId,
    },
  });
  expect(route.timeout).toBeGreaterThan(1e9);
  const egress = route.egress?.address ?? '';
  expect(route.forwards).toEqual([
    { srcAddress: circuit.address, dstAddress: egress, dstType: 'End' },
    { srcAddress: egress, dstAddress: circuit.address, dstType: 'Start' },
  ]);
  expect(new Set([circuit.address, egress, circuit.circuitId]).size).toBe(3);
  expect(Object.fromEntries(circuit.peerData)).toEqual({
    1003: Buffer.from('public key of the host'),
    1011: Buffer.from('application data'),
  });
});

test('a circuit over three routers crosses the links between them', async () => {
  const middle = await net.newRouter();
  const last = await net.newRouter();
  const address = await net.bind(last);
  const [first, second] = [await link(net.router, middle), await link(last, middle)];
  const circuit = made(await net.router.dial(net.dial));
  const egress = routeOf(last).egress?.address ?? '';
  expect(routeOf(last).egress).toMatchObject({ destination: address });
  expect([routeOf(net.router).egress, routeOf(middle).egress]).toEqual([null, null]);
  expect([net.router, middle, last].map((each) => routeOf(each).forwards)).toEqual([
    [
      { srcAddress: circuit.address, dstAddress: first, dstType: 'Link' },
      { srcAddress: first, dstAddress: circuit.address, dstType: 'Start' },
    ],
    [
      { srcAddress: first, dstAddress: second, dstType: 'Link' },
      { srcAddress: second, dstAddress: first, dstType: 'Link' },
    ],
    [
      { srcAddress: second, dstAddress: egress, dstType: 'End' },
      { srcAddress: egress, dstAddress: second, dstType: 'Link' },
    ],
  ]);
});

test('a session tells the routers of its circuit', async () => {
  const other = await net.newRouter();
  await net.bind(other);
  await link(net.router, other);
  made(await net.router.dial(net.dial));
  await eventually(async () => {
    const { body } = await net.controller.rest('GET', `/sessions/${net.dial.id}/route-path`);
    expect(body.data).toEqual({ routePath: [net.router.id, other.id] });
  });
});

describe('refused with its code is a dial', () => {
  test('without a session, or with one to host', async () => {
    expect(refused(await net.router.dial({ id: '', token: 'unknown' })).code).toBe(3);
    const session = await openSession(net.controller, net.host, net.serviceId, 'Bind');
    expect(refused(await net.router.dial(session)).code).toBe(4);
  });

  test('over a router that the session may not use', async () => {
    const closed = await net.newRouter({ roleAttributes: ['closed'] });
    expect(refused(await closed.dial(net.dial)).code).toBe(5);
  });

  test('without a key, of a service that requires encryption', async () => {
    await net.newService({ encryptionRequired: true });
    await net.bind(net.router, { peerData: { 1003: Buffer.from('key') } });
    expect(refused(await net.router.dial(net.dial)).code).toBe(11);
    made(await net.router.dial(net.dial, peerData([[1003, 'key']])));
  });

  test('to a host without a key, of a service that requires encryption', async () => {
    await net.newService({ encryptionRequired: true });
    await net.bind(net.router);
    expect(refused(await net.router.dial(net.dial, peerData([[1003, 'key']]))).code).toBe(11);
    await eventually(() => {
      expect(net.router.unroutes.map(({ circuitId }) => circuitId)).toContain(
        routeOf(net.router).circuitId,
      );
    });
  });

  test('of a service without terminators, or of another instance', async () => {
    expect(refused(await net.router.dial(net.dial)).text).toContain('no terminators');
    await net.bind(net.router, { instanceId: 'one' });
    expect(refused(await net.router.dial(net.dial)).text).toContain('no terminators');
    made(await net.router.dial(net.dial, new Map([[13, textValue('one')]])));
  });

  test('while the router of the host is not connected, or has no path', async () => {
    const other = await net.newRouter();
    await net.bind(other);
    expect(refused(await net.router.dial(net.dial)).text).toContain('no path');
    await other.router.close();
    await eventually(async () => {
      expect(refused(await net.router.dial(net.dial)).text).toContain('connected');
    });
  });
});

describe('a route that fails', () => {
  test('is tried once more, as another circuit', async () => {
    await net.bind(net.router);
    net.router.onRoute = () => ({ isDone: net.router.routes.length > 1, text: 'not now' });
    const { circuitId } = made(await net.router.dial(net.dial));
    const [failed, second] = net.router.routes;
    expect(second?.circuitId).toBe(circuitId);
    expect(failed?.circuitId).not.toBe(circuitId);
    expect(net.router.unroutes).toEqual([{ circuitId: failed?.circuitId, now: true }]);
  });

  test('twice ends the dial with the text of the router', async () => {
    await net.bind(net.router);
    net.router.onRoute = () => ({ isDone: false, text: 'the application refused' });
    expect(refused(await net.router.dial(net.dial)).text).toBe('the application refused');
    expect(net.router.routes).toHaveLength(2);
  });

  test('since its terminator is gone removes that, and tries another one', async () => {
    const gone = await net.bind(net.router, { cost: 0 });
    const other = await net.bind(net.router, { cost: 100 });
    net.router.onRoute = ({ egress }) =>
      egress?.destination === gone ? { isDone: false, code: 1 } : { isDone: true };
    made(await net.router.dial(net.dial));
    expect(routeOf(net.router).egress?.destination).toBe(other);
    const { body } = await net.controller.rest('GET', `/services/${net.serviceId}/terminators`);
    expect((body.data as { id: string }[]).map(({ id }) => id)).toEqual([other]);
  });
});

test('a route that is done after its dial has failed is ended at its router', async () => {
  net.router.router.send(CONTENT.routeResult, textValue('failed'));
  await eventually(() => {
    expect(net.router.unroutes).toEqual([{ circuitId: 'failed', now: true }]);
  });
});

describe('the terminator is chosen', () => {
  test('by precedence before cost', async () => {
    await net.bind(net.router, { cost: 0, precedence: 'Failed' });
    await net.bind(net.router, { cost: 0 });
    const required = await net.bind(net.router, { cost: 60_000, precedence: 'Required' });
    made(await net.router.dial(net.dial));
    expect(routeOf(net.router).egress?.destination).toBe(required);
  });

  test('by the cost of the terminator and of the way to it', async () => {
    const far = await net.newRouter();
    await link(net.router, far);
    await net.bind(far, { cost: 0 });
    const near = await net.bind(net.router, { cost: 1_000 });
    made(await net.router.dial(net.dial));
    expect(routeOf(net.router).egress?.destination).toBe(near);
  });

  test('by the latency of links, as both of their ends measure it', async () => {
    const [slow, fast] = [await net.newRouter(), await net.newRouter()];
    const latency: [RoutingRouter, string, number][] = [];
    for (const [far, millis] of [
      [slow, 40],
      [fast, 20],
    ] as const) {
      await net.bind(far, { cost: 100 - millis });
      const id = await link(net.router, far);
      latency.push([net.router, id, millis], [far, id, millis]);
    }
    for (const [at, id, millis] of latency) {
      at.router.tell(CONTENT.metrics, messages.MetricsMessage, {
        histograms: {
          [`link.${id}.latency`]: { count: 1, mean: (millis - 1) * 1e6 },
          [`link.${id}.queue_time`]: { count: 1, mean: 1e6 },
        },
      });
      await at.router.ask(CONTENT.ping);
    }
    made(await net.router.dial(net.dial));
    expect(fast.routes).toHaveLength(1);
    expect(slow.routes).toHaveLength(0);
  });

  test('by the circuits that others have already', async () => {
    const both = [await net.bind(net.router), await net.bind(net.router)];
    const chosen = [];
    for (let i = 0; i < 4; i += 1) {
      made(await net.router.dial(net.dial));
      chosen.push(routeOf(net.router).egress?.destination);
    }
    for (const one of both) expect(chosen.filter((each) => each === one)).toHaveLength(2);
  });

  test('as before, of a sticky service', async () => {
    await net.newService({ terminatorStrategy: 'sticky' });
    const addresses = [
      await net.bind(net.router),
      await net.bind(net.router),
      await net.bind(net.router),
    ];
    const first = made(await net.router.dial(net.dial));
    const token = first.peerData.get(1114)?.toString() ?? '';
    expect(addresses).toContain(token);
    for (let i = 0; i < 5; i += 1) {
      const again = made(await net.router.dial(net.dial, peerData([[1114, token]])));
      expect(routeOf(net.router).egress?.destination).toBe(token);
      expect(again.peerData.get(1114)?.toString()).toBe(token);
    }
  });
});
