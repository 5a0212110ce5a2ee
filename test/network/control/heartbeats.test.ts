import { beforeEach, describe, expect, test } from '@jest/globals';
import { CONTENT, HEADER } from '../../../src/network/control/content-types.js';
import { ControlChannel } from '../../../src/network/control/control-channel.js';
import { encodeFrame, FRAME_LIMITS, FrameReader } from '../../../src/network/control/frame.js';
import { Underlay } from '../../../src/network/control/underlay.js';
import { Wire } from './wire.js';

/* Heartbeats beside a frame that a router reads slowly, as a large data model over a slow line. */

const LARGE = 9_100;
const SMALL = 9_101;
/** A frame of 32 pieces. */
const body = Buffer.alloc(8 << 20);

let wire: Wire;
let ended: (string | undefined)[];
let channel: ControlChannel;

const underlayOf = (stream: Wire): Underlay => new Underlay(stream, new FrameReader(FRAME_LIMITS));

beforeEach(async () => {
  wire = new Wire();
  ended = [];
  channel = new ControlChannel(underlayOf(wire), {
    handlers: new Map(),
    onUnknown: () => undefined,
    onError: () => undefined,
    onLost: () => undefined,
    onEnd: (reason) => ended.push(reason),
  });
  channel.start();
  // The time in which it starts is over.
  await answerBeat(wire);
});

/** Turns of the event loop: each writes a few pieces at most. */
async function turns(): Promise<void> {
  for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function arrive(stream: Wire, header: number, value = Buffer.alloc(8)): Promise<void> {
  const headers = new Map([[header, value]]);
  stream.push(
    encodeFrame({ type: CONTENT.heartbeat, sequence: 1, headers, body: Buffer.alloc(0) }),
  );
  await turns();
}

const answerBeat = (stream: Wire): Promise<void> => arrive(stream, HEADER.heartbeatAnswer);

/** Heartbeats between which the router reads a piece of what is sent to it. */
async function beatAndRead(beats: number): Promise<void> {
  for (let i = 0; i < beats; i += 1) {
    channel.beat();
    wire.readPiece();
    await turns();
  }
}

/** Heartbeats until the channel has ended. */
async function beatsToEnd(beforeEach: () => Promise<void> = turns): Promise<number> {
  for (let beats = 0; beats < 20; beats += 1) {
    if (!channel.isOpen) return beats;
    await beforeEach();
    channel.beat();
  }
  return NaN;
}

const typesOn = (stream: Wire): number[] => stream.written.map(({ type }) => type);

describe('a router that reads a large frame slowly', () => {
  beforeEach(() => {
    wire.isStuck = true;
    channel.send(LARGE, body);
  });

  test('is connected as long as it reads, and three heartbeats longer', async () => {
    await beatAndRead(30);
    expect([channel.isOpen, typesOn(wire)]).toEqual([true, []]);
    wire.readAll();
    await channel.written();
    expect(typesOn(wire)[0]).toBe(LARGE);
    // The frame was still being read after the last heartbeat.
    expect(await beatsToEnd()).toBeLessThanOrEqual(5);
    expect(ended).toEqual(['it answers no heartbeats']);
  });

  test('is disconnected when it reads nothing in the time of three heartbeats', async () => {
    await beatAndRead(12);
    expect(await beatsToEnd()).toBeLessThanOrEqual(4);
    expect(ended).toEqual(['it does not read what is sent to it']);
  });

  test('is connected while it reads what waits behind the frame', async () => {
    for (let i = 0; i < 20; i += 1) channel.send(SMALL, Buffer.alloc(128 << 10));
    await beatAndRead(52);
    expect([channel.isOpen, typesOn(wire)[0]]).toEqual([true, LARGE]);
    expect(typesOn(wire).length).toBeGreaterThan(10);
    expect(typesOn(wire).length).toBeLessThan(21);
    wire.readAll();
    await channel.written();
    expect(typesOn(wire).filter((type) => type !== CONTENT.heartbeat)).toEqual([
      LARGE,
      ...Array.from({ length: 20 }, () => SMALL),
    ]);
  });
});

describe('a router with a connection for urgent frames', () => {
  let high: Wire;

  beforeEach(() => {
    high = new Wire();
    channel.join('ctrl.high', underlayOf(high));
  });

  test('gets heartbeats and answers to its own by that one', async () => {
    channel.beat();
    const value = Buffer.alloc(8, 7);
    await arrive(wire, HEADER.heartbeat, value);
    await arrive(high, HEADER.heartbeat, value);
    expect([typesOn(wire), typesOn(high).length]).toEqual([[], 3]);
    const answers = high.written.slice(1).map(({ headers }) => headers.get(HEADER.heartbeatAnswer));
    expect(answers).toEqual([value, value]);
  });

  test('gets them while a large frame is written to the other one', async () => {
    wire.isStuck = true;
    channel.send(LARGE, body);
    await beatAndRead(5);
    await arrive(wire, HEADER.heartbeat);
    expect([typesOn(wire), typesOn(high).length]).toEqual([[], 6]);
  });

  test('is disconnected when it reads nothing of a large frame, though it answers', async () => {
    wire.isStuck = true;
    channel.send(LARGE, body);
    await beatAndRead(5);
    expect(await beatsToEnd(() => answerBeat(high))).toBeLessThanOrEqual(5);
    expect(ended).toEqual(['it does not read what is sent to it']);
  });

  test('gets them by the other one when it has lost that one', async () => {
    high.destroy();
    await turns();
    channel.beat();
    expect(typesOn(wire)).toEqual([CONTENT.heartbeat]);
  });
});
