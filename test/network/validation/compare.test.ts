import { describe, expect, test } from '@jest/globals';
import type { Link } from '../../../src/data/rows/fabric/index.js';
import {
  compareCircuits,
  compareIdentityConnections,
  compareLinks,
  compareTerminators,
  optionalRouterValue,
  routerValue,
  ValidationFault,
} from '../../../src/network/validation/index.js';

const LINK: Link = {
  id: 'link',
  sourceId: 'one',
  destinationId: 'two',
  iteration: 1,
  protocol: 'tls',
  dialAddress: 'tls:x:1',
  connections: [{ type: 'single', source: '1.1.1.1:1', dest: '2.2.2.2:2' }],
  staticCost: 1,
  isDown: false,
  sourceLatency: 1,
  destinationLatency: 1,
  createdAt: new Date(0),
};

const CONNECTION = { Type: 'single', Source: '1.1.1.1:1', Dest: '2.2.2.2:2' };

describe('links', () => {
  const compare = (
    links: unknown,
    { link = LINK, isConnected = true }: { link?: Link | undefined; isConnected?: boolean } = {},
  ) =>
    compareLinks(
      { links },
      {
        routerId: 'one',
        earlier: [LINK],
        link: (id) => (id === link.id ? link : undefined),
        isConnected: () => isConnected,
      },
    );
  const reported = { id: 'link', dest: 'two', dialed: true, connections: [CONNECTION] };

  test('with the same connections are valid', () => {
    expect(compare([reported])).toMatchObject({ isDone: true, isValid: true, errors: [] });
  });

  test('with other connections are not', () => {
    const connections = [{ ...CONNECTION, Dest: '3.3.3.3:3' }];
    const { isValid, details } = compare([{ ...reported, connections }]);
    expect(isValid).toBe(false);
    expect(details).toMatchObject([
      {
        isValid: false,
        messages: [
          'its connections differ: single 1.1.1.1:1 -> 2.2.2.2:2 at the controller, single 1.1.1.1:1 -> 3.3.3.3:3 at the router',
        ],
      },
    ]);
  });

  test('are compared by their connections at the side that dialed alone', () => {
    expect(compare([{ ...reported, dialed: false, connections: [] }])).toMatchObject({
      isValid: true,
    });
  });

  test('to a router that is away may be left at the router, not at the controller', () => {
    const away = { isConnected: false };
    expect(compare([reported], away)).toMatchObject({ isValid: false });
    const gone = { ...LINK, id: 'another' };
    expect(compare([reported], { ...away, link: gone })).toMatchObject({ isValid: true });
  });

  test.each([[null], ['text'], [[null, 1]], [undefined]])(
    'reported as %j are none: those of the controller are missing',
    (links) => {
      expect(compare(links).details).toMatchObject([
        { linkId: 'link', routerState: 'LinkUnknown', dialed: true, destRouterId: 'two' },
      ]);
    },
  );

  test('that have come or gone meanwhile are not missing', () => {
    expect(compare([], { link: { ...LINK, id: 'another' } })).toMatchObject({
      isValid: true,
      details: [],
    });
  });
});

describe('circuits', () => {
  const none = { forwarder: {}, edge: undefined, sdk: undefined };
  const facts = { earlier: ['c'], exists: () => true, existedLately: () => true };

  test('that ended lately are not missing anywhere', () => {
    const ended = { ...facts, exists: () => false };
    expect(compareCircuits(none, ended)).toMatchObject({ isValid: true, details: [] });
    const forwarder = { circuits: { c: { circuitId: 'c' } } };
    expect(compareCircuits({ ...none, forwarder }, ended)).toMatchObject({ details: [] });
  });

  test('of the listener for clients that nothing else has are missing in the rest', () => {
    const edge = { circuits: { x: { circuitId: 'ghost' } } };
    const unknown = { ...facts, earlier: [], existedLately: () => false };
    expect(compareCircuits({ ...none, edge }, unknown)).toMatchObject({
      isValid: false,
      details: [{ circuitId: 'ghost', missingInCtrl: true, missingInForwarder: true }],
    });
  });
});

test('terminators that came or went meanwhile are not missing', () => {
  const facts = { earlier: new Set(['gone']), present: new Set(['new']) };
  expect(compareTerminators({ entries: [] }, facts)).toMatchObject({ isValid: true, details: [] });
});

test('an identity without a connection that the controller does not have either is no fault', () => {
  const none = { earlier: new Set<string>(), present: new Set<string>() };
  const value = { identity_connections: { one: { connections: null } } };
  expect(compareIdentityConnections(value, none)).toMatchObject({ isValid: true, errors: [] });
});

describe('a value of a router', () => {
  test('is absent without its name', () => {
    expect(optionalRouterValue([], 'links')).toBeUndefined();
    expect(() => routerValue([], 'links')).toThrow(new ValidationFault('it reports no links'));
  });

  test.each(['[]', 'null', '{', '{"a":"\\u0000"}', '['.repeat(1_000)])(
    'that is %s can not be read',
    (value) => {
      expect(() => routerValue([{ name: 'links', value }], 'links')).toThrow(
        new ValidationFault('its links can not be read'),
      );
    },
  );
});
