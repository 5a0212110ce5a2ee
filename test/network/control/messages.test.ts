import { expect, test } from '@jest/globals';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import {
  bytesByNumber,
  readBytesByNumber,
  readTexts,
  textsByText,
} from '../../../src/network/control/header-values.js';

/* The bytes of messages, written out by hand from the numbers of their fields. */

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

test('a route has its fields under the numbers of routers', () => {
  const route = messages.Route.encode({
    circuitId: 'c',
    attempt: 1,
    egress: {
      binding: 'edge',
      address: 'a',
      destination: 'd',
      peerData: { 1003: Buffer.from('k') },
    },
    forwards: [{ srcAddress: 's', dstAddress: 'd', dstType: 'Link' }],
    timeout: 10_000_000_000,
    tags: { t: 'v' },
  });
  expect(route.toString('hex')).toBe(
    hex(`0a0163 1001
      1a14 0a0465646765 120161 1a0164 2206 08eb07 12016b
      2208 0a0173 120164 1802
      3080c8afa025
      3a06 0a0174 120176`).toString('hex'),
  );
});

test('a message is read with the default of what it leaves out', () => {
  expect(messages.Fault.decode(hex('12026331'))).toEqual({
    subject: 'IngressFault',
    id: 'c1',
    iteration: 0,
  });
  expect(messages.CreateTerminatorV2Request.decode(hex('0a0161 2206 08eb07 12016b'))).toEqual({
    address: 'a',
    sessionToken: '',
    fingerprints: [],
    peerData: { 1003: Buffer.from('k') },
    cost: 0,
    precedence: 'Default',
    instanceId: '',
    instanceSecret: Buffer.alloc(0),
    apiSessionToken: '',
  });
});

test('unknown fields are skipped, unknown values of enumerations are refused', () => {
  expect(messages.Unroute.decode(hex('0a0163 1001 7a0178'))).toEqual({ circuitId: 'c', now: true });
  expect(() => messages.Fault.decode(hex('0809'))).toThrow('Fault.subject');
});

test('a text with NUL is refused, wherever it stands', () => {
  expect(() => messages.Unroute.decode(hex('0a0100'))).toThrow('NUL');
  expect(() => messages.ServerHello.decode(hex('1206 0a0163 120100'))).toThrow('NUL');
});

test.each([
  ['a length beyond the end', '0a7f61'],
  ['an unfinished number', '10ffffffff'],
  ['groups in groups', '0b'.repeat(100_000)],
])('%s is no message', (_what, text) => {
  expect(() => messages.Unroute.decode(hex(text))).toThrow();
});

test('an entry named __proto__ changes no other object', () => {
  // idleTimes { "__proto__": 1 }
  messages.CircuitConfirmation.decode(hex('120d 0a095f5f70726f746f5f5f 1001'));
  expect(({} as Record<string, unknown>)['1']).toBeUndefined();
  expect(Object.prototype).not.toHaveProperty('1');
});

test('maps in headers begin with the number of their entries', () => {
  const peerData = hex('02000000 eb030000 01000000 6b f0030000 02000000 6869');
  expect(readBytesByNumber(peerData)).toEqual(
    new Map([
      [1003, Buffer.from('k')],
      [1008, Buffer.from('hi')],
    ]),
  );
  expect(bytesByNumber(readBytesByNumber(peerData))).toEqual(peerData);
  expect(textsByText({ a: 'bc' })).toEqual(hex('01000000 01000000 61 02000000 6263'));
  expect(readTexts(hex('02000000 01000000 61 00000000'))).toEqual(['a', '']);
});

test.each([
  ['too many items', '81000000'],
  ['an item that is too long', '01000000 01200000'],
  ['an item beyond the end', '01000000 02000000 61'],
  ['no number', '0100'],
])('%s is no list', (_what, text) => {
  expect(() => readTexts(hex(text))).toThrow();
});

test.each(['', '00000000'])('an empty list is %p', (text) => {
  expect(readTexts(hex(text))).toEqual([]);
});
