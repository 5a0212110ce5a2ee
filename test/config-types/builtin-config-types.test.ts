import { describe, expect, it, test } from '@jest/globals';
import { builtinConfigTypes, checkConfigData, checkSchema } from '../../src/config-types/index.js';
import { refusal } from '../support/refusal.js';

function schemaOf(name: string) {
  const type = builtinConfigTypes.find((known) => known.name === name);
  if (!type) throw new Error(`no built-in ${name}`);
  return type.schema;
}

const ports = [{ low: 80, high: 443 }];
const check = { interval: '5s', timeout: '500ms', address: 'localhost:80' };
const host = { protocol: 'tcp', address: 'localhost', port: 80 };
const intercept = { protocols: ['tcp'], addresses: ['*.ziti'], portRanges: ports };

describe('the built-in config types', () => {
  it('have their published ids, names and targets', () => {
    expect(builtinConfigTypes.map(({ id, name, target }) => [id, name, target])).toEqual([
      ['f2dd2df0-9c04-4b84-a91e-71437ac229f1', 'ziti-tunneler-client.v1', 'service'],
      ['cea49285-6c07-42cf-9f52-09a9b115c783', 'ziti-tunneler-server.v1', 'service'],
      ['g7cIWbcGg', 'intercept.v1', 'service'],
      ['NH5p4FpGR', 'host.v1', 'service'],
      ['host.v2', 'host.v2', 'service'],
      ['interfaces.v1', 'interfaces.v1', 'service'],
      ['proxy.v1', 'proxy.v1', 'service'],
      ['router.link.v1', 'router.link.v1', 'router'],
    ]);
  });

  test.each(builtinConfigTypes.map(({ name, schema }) => [name, schema] as const))(
    '%s has a schema that users could have written',
    (_name, schema) => {
      expect(refusal(checkSchema, schema)).toBeUndefined();
      expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
    },
  );
});

/** type, data, field of the refusal (none: sound) */
const cases: readonly (readonly [type: string, data: unknown, field?: string])[] = [
  ['ziti-tunneler-client.v1', { hostname: 'a.b', port: 80 }],
  ['ziti-tunneler-client.v1', { hostname: 'a.b' }, '(root)'],
  ['ziti-tunneler-client.v1', { hostname: 'a.b', port: 65536 }, 'port'],
  ['ziti-tunneler-client.v1', { hostname: 'a.b', port: 80, protocol: 'tcp' }, '(root)'],
  ['ziti-tunneler-server.v1', { hostname: 'a.b', port: 80, protocol: null }],
  ['ziti-tunneler-server.v1', { hostname: 'a.b', port: 80, protocol: 'icmp' }, 'protocol'],
  ['ziti-tunneler-server.v1', { hostname: 'a.b', port: 80, portChecks: [check] }],

  ['intercept.v1', intercept],
  ['intercept.v1', {}, '(root)'],
  ['intercept.v1', { ...intercept, protocols: [] }, 'protocols'],
  ['intercept.v1', { ...intercept, protocols: ['tcp', 'tcp'] }, 'protocols'],
  ['intercept.v1', { ...intercept, protocols: ['tcp', 'sctp'] }, 'protocols.1'],
  ['intercept.v1', { ...intercept, addresses: [''] }, 'addresses.0'],
  ['intercept.v1', { ...intercept, portRanges: [{ low: 'x', high: 1 }] }, 'portRanges.0.low'],
  ['intercept.v1', { ...intercept, portRanges: [{ low: 1 }] }, 'portRanges.0'],
  ['intercept.v1', { ...intercept, dialOptions: { identity: 'x', connectTimeoutSeconds: 5 } }],
  ['intercept.v1', { ...intercept, dialOptions: { retries: 5 } }, 'dialOptions'],
  ['intercept.v1', { ...intercept, sourceIp: '$src_ip', allowedSourceAddresses: ['10.0.0.0/8'] }],

  ['host.v1', host],
  ['host.v1', { address: 'localhost', port: 80 }, '(root)'],
  ['host.v1', { ...host, forwardProtocol: true, allowedProtocols: ['tcp'] }],
  ['host.v1', { ...host, forwardProtocol: true }, '(root)'],
  ['host.v1', { ...host, forwardProtocol: false, allowedProtocols: ['tcp'] }, 'forwardProtocol'],
  ['host.v1', { protocol: 'udp', forwardAddress: true, allowedAddresses: ['*.a'], port: 1 }],
  ['host.v1', { protocol: 'udp', address: 'a', forwardPort: true, allowedPortRanges: ports }],
  ['host.v1', { ...host, address: 'münchen.example' }],
  ['host.v1', { ...host, address: '10.0.0.1' }],
  ['host.v1', { ...host, address: 'fe80::1' }],
  ['host.v1', { ...host, address: 'no spaces' }, 'address'],
  ['host.v1', { ...host, listenOptions: { cost: 65536 } }, 'listenOptions.cost'],
  ['host.v1', { ...host, listenOptions: { maxConnections: 0 } }, 'listenOptions.maxConnections'],
  ['host.v1', { ...host, listenOptions: { precedence: 'required', connectTimeout: '5s' } }],
  ['host.v1', { ...host, proxy: { type: 'http', address: 'proxy:3128' } }],
  ['host.v1', { ...host, proxy: { type: 'socks', address: 'proxy:3128' } }, 'proxy.type'],
  ['host.v1', { ...host, portChecks: [{ ...check, interval: '5' }] }, 'portChecks.0.interval'],
  ['host.v1', { ...host, portChecks: [{ ...check, actions: [] }] }, 'portChecks.0.actions'],
  [
    'host.v1',
    {
      ...host,
      httpChecks: [
        {
          url: 'http://localhost',
          method: 'PUT',
          interval: '1m',
          timeout: '1s',
          expectStatus: 204,
          actions: [{ trigger: 'fail', consecutiveEvents: 3, action: 'mark unhealthy' }],
        },
      ],
    },
  ],
  [
    'host.v1',
    {
      ...host,
      forwardAddressTranslations: [{ from: '10.0.0.0', to: '10.1.0.0', prefixLength: 24 }],
    },
  ],
  [
    'host.v1',
    {
      ...host,
      forwardAddressTranslations: [{ from: '10.0.0.0', to: '10.1.0.0', prefixLength: 64 }],
    },
    'forwardAddressTranslations.0',
  ],
  [
    'host.v1',
    { ...host, forwardAddressTranslations: [{ from: 'fd00::', to: 'fd01::', prefixLength: 64 }] },
  ],

  ['host.v2', { terminators: [host, host] }],
  ['host.v2', { terminators: [] }, 'terminators'],
  ['host.v2', { terminators: [host, { ...host, port: -1 }] }, 'terminators.1.port'],
  ['host.v2', { terminators: [{ protocol: 'tcp', address: 'a' }] }, 'terminators.0'],

  ['interfaces.v1', { interfaces: ['eth0'] }],
  ['interfaces.v1', { interfaces: [1] }, 'interfaces.0'],
  ['proxy.v1', { port: 1, protocols: ['udp'], binding: 'b' }],
  ['proxy.v1', { port: 0, protocols: ['udp'] }, 'port'],
  ['proxy.v1', { port: 1, protocols: [] }, 'protocols'],

  ['router.link.v1', {}],
  ['router.link.v1', { listeners: [{ bind: 'tls:0.0.0.0:6262', groups: ['a'] }], dialers: [{}] }],
  ['router.link.v1', { listeners: [{ binding: 'transport' }] }, 'listeners.0'],
  ['router.link.v1', { dialers: [{ groups: 42 }] }, 'dialers.0.groups'],
  [
    'router.link.v1',
    { dialers: [{ maxDefaultConnections: 0 }] },
    'dialers.0.maxDefaultConnections',
  ],
  ['router.link.v1', { heartbeats: { sendInterval: '1h30m' } }],
  ['router.link.v1', { heartbeats: { sendInterval: '1h30' } }, 'heartbeats.sendInterval'],
];

describe('data of a built-in config type', () => {
  test.each(cases)('%s judges %j: %s', (type, data, verdict = 'sound') => {
    const refused = refusal(checkConfigData, schemaOf(type), data);
    expect(refused?.field ?? 'sound').toBe(verdict);
  });
});
