import { beforeEach, expect, test } from '@jest/globals';
import { CONTENT, HEADER } from '../../../src/network/control/content-types.js';
import { ControlChannel } from '../../../src/network/control/control-channel.js';
import { encodeFrame, FRAME_LIMITS, FrameReader } from '../../../src/network/control/frame.js';
import { uint32Value } from '../../../src/network/control/header-values.js';
import { Underlay } from '../../../src/network/control/underlay.js';
import { Wire } from './wire.js';

/* A channel on a stream whose other end the test plays and sets the pace of. */

let wire: Wire;
let ended: (string | undefined)[];
let channel: ControlChannel;
let handled: number[];
let release: () => void;

beforeEach(() => {
  wire = new Wire();
  ended = [];
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
