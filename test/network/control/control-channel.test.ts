import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { CONTENT, HEADER } from '../../../src/network/control/content-types.js';
import { ControlChannel } from '../../../src/network/control/control-channel.js';
import { encodeFrame, FRAME_LIMITS, FrameReader } from '../../../src/network/control/frame.js';
import { uint32Value } from '../../../src/network/control/header-values.js';
import { Underlay } from '../../../src/network/control/underlay.js';
import { Wire } from './wire.js';

/* A channel on a stream whose other end the test plays and sets the pace of. */

let wire: Wire;
let ended: (string | undefined)[];
/** The types of lost connections that carried other frames than urgent ones. */
let carriers: string[];
let channel: ControlChannel;
let handled: number[];
let release: () => void;

beforeEach(() => {
  wire = new Wire();
  ended = [];
  carriers = [];
  handled = [];
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  channel = new ControlChannel(new Underlay(wire, new FrameReader(FRAME_LIMITS)), {
    handlers: new Map([
      [
        9_002,
        ({ sequence }) => {
          handled.push(sequence);
        },
      ],
      [9_000, () => released],
    ]),
    onUnknown: (type) => handled.push(-type),
    onError: () => undefined,
    onLost: (type, carriedState) => {
      ended.push(type);
      if (carriedState) carriers.push(type);
    },
    onEnd: (reason) => ended.push(reason),
  });
  channel.start();
});

const frame = (type: number, sequence: number, headers = new Map<number, Buffer>()): Buffer =>
  encodeFrame({ type, sequence, headers, body: Buffer.alloc(0) });

const arrive = async (...frames: Buffer[]): Promise<void> => {
  if (frames.length > 0) wire.push(Buffer.concat(frames));
  await new Promise((resolve) => setImmediate(resolve));
};

test('a router that answers no heartbeat is disconnected, one that answers is not', async () => {
  for (let i = 0; i < 30; i += 1) {
    channel.beat();
    const beat = wire.written.at(-1)?.headers.get(HEADER.heartbeat);
    expect(beat).toHaveLength(8);
    await arrive(frame(CONTENT.heartbeat, 1, new Map([[HEADER.heartbeatAnswer, beat as Buffer]])));
  }
  for (let i = 0; i < 3; i += 1) channel.beat();
  expect(ended).toEqual([]);
  channel.beat();
  expect(ended).toEqual(['it answers no heartbeats']);
  expect(wire.writableEnded).toBe(true);
});

test('a router may be silent for 90 seconds at first', () => {
  for (let i = 0; i < 9; i += 1) channel.beat();
  expect(ended).toEqual([]);
  channel.beat();
  expect(ended).toEqual(['it answers no heartbeats']);
});

test('a router that reads nothing is disconnected before 64 MiB wait for it', () => {
  wire.isStuck = true;
  let sent = 0;
  while (channel.isOpen && sent < 100) {
    channel.send(1, Buffer.alloc(1 << 20));
    sent += 1;
  }
  expect(sent).toBeLessThanOrEqual(65);
  expect(ended).toEqual(['it does not read what is sent to it']);
});

test('answers that handlers wait for are read while all places are taken', async () => {
  const waiting = Array.from({ length: 200 }, (_none, i) => frame(9_000, i + 1));
  const answered = channel.request(1, Buffer.alloc(0), { millis: 60_000 });
  const sequence = wire.written.at(-1)?.sequence ?? 0;
  const answer = new Map([[HEADER.replyFor, uint32Value(sequence)]]);
  await arrive(...waiting, frame(CONTENT.result, 500, answer));
  expect((await answered)?.sequence).toBe(500);
  release();
  channel.end();
});

test('a connection that ended before the channel began is over', () => {
  const closed = new Wire();
  closed.destroy();
  const late = new ControlChannel(new Underlay(closed, new FrameReader(FRAME_LIMITS)), {
    handlers: new Map(),
    onUnknown: () => undefined,
    onError: () => undefined,
    onLost: (type) => ended.push(type),
    onEnd: (reason) => ended.push(reason ?? 'closed'),
  });
  late.start();
  expect([late.isOpen, ended]).toEqual([false, ['closed']]);
});

test('a question is over with its answer, after its time, and with the connection', async () => {
  const ask = (millis: number) => channel.request(1, Buffer.alloc(0), { millis });
  const answered = ask(1_000);
  const sequence = wire.written.at(-1)?.sequence ?? 0;
  await arrive(frame(CONTENT.result, 7, new Map([[HEADER.replyFor, uint32Value(sequence)]])));
  expect((await answered)?.sequence).toBe(7);
  expect(await ask(1)).toBeUndefined();
  const cut = ask(60_000);
  channel.end('the test ends it');
  expect(await cut).toBeUndefined();
  expect(await ask(60_000)).toBeUndefined();
  expect(ended).toEqual(['the test ends it']);
});

test('a body that is too long for its type is dropped, and waiting ones are bounded by their size', async () => {
  const sized = (type: number, bytes: number): Buffer =>
    encodeFrame({ type, sequence: 5, headers: new Map(), body: Buffer.alloc(bytes) });
  await arrive(sized(9_002, (1 << 20) + 1), sized(9_002, 1 << 20));
  expect(handled).toEqual([5]);
  await arrive(...Array.from({ length: 64 }, (_none, i) => frame(9_000, i)));
  for (let i = 0; i < 40 && !wire.isPaused(); i += 1) await arrive(sized(9_000, 1 << 20));
  expect(wire.isPaused()).toBe(true);
  release();
  await arrive();
  await arrive();
  expect(wire.isPaused()).toBe(false);
});

describe('a channel with two connections', () => {
  let high: Wire;
  let underlay: Underlay;

  const underlayOf = (stream: Wire): Underlay =>
    new Underlay(stream, new FrameReader(FRAME_LIMITS));
  const typesOn = (stream: Wire): number[] => stream.written.map(({ type }) => type);
  const turn = (): Promise<void> => arrive();

  beforeEach(() => {
    high = new Wire();
    underlay = underlayOf(high);
    channel.join('ctrl.high', underlay);
  });

  test('sends frames about circuits and heartbeats by the one for them, in one numbering', () => {
    for (const type of [CONTENT.route, CONTENT.sessionRemoved, CONTENT.unroute]) channel.send(type);
    channel.beat();
    expect(typesOn(high)).toEqual([CONTENT.route, CONTENT.unroute, CONTENT.heartbeat]);
    expect(typesOn(wire)).toEqual([CONTENT.sessionRemoved]);
    const numbers = [...high.written, ...wire.written].map(({ sequence }) => sequence);
    expect(numbers).toEqual([1, 3, 4, 2]);
  });

  test('answers by the connection of the request, and takes answers from any', async () => {
    high.push(frame(CONTENT.ping, 5));
    await arrive(frame(CONTENT.ping, 6));
    expect(typesOn(high)).toEqual([CONTENT.result]);
    expect(typesOn(wire)).toEqual([CONTENT.result]);
    const asked = channel.request(CONTENT.route, Buffer.alloc(0), { millis: 60_000 });
    const sequence = high.written.at(-1)?.sequence ?? 0;
    await arrive(
      frame(CONTENT.routeResult, 7, new Map([[HEADER.replyFor, uint32Value(sequence)]])),
    );
    expect((await asked)?.sequence).toBe(7);
  });

  test.each([
    ['ctrl.high', () => [high, wire]],
    ['ctrl.default', () => [wire, high]],
  ] as const)('goes on when %s is lost, and says so', async (type, wires) => {
    const [lost, remaining] = wires() as [Wire, Wire];
    lost.destroy();
    await turn();
    expect([channel.isOpen, ended]).toEqual([true, [type]]);
    channel.send(CONTENT.route);
    channel.send(CONTENT.sessionRemoved);
    expect(typesOn(remaining)).toEqual([CONTENT.route, CONTENT.sessionRemoved]);
    const again = new Wire();
    channel.join(type, underlayOf(again));
    channel.send(type === 'ctrl.high' ? CONTENT.route : CONTENT.sessionRemoved);
    expect(again.written).toHaveLength(1);
    expect(ended).toEqual([type]);
  });

  test('says that nothing but urgent frames went by the one for them', async () => {
    for (const type of [CONTENT.route, CONTENT.sessionRemoved]) channel.send(type);
    channel.beat();
    channel.join('ctrl.high', underlayOf(new Wire()));
    expect([ended, carriers]).toEqual([['ctrl.high'], []]);
    wire.destroy();
    await turn();
    expect(carriers).toEqual(['ctrl.default']);
  });

  test('says that other frames went by it while there was no other one', async () => {
    channel.send(CONTENT.sessionRemoved);
    wire.destroy();
    await turn();
    channel.send(CONTENT.sessionRemoved);
    channel.join('ctrl.default', underlayOf(new Wire()));
    high.destroy();
    await turn();
    expect(carriers).toEqual(['ctrl.default', 'ctrl.high']);
  });

  test('ends with its last connection', async () => {
    wire.destroy();
    high.destroy();
    await turn();
    expect([channel.isOpen, ended]).toEqual([false, ['ctrl.default', undefined]]);
  });

  test('ends both connections with the channel', async () => {
    channel.end('the test ends it');
    expect([wire.writableEnded, high.writableEnded]).toEqual([true, true]);
    wire.destroy();
    high.destroy();
    await turn();
    expect(ended).toEqual(['the test ends it']);
  });

  test('gives the place of a connection to a newer one of its type', async () => {
    const newer = new Wire();
    channel.join('ctrl.high', underlayOf(newer));
    expect([high.writableEnded, ended]).toEqual([true, ['ctrl.high']]);
    high.destroy();
    await turn();
    channel.send(CONTENT.route);
    expect([typesOn(newer), ended]).toEqual([[CONTENT.route], ['ctrl.high']]);
  });

  test('is not bothered by a newer one that has ended before it joins', () => {
    const newer = new Wire();
    newer.destroy();
    channel.join('ctrl.high', underlayOf(newer));
    channel.send(CONTENT.route);
    expect([channel.isOpen, typesOn(wire)]).toEqual([true, [CONTENT.route]]);
    expect(ended).toEqual(['ctrl.high', 'ctrl.high']);
  });

  test('ends when one of them brings something that is no frame', async () => {
    high.push(Buffer.from('no frame at all, but long enough'));
    await turn();
    expect(ended).toEqual(['it sent something that is no frame']);
    expect(wire.writableEnded).toBe(true);
  });

  test('reads from neither while too much waits', async () => {
    await arrive(...Array.from({ length: 64 }, (_none, i) => frame(9_000, i)));
    await arrive(...Array.from({ length: 1_000 }, (_none, i) => frame(9_000, i)));
    expect([wire.isPaused(), high.isPaused()]).toEqual([true, true]);
    release();
    await turn();
    await turn();
    expect([wire.isPaused(), high.isPaused()]).toEqual([false, false]);
    expect(handled).toEqual([]);
  });
});

test('a connection that joins before the channel begins is read from its begin', async () => {
  const [first, second] = [new Wire(), new Wire()];
  const early = new ControlChannel(new Underlay(first, new FrameReader(FRAME_LIMITS)), {
    handlers: new Map([[9_002, ({ sequence }) => void handled.push(sequence)]]),
    onUnknown: () => undefined,
    onError: () => undefined,
    onLost: () => undefined,
    onEnd: () => undefined,
  });
  early.join('ctrl.high', new Underlay(second, new FrameReader(FRAME_LIMITS)));
  second.push(frame(9_002, 3));
  await arrive();
  expect(handled).toEqual([]);
  early.start();
  await arrive();
  expect(handled).toEqual([3]);
});

describe('a large frame', () => {
  const body = randomBytes(1 << 20);

  test('is written in pieces, and what is sent meanwhile comes behind it', async () => {
    channel.send(9_100, body);
    channel.send(9_101);
    channel.send(9_102, body);
    channel.send(9_103);
    await channel.ready();
    expect(wire.written.map(({ type }) => type)).toEqual([9_100, 9_101, 9_102, 9_103]);
    expect(wire.written.map((each) => each.body.length)).toEqual([1 << 20, 0, 1 << 20, 0]);
    expect(wire.written[0]?.body.equals(body)).toBe(true);
  });

  test('is copied only as far as its router reads', async () => {
    wire.isStuck = true;
    channel.send(9_100, body);
    channel.send(9_101);
    await arrive();
    expect(wire.writableLength).toBeLessThan(300_000);
    for (let i = 0; i < 100; i += 1) channel.send(9_102, body);
    expect(ended).toEqual(['it does not read what is sent to it']);
  });
});
