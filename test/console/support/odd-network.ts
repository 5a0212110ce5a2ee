/** A network in the format of `ziti ops export`, with all kinds of entities and names of all kinds. */

const NAMES = [
  'a "quoted" name \\ with \'signs\'',
  'a/../b?c=1&d#e%2Ff',
  '<img src=x onerror=alert(1)>',
  '\u202Eמהופך',
  '🦊 emoji 👩‍👩‍👧',
  'without a space'.replaceAll(' ', '').repeat(170),
  '__proto__',
  '42',
  'true',
  'a\ttab and a\nline',
  '@all #all',
];

const named = <Entity extends object>(make: (name: string, i: number) => Entity) =>
  NAMES.map((name, i) => ({ name, tags: { origin: 'elsewhere', level: 3 }, ...make(name, i) }));

const byName = (name: string): string => `@${name}`;

const SCHEMAS: readonly (object | null)[] = [
  null,
  {},
  { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
  {
    definitions: { node: { type: 'object', properties: { next: { $ref: '#/definitions/node' } } } },
    type: 'object',
    properties: { first: { $ref: '#/definitions/node' } },
  },
  { type: 'object', anyOf: [{ required: ['a'] }, { properties: { b: { type: 'number' } } }] },
  { type: 'object', properties: { 'a "name"/': { enum: ['x', 5, null] } } },
  { type: 'object', patternProperties: { '^x': { type: 'number' } } },
];

const DATA: readonly (readonly [type: string, data: object])[] = [
  [
    'intercept.v1',
    { addresses: ['a.example'], portRanges: [{ low: 80, high: 81 }], protocols: ['tcp'] },
  ],
  ['host.v1', { address: '127.0.0.1', port: 80, allowedProtocols: ['tcp'], forwardProtocol: true }],
  ['host.v2', { terminators: [{ address: 'b.example', port: 1, protocol: 'udp' }] }],
  ['ziti-tunneler-client.v1', { hostname: 'c.example', port: 502 }],
  ['ziti-tunneler-server.v1', { hostname: 'd.example', port: 22, protocol: 'tcp' }],
  ...SCHEMAS.map((_, i) => [`type ${String(i)}`, {}] as const),
];

export const ODD_NETWORK = {
  externalJwtSigners: [
    {
      name: 'a signer',
      issuer: 'https://issuer.example/',
      audience: 'network',
      claimsProperty: 'email',
      enabled: true,
      jwksEndpoint: 'https://issuer.example/keys',
      scopes: ['email'],
      useExternalId: true,
      tags: {},
    },
  ],
  authPolicies: named(() => ({
    primary: {
      cert: { allowed: true, allowExpiredCerts: false },
      extJwt: { allowed: true, allowedSigners: ['@a signer'] },
      updb: {
        allowed: false,
        lockoutDurationMinutes: 0,
        maxAttempts: 5,
        minPasswordLength: 5,
        requireMixedCase: false,
        requireNumberChar: false,
        requireSpecialChar: false,
      },
    },
    secondary: { requireTotp: false, requireExtJwtSigner: '@a signer' },
  })).slice(0, 3),
  configTypes: SCHEMAS.map((schema, i) => ({ name: `type ${String(i)}`, schema, tags: {} })),
  configs: [
    ...DATA.map(([type, data]) => ({ name: `of ${type}`, configType: byName(type), data })),
    ...named(() => ({ configType: '@type 0', data: { any: ['thing', null] } })),
  ],
  postureChecks: [
    { name: 'mac', typeId: 'MAC', macAddresses: ['0123456789ab'], roleAttributes: ['checked'] },
    { name: 'domain', typeId: 'DOMAIN', domains: ['example'] },
    {
      name: 'system',
      typeId: 'OS',
      operatingSystems: [{ type: 'macOS', versions: ['10.3.1'] }],
    },
    { name: 'process', typeId: 'PROCESS', process: { osType: 'Linux', path: '/a', hashes: null } },
    {
      name: 'processes',
      typeId: 'PROCESS_MULTI',
      semantic: 'AnyOf',
      processes: [{ osType: 'Linux', path: '/b', hashes: ['ab'] }],
    },
    ...named(() => ({ typeId: 'MFA', timeoutSeconds: 30 })),
  ],
  edgeRouters: named((_, i) => ({
    isTunnelerEnabled: i % 2 === 0,
    noTraversal: false,
    disabled: i === 1,
    appData: { place: 'here' },
    roleAttributes: ['site'],
  })),
  services: named((name) => ({
    encryptionRequired: true,
    configs: [byName(name)],
    roleAttributes: ['app'],
    terminatorStrategy: 'smartrouting',
  })),
  identities: named((name, i) => ({
    typeId: 'Default',
    isAdmin: i === 0,
    externalId: `of ${String(i)}`,
    ...(i < 3 ? { authPolicy: byName(name) } : {}),
    roleAttributes: ['staff'],
  })).map(({ name, ...identity }) => ({ ...identity, name: `person ${name}` })),
  edgeRouterPolicies: named((name) => ({
    semantic: 'AnyOf',
    edgeRouterRoles: [byName(name)],
    identityRoles: ['#staff'],
  })),
  serviceEdgeRouterPolicies: named((name) => ({
    semantic: 'AllOf',
    edgeRouterRoles: ['#site'],
    serviceRoles: [byName(name)],
  })),
  servicePolicies: named((name, i) => ({
    type: i % 2 === 0 ? 'Dial' : 'Bind',
    semantic: 'AnyOf',
    identityRoles: [byName(`person ${name}`), '#staff'],
    serviceRoles: [byName(name)],
    postureCheckRoles: i === 0 ? ['#checked'] : null,
  })),
};
