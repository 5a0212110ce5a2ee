import { expect, test } from '@jest/globals';
import {
  LiveSink,
  type LiveEvent,
  type LiveReader,
} from '../../../src/network/events/live-sink.js';
import type { NetworkEvent } from '../../../src/network/events/network-event.js';
import { eventually } from '../../support/eventually.js';
import { AT, eventsTo, subscription } from './support.js';

const router = (name: string): NetworkEvent => ({ type: 'router', at: AT, members: { name } });
const session: NetworkEvent = { type: 'session', at: AT, isShared: true, members: {} };
const count: NetworkEvent = {
  type: 'entityCount',
  at: AT,
  intervalMillis: 300_000,
  members: {},
};

/** A client that takes a batch each time that it is told to. */
class SlowReader implements LiveReader {
  readonly batches: (readonly LiveEvent[])[] = [];
  hasEnded = false;
  goOn: () => void = () => undefined;
  fail: () => void = () => undefined;

  readonly deliver = (events: readonly LiveEvent[]): Promise<void> => {
    this.batches.push(events);
    return new Promise((resolve, reject) => {
      this.goOn = resolve;
      this.fail = () => {
        reject(new Error('the client is gone'));
      };
    });
  };

  readonly onEnd = (): void => {
    expect(this.hasEnded).toBe(false);
    this.hasEnded = true;
  };

  async has(sizes: readonly number[]): Promise<void> {
    await eventually(() => {
      expect(this.batches.map(({ length }) => length)).toStrictEqual(sizes);
    });
  }
}

function open(reader: LiveReader): LiveSink {
  return new LiveSink([subscription('router'), subscription('fabric.routers')], 'ctrl', reader);
}

test('a client gets the events of a moment together, and the next when it has taken them', async () => {
  const reader = new SlowReader();
  const sink = open(reader);
  sink.publish(router('r1'));
  sink.publish(router('r2'));
  await reader.has([4]);
  sink.publish(router('r3'));
  expect(reader.batches).toHaveLength(1);
  reader.goOn();
  await reader.has([4, 2]);
  expect(reader.batches[1]).toStrictEqual(
    ['router', 'fabric.routers'].map((namespace) => ({
      type: 'router',
      text: `{"namespace":"${namespace}","timestamp":"2026-01-02T03:04:05.678000000Z","event_src_id":"ctrl","name":"r3"}`,
    })),
  );
});

test('large events come one by one', async () => {
  const reader = new SlowReader();
  const sink = open(reader);
  sink.publish(router('x'.repeat(600_000)));
  await reader.has([1]);
  reader.goOn();
  await reader.has([1, 1]);
});

test.each([
  ['many', 5_001, 1],
  ['large', 5, 2_000_000],
])('a client that leaves too %s events is ended once', async (_, events, size) => {
  const reader = new SlowReader();
  const sink = open(reader);
  const event = router('x'.repeat(size));
  for (let i = 0; i < events; i += 1) sink.publish(event);
  expect(reader.hasEnded).toBe(true);
  sink.publish(event);
  // The delivery that had begun finds nothing.
  await Promise.resolve();
  expect(reader.batches).toHaveLength(0);
});

test('a client that is gone is ended', async () => {
  const reader = new SlowReader();
  const sink = open(reader);
  sink.publish(router('r1'));
  await reader.has([2]);
  reader.fail();
  await eventually(() => {
    expect(reader.hasEnded).toBe(true);
  });
});

test('a client wants its types as long as it is there, without a lease and beside the sinks', async () => {
  const { events, written } = eventsTo(subscription('session'));
  const reader = new SlowReader();
  const types = ['session', 'authentication', 'entityCount'].map((name) => subscription(name));
  const sink = events.open(types, reader);
  expect(events.has('authentication')).toBe(true);
  expect([events.hasShared('session'), sink.intervals]).toStrictEqual([true, [300_000]]);
  events.publish(session);
  // Numbers of entities come by the clock of each client.
  events.publish(count);
  await reader.has([1]);
  events.close(sink);
  expect(events.has('authentication')).toBe(false);
  expect(events.hasShared('session')).toBe(false);
  expect(await written()).toHaveLength(0);
});
