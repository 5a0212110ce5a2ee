import { describe, expect, test } from '@jest/globals';
import { allToStdout } from '../../../src/network/events/index.js';
import type { NetworkEvent } from '../../../src/network/events/network-event.js';
import { AT, eventsTo, subscription } from './support.js';

/** Which sink gets which event. */

const circuit = (kind: string): NetworkEvent => ({
  type: 'circuit',
  kind,
  at: AT,
  members: { event_type: kind },
});
const shared: NetworkEvent = { type: 'session', at: AT, isShared: true, members: {} };
const count = (intervalMillis: number): NetworkEvent => ({
  type: 'entityCount',
  at: AT,
  intervalMillis,
  members: { intervalMillis },
});

describe('events', () => {
  test('carry the name that the subscription used, once each', async () => {
    const { events, written } = eventsTo(
      subscription('circuit'),
      subscription('fabric.circuits'),
      subscription('fabric.circuits', { include: new Set(['failed']) }),
    );
    events.publish(circuit('failed'));
    expect((await written()).map(({ namespace }) => namespace)).toStrictEqual([
      'circuit',
      'fabric.circuits',
    ]);
  });

  test('are those that a subscription includes', async () => {
    const { events, written } = eventsTo(subscription('circuit', { include: new Set(['failed']) }));
    for (const kind of ['created', 'failed', 'deleted']) events.publish(circuit(kind));
    expect((await written()).map((event) => event.event_type)).toStrictEqual(['failed']);
  });

  test('of the whole network come from the controller that speaks for all', async () => {
    const { events, written } = eventsTo(subscription('session'));
    expect(events.hasShared('session')).toBe(false);
    events.publish(shared);
    events.speaksForAll = true;
    expect(events.hasShared('session')).toBe(true);
    events.publish(shared);
    expect(await written()).toHaveLength(1);
  });

  test('of the whole network come from each controller for a subscription that says so', async () => {
    const { events, written } = eventsTo(subscription('session', { propagateAlways: true }));
    expect(events.hasShared('session')).toBe(true);
    events.publish(shared);
    expect(await written()).toHaveLength(1);
  });

  test('of an interval are for subscriptions with it', async () => {
    const { events, written } = eventsTo(
      subscription('entityCount'),
      subscription('edge.entityCounts', { intervalMillis: 60_000 }),
    );
    expect(events.intervals('entityCount')).toStrictEqual([300_000, 60_000]);
    events.publish(count(60_000));
    expect((await written()).map(({ namespace }) => namespace)).toStrictEqual([
      'edge.entityCounts',
    ]);
  });

  test('are made only for types that a sink wants', () => {
    const { events } = eventsTo(subscription('fabric.routers'));
    expect([events.has('router'), events.has('circuit')]).toStrictEqual([true, false]);
  });

  test('are all on standard output without a file', () => {
    const [stdout] = allToStdout;
    expect(stdout?.subscriptions).toHaveLength(16);
    expect(stdout?.subscriptions.every(({ type, namespace }) => type === namespace)).toBe(true);
  });
});
