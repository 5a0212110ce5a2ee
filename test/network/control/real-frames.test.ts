import { expect, test } from '@jest/globals';
import { CONTENT, HEADER } from '../../../src/network/control/content-types.js';
import type { Codec } from '../../../src/network/messages/codec.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import {
  decodeFrame,
  encodeFrame,
  FRAME_LIMITS,
  type Frame,
} from '../../../src/network/control/frame.js';
import { readBool, readText, readUint32 } from '../../../src/network/control/header-values.js';

/* Frames that routers of version 1.6.20 have sent. What their bodies hold was read by the router's own code. */

const frameOf = (hex: string): Frame =>
  decodeFrame(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex'), FRAME_LIMITS);

const CONNECTION = { type: 'link.default', localAddr: 'tcp:127.0.0.1:53158' };

test.each<[string, string, number, Codec<unknown>, object]>([
  [
    'the addresses of a router',
    `0306090c214e0000020000000c0000007b0000000100000004000000010000000a0776312e362e323012093132372e302e302e311a0374
     6c732a0534343638355259522c5213746c733a3132372e302e302e313a3434363835a20103746c73f201093132372e302e302e31c0028d
     dd02a20128520f3132372e302e302e313a3434363835a20103746c73f201093132372e302e302e31c0028ddd02`,
    CONTENT.clientHello,
    messages.ClientHello,
    {
      version: 'v1.6.20',
      hostname: '127.0.0.1',
      protocols: ['tls'],
      protocolPorts: ['44685'],
      data: {},
      listeners: [
        {
          address: {
            value: 'tls:127.0.0.1:44685',
            protocol: 'tls',
            hostname: '127.0.0.1',
            port: 44685,
          },
          advertise: {
            value: '127.0.0.1:44685',
            protocol: 'tls',
            hostname: '127.0.0.1',
            port: 44685,
          },
        },
      ],
    },
  ],
  [
    'a link that it dialed',
    `0306090c0b0400000300000000000000810000000a7f0a1553466c596148716a784e31675a3450325545536b62120c465334507962356a
     6f6e36741a03746c732a13746c733a3132372e302e302e313a343034363930013a3c080112380a0c6c696e6b2e64656661756c74121374
     63703a3132372e302e302e313a35333135381a137463703a3132372e302e302e313a3430343639`,
    CONTENT.routerLinks,
    messages.RouterLinks,
    {
      links: [
        {
          id: 'SFlYaHqjxN1gZ4P2UESkb',
          destRouterId: 'FS4Pyb5jon6t',
          linkProtocol: 'tls',
          costTags: [],
          dialAddress: 'tls:127.0.0.1:40469',
          iteration: 1,
          connState: {
            stateIteration: 1,
            conns: [{ ...CONNECTION, remoteAddr: 'tcp:127.0.0.1:40469' }],
          },
        },
      ],
    },
  ],
  [
    'that it has no link',
    '0306090c0b0400000100000010000000000000000500000008000000a8eea79159d9ea18',
    CONTENT.routerLinks,
    messages.RouterLinks,
    { links: [] },
  ],
  [
    'the connections of a link',
    `0306090c1d0400000d00000000000000920000000a16315565626e76326e4a74427a564b4b496a754d33316810011a76080212380a0c6c
     696e6b2e64656661756c7412137463703a3132372e302e302e313a33383032361a137463703a3132372e302e302e313a34323638311238
     0a0c6c696e6b2e64656661756c7412137463703a3132372e302e302e313a33333534381a137463703a3132372e302e302e313a3432363831`,
    CONTENT.linkState,
    messages.LinkStateUpdate,
    {
      linkId: '1Uebnv2nJtBzVKKIjuM31h',
      linkIteration: 1,
      connState: {
        stateIteration: 2,
        conns: [
          {
            type: 'link.default',
            localAddr: 'tcp:127.0.0.1:38026',
            remoteAddr: 'tcp:127.0.0.1:42681',
          },
          {
            type: 'link.default',
            localAddr: 'tcp:127.0.0.1:33548',
            remoteAddr: 'tcp:127.0.0.1:42681',
          },
        ],
      },
    },
  ],
  [
    'that a link is one too many',
    '0306090cec03000006000000000000001b0000000805121553466c596148716a784e31675a3450325545536b621801',
    CONTENT.fault,
    messages.Fault,
    { subject: 'LinkDuplicate', id: 'SFlYaHqjxN1gZ4P2UESkb', iteration: 1 },
  ],
  [
    'its clients',
    '0306090cbf4f000015000000100000001400000005000000080000002a00bfe55bd9ea180a100a0c4f467664787348704c4d324410011001',
    CONTENT.connectEvents,
    messages.ConnectEvents,
    {
      events: [{ identityId: 'OFvdxsHpLM2D', isConnected: true, connectTimes: [] }],
      fullState: true,
    },
  ],
])('a router tells %s', (_, hex, type, codec, message) => {
  const frame = frameOf(hex);
  expect(frame.type).toBe(type);
  expect(codec.decode(frame.body)).toEqual(message);
  // Our own encoding has the same bytes.
  expect(codec.encode(message as never).toString('hex')).toBe(frame.body.toString('hex'));
  expect(encodeFrame(frame).toString('hex')).toBe(hex.replaceAll(/\s/g, ''));
});

test('a heartbeat has its time in a header', () => {
  const { type, sequence, headers, body } = frameOf(
    '0306090c0500000016000000100000000000000006000000080000005625017410060000',
  );
  expect([type, sequence, body.length]).toStrictEqual([CONTENT.heartbeat, 22, 0]);
  expect([...headers.keys()]).toStrictEqual([HEADER.heartbeatAnswer]);
});

test('the answer to a route names the route, its attempt and the circuit', () => {
  const { type, headers, body } = frameOf(
    `0306090cfe0300000a000000210000000c0000004e040000010000000101000000040000000c0000004d040000040000000000000053
     7a4e4447326f306e334132`,
  );
  expect(type).toBe(CONTENT.routeResult);
  expect(readUint32(headers.get(HEADER.replyFor))).toBe(12);
  expect(readBool(headers.get(1102))).toBe(true);
  expect(readUint32(headers.get(1101))).toBe(0);
  expect(readText(body)).toBe('SzNDG2o0n3A2');
});

test('a router that asks about another one has the id and the certificate of it in the body', () => {
  const { type, body } = frameOf(
    `0306090c0c0400000400000000000000380000000a0c6b4963636b4b4f526c73426e12283031653632323466363739393239613564316131
     3264316137323734316362383539323763626130`,
  );
  expect(type).toBe(CONTENT.verifyRouter);
  expect(messages.VerifyRouter.decode(body)).toEqual({
    routerId: 'kIcckKORlsBn',
    fingerprints: ['01e6224f679929a5d1a12d1a72741cb85927cba0'],
  });
});
