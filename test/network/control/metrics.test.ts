import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { eventually } from '../../support/eventually.js';
import { Traffic, type RoutingRouter } from './traffic-network.js';

/* Routers report what they measure; the latest of each is kept. */

let net: Traffic;

beforeAll(async () => {
  net = await Traffic.start();
});
afterAll(() => net.stop());
beforeEach(() => net.begin());
afterEach(() => net.end());

type Message = Parameters<(typeof messages.MetricsMessage)['encode']>[0];

async function report({ router }: RoutingRouter, message: Message): Promise<void> {
  router.tell(CONTENT.metrics, messages.MetricsMessage, message);
  // Frames are worked on in their order.
  await router.ask(CONTENT.ping);
}

async function metrics(args = '', of = net.router): Promise<unknown[]> {
  const { data, errors } = await net.controller.graphql(
    `query ($id: ID!) { metrics(routerId: $id ${args}) {
      name kind entityId measuredAt values { name value } } }`,
    { id: of.id },
  );
  expect(errors).toBeUndefined();
  return (data as { metrics: unknown[] }).metrics;
}

const names = async (args = ''): Promise<string[]> =>
  (await metrics(args)).map((metric) => (metric as { name: string }).name);

const MEASURED = { seconds: 1_760_000_000, nanos: 5_000_000 };

test('each kind of metric is kept with its numbers', async () => {
  await report(net.router, {
    timestamp: MEASURED,
    intValues: { 'xgress.acks': -1 },
    floatValues: { load: 0.5 },
    meters: { 'link.a.b.tx.msgrate': { count: 1, meanRate: 2, m1Rate: 3, m5Rate: 4, m15Rate: 5 } },
    histograms: { 'ctrl.latency:controller': { count: 1, stdDev: 2, p9999: 3 } },
    timers: { work: { count: 1, p50: 2, m1Rate: 3 } },
  });
  const measuredAt = '2025-10-09T08:53:20.005Z';
  const common = { measuredAt, entityId: null };
  await eventually(async () => {
    expect(await metrics()).toMatchObject([
      { name: 'ctrl.latency', kind: 'histogram', entityId: 'controller', measuredAt },
      {
        ...{ name: 'link.tx.msgrate', kind: 'meter', entityId: 'a.b', measuredAt },
        values: [
          { name: 'count', value: 1 },
          { name: 'm15_rate', value: 5 },
          { name: 'm1_rate', value: 3 },
          { name: 'm5_rate', value: 4 },
          { name: 'mean_rate', value: 2 },
        ],
      },
      { ...common, name: 'load', kind: 'floatValue', values: [{ name: 'value', value: 0.5 }] },
      { ...common, name: 'work', kind: 'timer' },
      { ...common, name: 'xgress.acks', kind: 'intValue', values: [{ name: 'value', value: -1 }] },
    ]);
  });
  const timer = (await metrics('names: ["work"]')) as [{ values: { name: string }[] }];
  expect(timer[0].values.map(({ name }) => name)).toStrictEqual([
    ...['count', 'm15_rate', 'm1_rate', 'm5_rate', 'max', 'mean', 'mean_rate', 'min'],
    ...['p50', 'p75', 'p95', 'p99', 'p999', 'p9999', 'std_dev', 'variance'],
  ]);
});

test('a report takes the place of the earlier one of its router', async () => {
  const other = await net.newRouter();
  await report(other, { intValues: { kept: 1 } });
  await report(net.router, { intValues: { old: 1 } });
  await report(net.router, { intValues: { one: 1, two: 2 } });
  await eventually(async () => {
    expect(await names()).toStrictEqual(['one', 'two']);
    expect(await metrics('', other)).toMatchObject([{ name: 'kept' }]);
  });
});

test('metrics are asked for by name and by what they measure', async () => {
  const latency = { count: 1, mean: 1 };
  await report(net.router, {
    histograms: {
      'link.l1.latency': latency,
      'link.l2.latency': latency,
      'link.l2.queue_time': {},
    },
  });
  await eventually(async () => {
    expect(await names()).toHaveLength(3);
  });
  expect(await metrics('names: ["link.latency"], entityId: "l2"')).toMatchObject([
    { name: 'link.latency', entityId: 'l2' },
  ]);
  expect(await names('entityId: "l2"')).toStrictEqual(['link.latency', 'link.queue_time']);
  expect(await metrics('names: []')).toStrictEqual([]);
  expect(await metrics('entityId: "none"')).toStrictEqual([]);
});

test('numbers that are none, and names beyond all measure, are left out', async () => {
  await report(net.router, {
    timestamp: { seconds: 2 ** 53 },
    floatValues: { nan: NaN, infinite: Infinity, [`${'link.'.repeat(200_000)}x`]: 1, good: 1 },
    meters: { half: { count: 1, m1Rate: NaN } },
  });
  await eventually(async () => {
    expect(await names()).toStrictEqual(['good', 'half']);
  });
  const [good, half] = (await metrics()) as { measuredAt: string; values: unknown[] }[];
  expect(half?.values).not.toContainEqual(expect.objectContaining({ name: 'm1_rate' }));
  expect(Math.abs(Date.parse(String(good?.measuredAt)) - Date.now())).toBeLessThan(3_600_000);
});

test('a router without a report has none, and neither has one that is gone', async () => {
  expect(await metrics()).toStrictEqual([]);
  await report(net.router, { intValues: { one: 1 } });
  await eventually(async () => {
    expect(await names()).toStrictEqual(['one']);
  });
  await net.controller.rest('DELETE', `/edge-routers/${net.router.id}`);
  expect(await metrics()).toStrictEqual([]);
});
