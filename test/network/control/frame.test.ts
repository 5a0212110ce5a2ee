import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  decodeFrame,
  encodeFrame,
  FRAME_LIMITS,
  FrameError,
  FrameReader,
  HELLO_LIMITS,
  type Frame,
} from '../../../src/network/control/frame.js';
import { acceptHello, readHello } from '../../../src/network/control/router-hello.js';
import { textValue } from '../../../src/network/control/header-values.js';
import { runs } from '../../support/runs.js';

/* Bytes of frames. The two exchanges are those that routers and controllers send. */

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

const VERSION = '76312e362e32307c727c647c6c696e75787c616d643634';

const HELLO = hex(`
  0306090c 00000000 ffffffff 2a000000 04000000
  04000000 17000000 ${VERSION}
  0b000000 03000000 0a0101
  72747231`);

const ACCEPTANCE = hex(`
  0306090c 02000000 ffffffff 54000000 00000000
  01000000 04000000 ffffffff
  02000000 01000000 01
  04000000 17000000 ${VERSION}
  08000000 05000000 6374726c31
  00000000 02000000 6331
  0c000000 01000000 0e`);

const read = (bytes: Buffer, limits = FRAME_LIMITS): Frame[] => {
  const reader = new FrameReader(limits);
  reader.push(bytes);
  const frames: Frame[] = [];
  for (let frame = reader.next(); frame; frame = reader.next()) frames.push(frame);
  return frames;
};

test('the hello of a router says its id, version and what it can do', () => {
  const [frame] = read(HELLO, HELLO_LIMITS);
  expect(frame && readHello(frame)).toEqual({
    routerId: 'rtr1',
    versionInfo: { version: 'v1.6.20', revision: 'r', buildDate: 'd', os: 'linux', arch: 'amd64' },
    linkListeners: [],
    generation: 1,
  });
  expect(frame && encodeFrame(frame)).toEqual(HELLO);
});

test('the answer to a hello has the bytes that routers expect', () => {
  const answer = acceptHello({
    controllerId: 'ctrl1',
    connectionId: 'c1',
    version: { version: 'v1.6.20', revision: 'r', buildDate: 'd', os: 'linux', arch: 'amd64' },
    capabilities: ['grouped-channels', 'jwt-sessions'],
    generation: 1,
  });
  expect(answer.toString('hex')).toBe(ACCEPTANCE.toString('hex'));
});

test('frames are read from any pieces', () => {
  const frames = fc.record({
    type: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    sequence: fc.integer({ min: -1, max: 2 ** 31 - 1 }),
    headers: fc
      .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 2_000 }), fc.uint8Array({ maxLength: 40 })), {
        selector: ([key]) => key,
      })
      .map((entries) => new Map(entries.map(([key, value]) => [key, Buffer.from(value)]))),
    body: fc.uint8Array({ maxLength: 40_000 }).map((body) => Buffer.from(body)),
  });
  fc.assert(
    fc.property(
      fc.array(frames, { maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 20 }),
      (sent, lengths) => {
        const bytes = Buffer.concat(sent.map(encodeFrame));
        const reader = new FrameReader(FRAME_LIMITS);
        const received: Frame[] = [];
        for (let at = 0, piece = 0; at < bytes.length; piece += 1) {
          const end = at + (lengths[piece % lengths.length] ?? 1);
          reader.push(bytes.subarray(at, end));
          at = end;
          for (let frame = reader.next(); frame; frame = reader.next()) received.push(frame);
        }
        expect(received).toEqual(sent);
      },
    ),
    runs(25),
  );
});

test('a frame in single bytes takes no more memory than itself, twice over', () => {
  const reader = new FrameReader(FRAME_LIMITS);
  const bytes = encodeFrame({
    type: 1,
    sequence: 1,
    headers: new Map([[7, textValue('x')]]),
    body: Buffer.alloc(300_000, 7),
  });
  let frame: Frame | undefined;
  for (const byte of bytes) {
    reader.push(Buffer.from([byte]));
    frame ??= reader.next();
  }
  expect(frame?.body.equals(Buffer.alloc(300_000, 7))).toBe(true);
});

test.each([
  ['another protocol', '474554202f20'],
  ['another protocol, in its first byte', '16'],
  ['headers beyond their limit', '0306090c 00000000 ffffffff 01400000 00000000'],
  ['a body beyond its limit', '0306090c 00000000 ffffffff 00000000 61100000'],
  [
    'a header beyond all headers',
    '0306090c 00000000 ffffffff 09000000 00000000 01000000 02000000 01',
  ],
  ['a header without a length', '0306090c 00000000 ffffffff 04000000 00000000 01000000'],
  [
    'a header with a length beyond 2^31',
    '0306090c 00000000 ffffffff 08000000 00000000 01000000 ffffffff',
  ],
])('%s is no hello', (_what, text) => {
  expect(() => read(hex(text), HELLO_LIMITS)).toThrow();
});

test('a frame of more than 64 MiB is refused before it comes', () => {
  expect(() => read(hex('0306090c 00000000 01000000 00000000 01000004'))).toThrow('too large');
});

test('a message is one frame, no more and no less', () => {
  expect(decodeFrame(HELLO, HELLO_LIMITS)).toStrictEqual(read(HELLO)[0]);
  for (const message of [
    Buffer.alloc(0),
    HELLO.subarray(0, 19),
    HELLO.subarray(0, -1),
    Buffer.concat([HELLO, HELLO]),
    Buffer.from('GET / HTTP/1.1\r\n'),
  ]) {
    expect(() => decodeFrame(message, HELLO_LIMITS)).toThrow(FrameError);
  }
});
