import { describe, expect, it, test } from '@jest/globals';
import {
  builtinConfigTypes,
  checkConfigData,
  checkSchema,
} from '../../../src/data/config-types/index.js';
import { refusal } from '../../support/refusal.js';

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
      ['l2.host.v1', 'l2.host.v1', 'service'],
      ['l2.intercept.v1', 'l2.intercept.v1', 'service'],
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

const DIAL_OPTIONS = '{identity: string, connectTimeoutSeconds: ref timeoutSeconds}';
const LISTEN_OPTIONS =
  '{connectTimeoutSeconds: ref timeoutSeconds, connectTimeout: ref duration, maxConnections: integer 1.., identity: string, bindUsingEdgeIdentity: boolean, cost: integer 0..65535, precedence: string default|required|failed}';

/**
 * What the public controller serves, member by member, in short: `ref x` points at a definition,
 * `set x` is `allOf: [inhabitedSet, {items: x}]`, `[x]` is an array, `{…}` a closed object.
 */
const PUBLISHED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'ziti-tunneler-client.v1': { hostname: 'string', port: 'integer 0..65535' },
  'ziti-tunneler-server.v1': {
    hostname: 'string',
    port: 'integer 0..65535',
    protocol: 'string|null tcp|udp',
    portChecks: 'ref portCheckList',
    httpChecks: 'ref httpCheckList',
  },
  'intercept.v1': {
    protocols: 'set ref protocolName',
    addresses: 'set ref listenAddress',
    portRanges: 'set ref portRange',
    dialOptions: DIAL_OPTIONS,
    sourceIp: 'string',
    allowedSourceAddresses: 'set ref listenAddress',
  },
  'host.v1': {
    protocol: 'ref protocolName',
    forwardProtocol: 'boolean true',
    allowedProtocols: 'set ref protocolName',
    address: 'ref dialAddress',
    forwardAddress: 'boolean true',
    allowedAddresses: 'set ref listenAddress',
    forwardAddressTranslations: 'set ref addressTranslation',
    port: 'ref portNumber',
    forwardPort: 'boolean true',
    allowedPortRanges: 'set ref portRange',
    allowedSourceAddresses: 'set ref listenAddress',
    listenOptions: LISTEN_OPTIONS,
    proxy: 'ref proxyConfiguration',
    portChecks: 'ref portCheckList',
    httpChecks: 'ref httpCheckList',
  },
  'host.v2': { terminators: 'ref terminatorList' },
  'interfaces.v1': { interfaces: '[string]' },
  'proxy.v1': { port: 'number 1..65535', protocols: '1..[ref protocol]', binding: 'string' },
  'l2.host.v1': { listenOptions: LISTEN_OPTIONS, bridgeIfs: 'set string' },
  'l2.intercept.v1': { dialOptions: DIAL_OPTIONS, ethTypes: 'set ref ethType' },
  'router.link.v1': {
    listeners: '[ref listener]',
    dialers: '[ref dialer]',
    heartbeats: 'ref heartbeats',
    payloadSenderQueueSize: 'integer 1..',
    ackSenderQueueSize: 'integer 1..',
    gcMode: 'string preserve|orphaned|changed',
  },
};

const HEALTH_CHECKS = {
  duration: 'string /[0-9]+(h|m|s|ms)/',
  method: 'string GET|POST|PUT|PATCH',
  action:
    '{trigger: string fail|pass|change, consecutiveEvents: integer 0..65535, duration: ref duration, action: string /(mark (un)?healthy|increase cost [0-9]+|decrease cost [0-9]+|send event)/}',
  actionList: '1..20[ref action]',
  portCheck:
    '{interval: ref duration, timeout: ref duration, address: string, actions: ref actionList}',
  httpCheck:
    '{url: string, method: ref method, body: string, interval: ref duration, timeout: ref duration, actions: ref actionList, expectStatus: integer 100..599, expectInBody: string}',
  portCheckList: '[ref portCheck]',
  httpCheckList: '[ref httpCheck]',
};
const TUNNEL = {
  dialAddress: 'string idn-hostname not /^$/',
  listenAddress: 'string idn-hostname not /^$/',
  inhabitedSet: '1..[] unique',
  portNumber: 'integer 0..65535',
  portRange: '{low: ref portNumber, high: ref portNumber}',
  protocolName: 'string tcp|udp',
  timeoutSeconds: 'integer 0..2147483647',
  proxyType: 'string http',
  proxyConfiguration: 'open {type: ref proxyType, address: string}',
  ipv4AddressTranslation: '{from: string ipv4, to: string ipv4, prefixLength: integer 0..32}',
  ipv6AddressTranslation: '{from: string ipv6, to: string ipv6, prefixLength: integer 0..128}',
  addressTranslation: 'one of ref ipv4AddressTranslation, ref ipv6AddressTranslation',
};
const PUBLISHED_DEFINITIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'ziti-tunneler-client.v1': {},
  'ziti-tunneler-server.v1': HEALTH_CHECKS,
  'intercept.v1': TUNNEL,
  'host.v1': { ...HEALTH_CHECKS, ...TUNNEL },
  'interfaces.v1': HEALTH_CHECKS,
  'proxy.v1': { protocol: 'string tcp|udp' },
  'l2.host.v1': { ...HEALTH_CHECKS, ...TUNNEL },
  'l2.intercept.v1': { ...TUNNEL, ethType: 'string /^0[xX][0-9a-fA-F]{4}$/' },
};

interface Part {
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly not?: Part;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: Part;
  readonly allOf?: readonly Part[];
  readonly oneOf?: readonly Part[];
  readonly properties?: Readonly<Record<string, Part>>;
  readonly additionalProperties?: boolean;
}

const outlines = (parts: Readonly<Record<string, Part>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, outline(part)]));

function outline(part: Part): string {
  if (part.$ref !== undefined) return `ref ${part.$ref.replace('#/definitions/', '')}`;
  if (part.oneOf) return `one of ${part.oneOf.map(outline).join(', ')}`;
  const [set, entries] = part.allOf ?? [];
  if (set?.$ref === '#/definitions/inhabitedSet' && entries?.items) {
    return `set ${outline(entries.items)}`;
  }
  if (part.type === 'object') {
    const members = Object.entries(outlines(part.properties)).map(([n, text]) => `${n}: ${text}`);
    return `${part.additionalProperties === false ? '' : 'open '}{${members.join(', ')}}`;
  }
  if (part.type === 'array') {
    const least = part.minItems === undefined ? '' : `${String(part.minItems)}..`;
    const items = part.items ? outline(part.items) : '';
    return `${least}${String(part.maxItems ?? '')}[${items}]${part.uniqueItems ? ' unique' : ''}`;
  }
  return scalar(part);
}

const scalar = ({ type, enum: values, format, pattern, not, minimum, maximum }: Part): string =>
  [
    [type].flat().join('|'),
    ...(values ? [values.join('|')] : []),
    ...(format === undefined ? [] : [format]),
    ...(pattern === undefined ? [] : [`/${pattern}/`]),
    ...(not?.pattern === undefined ? [] : [`not /${not.pattern}/`]),
    ...(minimum === undefined ? [] : [`${String(minimum)}..${String(maximum ?? '')}`]),
  ].join(' ');

describe('the built-in schemas are the published ones', () => {
  test.each(Object.entries(PUBLISHED))('in the members of %s', (name, members) => {
    expect(outlines((schemaOf(name) as Part).properties)).toEqual(members);
  });

  test.each(Object.entries(PUBLISHED_DEFINITIONS))('in the definitions of %s', (name, parts) => {
    const { definitions } = schemaOf(name) as { definitions?: Record<string, Part> };
    expect(outlines(definitions)).toEqual(parts);
  });

  test('in host.v2, whose terminators are those of host.v1', () => {
    const { terminator, terminatorList, ...others } = schemaOf('host.v2').definitions as Record<
      string,
      Part
    >;
    const { definitions, $id, ...hostV1 } = schemaOf('host.v1');
    expect(String($id)).toContain('host.v1');
    expect([terminator, others]).toEqual([hostV1, definitions]);
    expect(outline(terminatorList ?? {})).toBe('1..[ref terminator]');
  });
});

/** type, data, field of the refusal (none: sound) */
const cases: readonly (readonly [type: string, data: unknown, field?: string])[] = [
  ['ziti-tunneler-client.v1', { hostname: 'a.b', port: 80 }],
  ['ziti-tunneler-client.v1', { hostname: 'a.b' }, '(root)'],
  ['ziti-tunneler-client.v1', { hostname: 'a.b', port: 65536 }, 'port'],
  ['ziti-tunneler-client.v1', { hostname: 'a.b', port: 80, protocol: 'tcp' }, '(root)'],
  ['ziti-tunneler-server.v1', { hostname: 'a.b', port: 80, protocol: 'udp' }],
  // Its type allows null, its values do not: as published.
  ['ziti-tunneler-server.v1', { hostname: 'a.b', port: 80, protocol: null }, 'protocol'],
  ['ziti-tunneler-server.v1', { hostname: 'a.b', port: 80, protocol: 'icmp' }, 'protocol'],
  ['ziti-tunneler-server.v1', { hostname: 'a.b', port: 80, portChecks: [check] }],

  ['intercept.v1', intercept],
  ['intercept.v1', {}, '(root)'],
  ['intercept.v1', { ...intercept, protocols: [] }, 'protocols'],
  ['intercept.v1', { ...intercept, protocols: ['tcp', 'tcp'] }, 'protocols'],
  ['intercept.v1', { ...intercept, protocols: ['tcp', 'sctp'] }, 'protocols.1'],
  ['intercept.v1', { ...intercept, addresses: [''] }, 'addresses.0'],
  [
    'intercept.v1',
    { ...intercept, addresses: ['10.0.0.0/8', 'fd00::/8', 'a.*', '::1', '1.2.3.4/56'] },
  ],
  ['intercept.v1', { ...intercept, addresses: ['no spaces'] }, 'addresses.0'],
  ['intercept.v1', { ...intercept, allowedSourceAddresses: [] }, 'allowedSourceAddresses'],
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
  ['host.v1', { ...host, allowedAddresses: [] }, 'allowedAddresses'],
  ['host.v1', { ...host, forwardAddressTranslations: [] }, 'forwardAddressTranslations'],
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

  ['l2.host.v1', {}],
  ['l2.host.v1', { bridgeIfs: ['eth0'], listenOptions: { cost: 1, precedence: 'failed' } }],
  ['l2.host.v1', { bridgeIfs: [] }, 'bridgeIfs'],
  ['l2.host.v1', { bridgeIfs: ['eth0', 'eth0'] }, 'bridgeIfs'],
  ['l2.host.v1', { bridgeIfs: [1] }, 'bridgeIfs.0'],
  ['l2.host.v1', { address: 'a' }, '(root)'],
  ['l2.intercept.v1', { ethTypes: ['0x0800', '0X86dd'], dialOptions: { identity: 'x' } }],
  ['l2.intercept.v1', {}, '(root)'],
  ['l2.intercept.v1', { ethTypes: [] }, 'ethTypes'],
  ['l2.intercept.v1', { ethTypes: ['0800'] }, 'ethTypes.0'],
  ['l2.intercept.v1', { ethTypes: ['0x08000'] }, 'ethTypes.0'],
  ['l2.intercept.v1', { ethTypes: ['0x0800'], addresses: ['a'] }, '(root)'],

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
