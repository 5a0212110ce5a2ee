import { expect, test } from '@jest/globals';
import {
  capabilityMask,
  type RouterCapability,
} from '../../../src/network/control/capabilities.js';
import {
  beginGroup,
  belongsTo,
  type GroupHello,
} from '../../../src/network/control/channel-group.js';
import { CONTENT, HEADER } from '../../../src/network/control/content-types.js';
import { decodeFrame, HELLO_LIMITS, type Frame } from '../../../src/network/control/frame.js';
import { textValue } from '../../../src/network/control/header-values.js';
import {
  acceptHello,
  HelloRefusal,
  readHello,
  requireCapabilities,
} from '../../../src/network/control/router-hello.js';
import { helloFrame, helloOfVersion2 } from '../../support/test-router.js';

/* The hello of routers of both lines, and the answers to it. */

const VERSION = { version: 'v1.6.8', revision: 'r', buildDate: 'd', os: 'linux', arch: 'amd64' };
const ID = Buffer.from('group-1');
const SECRET = Buffer.from('0123456789abcdef');

const frameOf = (bytes: Buffer): Frame => decodeFrame(bytes, HELLO_LIMITS);
const read = (hello: ReturnType<typeof helloOfVersion2>) =>
  readHello(frameOf(helloFrame({ id: 'r2', ...hello })));

/** The headers of a router of version 2.0.0-pre12. */
const REAL = new Map([
  [7, textValue('ctrl.default')],
  [11, Buffer.from([1])],
  [
    1000,
    Buffer.from(
      '0a270a13746c733a3132372e302e302e313a32313338301203746c73220764656661756c742a026c6f',
      'hex',
    ),
  ],
  [1002, Buffer.from([2])],
  [9, Buffer.from([1])],
]);

test('a router of version 2 says its listeners and its group by other headers', () => {
  const version = 'v2.0.0-pre12|local|2020-01-01 01:01:01|linux|amd64';
  expect(read({ version, headers: REAL })).toEqual({
    routerId: 'r2',
    versionInfo: {
      version: 'v2.0.0-pre12',
      revision: 'local',
      buildDate: '2020-01-01 01:01:01',
      os: 'linux',
      arch: 'amd64',
    },
    linkListeners: [
      {
        address: 'tls:127.0.0.1:21380',
        protocol: 'tls',
        costTags: [],
        groups: ['default'],
        localBinding: 'lo',
      },
    ],
    generation: 2,
    group: { type: 'ctrl.default', isFirst: true },
  });
});

test.each<[string, Parameters<typeof helloOfVersion2>[0], GroupHello]>([
  ['the first one', {}, { type: 'ctrl.default', isFirst: true }],
  [
    'a later one',
    { type: 'ctrl.high', isFirst: false, group: { id: ID, secret: SECRET } },
    { type: 'ctrl.high', isFirst: false, id: 'group-1', secret: SECRET },
  ],
  [
    'the first one after all were lost',
    { type: 'ctrl.high', group: { id: ID, secret: SECRET } },
    { type: 'ctrl.high', isFirst: true, id: 'group-1', secret: SECRET },
  ],
  [
    'one with empty values',
    { group: { id: Buffer.alloc(0), secret: Buffer.alloc(0) } },
    { type: 'ctrl.default', isFirst: true },
  ],
])('a connection of a group says which it is: %s', (_name, hello, group) => {
  expect(read(helloOfVersion2(hello)).group).toStrictEqual(group);
});

test('a router of version 2 may have one connection alone', () => {
  const { version, headers } = helloOfVersion2();
  const ungrouped = new Map([...headers].filter(([key]) => key !== 9));
  expect(read({ version, headers: ungrouped })).toMatchObject({ generation: 2, group: undefined });
});

test('a connection of an unknown type is refused', () => {
  const { version, headers } = helloOfVersion2();
  const strange = new Map([...headers, [7, textValue('ctrl.strange')]]);
  expect(() => read({ version, headers: strange })).toThrow(HelloRefusal);
});

test('routers of version 1 use the numbers of the group for something else', () => {
  const { version, headers } = helloOfVersion2();
  for (const mask of [undefined, Buffer.alloc(0), Buffer.from([1]), Buffer.from([2, 0])]) {
    const legacy = new Map([...headers].filter(([key]) => key !== 1002));
    if (mask) legacy.set(1002, mask);
    expect(read({ version, headers: legacy })).toMatchObject({ generation: 1, group: undefined });
  }
});

test.each<[RouterCapability[], string, string]>([
  [[], '0e', '0e'],
  [['data-model'], '1e', '1e'],
  [['grouped-channels'], '0e', '2e'],
  [['jwt-sessions'], '0e', '4e'],
  [['data-model', 'grouped-channels', 'jwt-sessions'], '1e', '7e'],
])('the capabilities %j are announced to each line as far as it knows them', (names, one, two) => {
  expect(capabilityMask(names, 1).toString('hex')).toBe(one);
  expect(capabilityMask(names, 2).toString('hex')).toBe(two);
});

test('a router of version 2 needs sessions with JWTs, one of version 1 needs nothing', () => {
  expect(() => {
    requireCapabilities({ generation: 2 }, ['data-model', 'grouped-channels']);
  }).toThrow(new HelloRefusal('this controller serves routers of the versions 1.6, not 2'));
  requireCapabilities({ generation: 2 }, ['jwt-sessions']);
  requireCapabilities({ generation: 1 }, []);
});

test('the answer to a connection of a group repeats the group', () => {
  const answer = acceptHello({
    controllerId: 'ctrl1',
    connectionId: 'c1',
    version: VERSION,
    capabilities: ['jwt-sessions'],
    generation: 2,
    group: { type: 'ctrl.high', id: 'group-1', secret: SECRET },
  });
  const { type, sequence, headers } = frameOf(answer);
  expect([type, sequence]).toEqual([CONTENT.result, -1]);
  expect(headers).toEqual(
    new Map([
      [HEADER.replyFor, Buffer.from('ffffffff', 'hex')],
      [HEADER.success, Buffer.from([1])],
      [HEADER.version, textValue('v1.6.8|r|d|linux|amd64')],
      [HEADER.controllerId, textValue('ctrl1')],
      [HEADER.connectionId, ID],
      [7, textValue('ctrl.high')],
      [9, Buffer.from([1])],
      [10, SECRET],
      [1002, Buffer.from([0x4e])],
    ]),
  );
});

test('a group begins with a new secret, or goes on with the id and secret of its router', () => {
  const first = beginGroup({ type: 'ctrl.default', isFirst: true }, 'c1');
  expect(first).toEqual({ id: 'c1', secret: expect.any(Buffer) });
  expect(first.secret).toHaveLength(16);
  expect(beginGroup({ type: 'ctrl.default', isFirst: true }, 'c1').secret).not.toEqual(
    first.secret,
  );
  const again = { type: 'ctrl.high', isFirst: true, id: 'c1-1', secret: first.secret } as const;
  expect(beginGroup(again, 'c2')).toEqual({ id: 'c1-1', secret: first.secret });
});

test('a connection belongs to a group by its id and its secret', () => {
  const group = { id: 'group-1', secret: SECRET };
  const member = { type: 'ctrl.high', isFirst: false } as const;
  expect(belongsTo({ ...member, ...group }, group)).toBe(true);
  // Some routers call each of their connections the first.
  expect(belongsTo({ ...member, ...group, isFirst: true }, group)).toBe(true);
  expect(belongsTo({ ...member, id: 'group-2', secret: SECRET }, group)).toBe(false);
  expect(belongsTo({ ...member, id: 'group-1', secret: SECRET.subarray(1) }, group)).toBe(false);
  expect(belongsTo({ ...member, id: 'group-1', secret: Buffer.alloc(16) }, group)).toBe(false);
  expect(belongsTo({ ...member, id: 'group-1' }, group)).toBe(false);
});
