import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import type {
  LiveEvent,
  LiveEvents,
  LiveReader,
  Subscription,
  ToggleTraces,
} from '../../../src/network/events/index.js';
import {
  Channel,
  RelayedLiveEvents,
  type ToFirst,
  type ToWorker,
} from '../../../src/programs/workers/index.js';
import { StreamsOfWorker } from '../../../src/programs/workers/relayed-live-events.js';
import { eventually } from '../../support/eventually.js';

/** One end of a channel between two processes, in this one. */
class End extends EventEmitter {
  connected = true;
  other!: End;

  readonly send = (message: unknown): boolean => {
    setImmediate(() => this.other.emit('message', message));
    return true;
  };
}

/** The streams that the first process has open. */
class OpenStreams implements LiveEvents {
  readonly readers: LiveReader[] = [];

  readonly open = (_: readonly Subscription[], reader: LiveReader) => {
    this.readers.push(reader);
    const close = (): void => {
      this.readers.splice(this.readers.indexOf(reader), 1);
    };
    return { ready: Promise.resolve(), close };
  };

  readonly toggleTraces: ToggleTraces = ({ appRegex }) =>
    Promise.resolve({ isSuccess: true, text: appRegex });
}

function connected() {
  const [first, worker] = [new End(), new End()];
  first.other = worker;
  worker.other = first;
  const open = new OpenStreams();
  const ignore = (): never => {
    throw new Error('nothing else is sent');
  };
  const toWorker: Channel<ToWorker, ToFirst> = new Channel<ToWorker, ToFirst>(first as never, {
    ...{ ready: ignore, ending: ignore, taken: ignore, closed: ignore },
    ...{ written: ignore, spent: ignore, login: ignore, metrics: ignore },
    openStream: ({ id, subscriptions }) => streams.open(id, subscriptions),
    closeStream: ({ id }) => {
      streams.close(id);
    },
    toggleTraces: (toggle) => open.toggleTraces(toggle),
  });
  const streams = new StreamsOfWorker(
    () => toWorker,
    () => open,
  );
  const toFirst: Channel<ToFirst, ToWorker> = new Channel<ToFirst, ToWorker>(worker as never, {
    ...{ start: ignore, connection: ignore, changes: ignore, pulse: ignore, written: ignore },
    ...{ spent: ignore, newKeys: ignore, metrics: ignore, reportLogins: ignore, stop: ignore },
    events: (batch) => relayed.deliver(batch),
    streamEnded: ({ id }) => {
      relayed.ended(id);
    },
  });
  const relayed = new RelayedLiveEvents(toFirst);
  return { open, streams, relayed };
}

const EVENTS: readonly LiveEvent[] = [{ type: 'router', text: '{}' }];

test('events of a stream come to its client, until the client goes', async () => {
  const { open, relayed } = connected();
  const taken: (readonly LiveEvent[])[] = [];
  const deliver = (events: readonly LiveEvent[]): Promise<void> => {
    taken.push(events);
    return Promise.resolve();
  };
  const stream = relayed.open([], { deliver, onEnd: () => undefined });
  await stream.ready;
  const [reader] = open.readers;
  await reader?.deliver(EVENTS);
  expect(taken).toStrictEqual([EVENTS]);
  stream.close();
  await eventually(() => {
    expect(open.readers).toHaveLength(0);
  });
  await expect(reader?.deliver(EVENTS)).rejects.toThrow();
  expect(taken).toHaveLength(1);
});

test('the first process ends a stream at its client', async () => {
  const { open, relayed } = connected();
  let hasEnded = false;
  const onEnd = (): void => {
    hasEnded = true;
  };
  const stream = relayed.open([], { deliver: () => Promise.resolve(), onEnd });
  await stream.ready;
  open.readers[0]?.onEnd();
  await eventually(() => {
    expect(hasEnded).toBe(true);
  });
});

test('the end of a worker closes its streams, and those that it asked for last', async () => {
  const { open, streams, relayed } = connected();
  const reader = { deliver: () => Promise.resolve(), onEnd: () => undefined };
  await relayed.open([], reader).ready;
  streams.closeAll();
  expect(open.readers).toHaveLength(0);
  await expect(relayed.open([], reader).ready).rejects.toThrow();
  expect(open.readers).toHaveLength(0);
});

test('the first process toggles traces for a worker', async () => {
  const { relayed } = connected();
  const toggle = { enable: true, verbosity: 'ReportAll', appRegex: 'r1', pipeRegex: '.*' } as const;
  expect(await relayed.toggleTraces(toggle)).toEqual({ isSuccess: true, text: 'r1' });
});
