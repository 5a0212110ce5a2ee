import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { eventually } from '../../support/eventually.js';
import { made, Traffic, type RoutingRouter } from './traffic-network.js';

/* Routers report the bytes of circuits; they are counted by service, identity and hour. */

let net: Traffic;

beforeAll(async () => {
  net = await Traffic.start();
});
afterAll(() => net.stop());
beforeEach(() => net.begin());
afterEach(() => net.end());

const HOUR = 3_600;
const thisHour = (): number => Math.floor(Date.now() / 1000 / HOUR) * HOUR;

type Values = Readonly<Record<string, number>>;

/** Reports what circuits have carried in an interval that begins at a time, in seconds. */
async function report(
  { router }: RoutingRouter,
  circuits: Readonly<Record<string, Values>>,
  intervalStartUTC = thisHour(),
): Promise<void> {
  const buckets = Object.fromEntries(
    Object.entries(circuits).map(([id, values]) => [id, { values }]),
  );
  router.tell(CONTENT.metrics, messages.MetricsMessage, {
    usageCounters: [{ intervalStartUTC, buckets }],
  });
  // Frames are worked on in their order.
  await router.ask(CONTENT.ping);
}

interface Row {
  readonly hour: string | null;
  readonly serviceId: string | null;
  readonly identityId: string | null;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

async function usage(text = ''): Promise<Row[]> {
  const { data, errors } = await net.controller.graphql(
    `query ($service: ID) { usage(serviceId: $service ${text}) {
      hour serviceId identityId sentBytes receivedBytes } }`,
    { service: net.serviceId },
  );
  expect(errors).toBeUndefined();
  return (data as { usage: Row[] }).usage;
}

const expectUsage = (expected: readonly Partial<Row>[], text = ''): Promise<unknown> =>
  eventually(async () => {
    expect(await usage(text)).toMatchObject(expected);
  });

async function dial(): Promise<string> {
  await net.bind(net.router);
  return made(await net.router.dial(net.dial)).circuitId;
}

test('the bytes of a client are counted for its service, identity and hour', async () => {
  const circuitId = await dial();
  await report(net.router, { [circuitId]: { 'ingress.rx': 100, 'egress.rx': 5_000_000_000 } });
  await report(net.router, { [circuitId]: { 'ingress.rx': 11, 'egress.rx': 7 } });
  const expected = {
    hour: new Date(thisHour() * 1000).toISOString(),
    serviceId: net.serviceId,
    identityId: net.dialer.identityId,
    sentBytes: 111,
    receivedBytes: 5_000_000_007,
  };
  await expectUsage([expected]);
  const { data } = await net.controller.graphql(
    `query ($id: ID!) { circuit(id: $id) { sentBytes receivedBytes } }`,
    { id: circuitId },
  );
  expect(data).toEqual({ circuit: { sentBytes: 111, receivedBytes: 5_000_000_007 } });
});

test('bytes count where they come from the client or the host, and nowhere else', async () => {
  const { other, circuitId } = await net.overLink();
  const passing = { 'fabric.rx': 500, 'fabric.tx': 500 };
  // The counters of what routers of version 1.6.20 give to clients and hosts are too low.
  const ofClient = { ...passing, 'ingress.rx': 10, 'ingress.tx': 3, 'egress.rx': 1_000 };
  const ofHost = { ...passing, 'egress.rx': 20, 'egress.tx': 2, 'ingress.rx': 1_000 };
  await report(net.router, { [circuitId]: ofClient });
  await report(other, { [circuitId]: ofHost });
  await expectUsage([{ sentBytes: 10, receivedBytes: 20 }]);
});

test('a router can not report bytes of circuits of others, or of none', async () => {
  const circuitId = await dial();
  const stranger = await net.newRouter();
  await report(stranger, { [circuitId]: { 'ingress.rx': 1_000 }, none: { 'ingress.rx': 1_000 } });
  await report(net.router, { [circuitId]: { 'ingress.rx': 1 } });
  await expectUsage([{ sentBytes: 1, receivedBytes: 0 }]);
});

test('the last bytes of a circuit count after its end', async () => {
  const circuitId = await dial();
  net.router.router.tell(CONTENT.fault, messages.Fault, {
    subject: 'IngressFault',
    id: circuitId,
  });
  await report(net.router, { [circuitId]: { 'ingress.rx': 3, 'egress.rx': 4 } });
  await expectUsage([{ sentBytes: 3, receivedBytes: 4 }]);
});

test.each([
  ['more than a tebibyte in a minute', { 'ingress.rx': 2 ** 41 }],
  ['more than a number can hold', { 'ingress.rx': 2 ** 63 }],
])('a report of %s is dropped, others are not', async (_, values) => {
  const circuitId = await dial();
  await report(net.router, { [circuitId]: values });
  await report(net.router, { [circuitId]: { 'ingress.rx': 2 } });
  await expectUsage([{ sentBytes: 2 }]);
});

test('a report counts in its hour, one of last year in the present hour', async () => {
  const circuitId = await dial();
  const now = Math.floor(Date.now() / 1000);
  const halfAnHourAgo = now - HOUR / 2;
  await report(net.router, { [circuitId]: { 'ingress.rx': 1 } }, halfAnHourAgo);
  await report(net.router, { [circuitId]: { 'ingress.rx': 2 } }, now - 365 * 24 * HOUR);
  await report(net.router, { [circuitId]: { 'ingress.rx': 4 } }, 0);
  const hourOf = (seconds: number) => new Date((seconds - (seconds % HOUR)) * 1000).toISOString();
  const isOneHour = hourOf(now) === hourOf(halfAnHourAgo);
  await expectUsage(
    isOneHour
      ? [{ hour: hourOf(now), sentBytes: 7 }]
      : [
          { hour: hourOf(halfAnHourAgo), sentBytes: 1 },
          { hour: hourOf(now), sentBytes: 6 },
        ],
  );
});

test('usage is added up by what is told apart, over the time that is asked for', async () => {
  const circuitId = await dial();
  await report(net.router, { [circuitId]: { 'ingress.rx': 5, 'egress.rx': 6 } });
  const sum = { sentBytes: 5, receivedBytes: 6 };
  await expectUsage([{ hour: null, serviceId: null, identityId: null, ...sum }], 'per: []');
  await expectUsage([{ hour: null, serviceId: net.serviceId, identityId: null }], 'per: [service]');
  await expectUsage([{ identityId: net.dialer.identityId, ...sum }], 'per: [identity]');
  const later = new Date((thisHour() + HOUR) * 1000).toISOString();
  expect(await usage(`since: "${later}" until: "2100-01-01T00:00:00Z"`)).toEqual([]);
  const hour = new Date(thisHour() * 1000).toISOString();
  expect(await usage(`since: "2020-01-01T00:00:00Z" until: "${hour}"`)).toEqual([]);
  expect(await usage(`identityId: "${net.host.identityId}"`)).toEqual([]);
});

test('the service and the identity are those of the graph, and null when they are gone', async () => {
  const circuitId = await dial();
  await report(net.router, { [circuitId]: { 'ingress.rx': 5 } });
  const ask = async (): Promise<unknown> => {
    const { data } = await net.controller.graphql(
      `query ($service: ID) { usage(serviceId: $service, per: [service, identity]) {
        service { id } identity { id } serviceId sentBytes } }`,
      { service: net.serviceId },
    );
    return (data as { usage: unknown }).usage;
  };
  const { serviceId } = net;
  const identity = { id: net.dialer.identityId };
  await eventually(async () => {
    expect(await ask()).toEqual([
      { service: { id: serviceId }, identity, serviceId, sentBytes: 5 },
    ]);
  });
  await net.controller.rest('DELETE', `/services/${serviceId}`);
  expect(await ask()).toEqual([{ service: null, identity, serviceId, sentBytes: 5 }]);
});

test.each([0, 10_001])('%i rows can not be asked for', async (limit) => {
  const { errors } = await net.controller.graphql(`{ usage(limit: ${String(limit)}) { hour } }`);
  expect(errors?.[0]?.extensions.code).toBe('COULD_NOT_VALIDATE');
});
