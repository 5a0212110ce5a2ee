import { listOf, anyListOf, members, type Members, type Shape } from '../../rest/support/shapes.js';

/*
 * The forms of the console of OpenZiti 4.5.2 as a browser sent them, and the members that its lists and
 * forms read without a check.
 */

export interface ConsoleForm {
  /** The page, and what is chosen on it. */
  readonly page: string;
  readonly collection: string;
  readonly create: Readonly<Record<string, unknown>>;
  readonly edit: readonly ['PATCH' | 'PUT', Readonly<Record<string, unknown>>];
  /** Of an entry of the list. */
  readonly reads: Members;
}

const OF_ALL: Members = { id: 'filled', name: 'filled', createdAt: 'time', tags: 'object' };

const IDENTITY = {
  ...{ appData: {}, isAdmin: false, roleAttributes: ['sales'], authPolicyId: 'default' },
  ...{ defaultHostingCost: 0, defaultHostingPrecedence: 'default', tags: {} },
};
const ROUTER = {
  ...{ roleAttributes: ['hub'], appData: {}, isTunnelerEnabled: true },
  ...{ noTraversal: false, cost: 0, tags: {} },
};
const AUTHORITY = {
  ...{ isAutoCaEnrollmentEnabled: false, isOttCaEnrollmentEnabled: false, identityRoles: [] },
  ...{ isAuthEnabled: false, tags: {} },
};
const SIGNER = {
  ...{ issuer: 'https://idp.example.com', clientId: '', enabled: true, useExternalId: false },
  ...{ externalAuthUrl: '', kid: '', scopes: [], jwksEndpoint: 'https://idp.example.com/jwks' },
  ...{ tags: {}, targetToken: 'ACCESS', enrollToCertEnabled: false, enrollToTokenEnabled: false },
};
const POLICY_OF_LOGINS = {
  primary: {
    cert: { allowed: false, allowExpiredCerts: false },
    extJwt: { allowed: false, allowedSigners: [] },
    updb: {
      ...{ allowed: false, lockoutDurationMinutes: 0, maxAttempts: 5, minPasswordLength: 5 },
      ...{ requireMixedCase: false, requireNumberChar: false, requireSpecialChar: false },
    },
  },
  ...{ secondary: { requireTotp: false }, tags: {} },
};

/** The form sends the members of all types at once. */
const NO_POSTURE = {
  ...{ semantic: 'AllOf', roleAttributes: [], domains: [], macAddresses: [], operatingSystems: [] },
  processes: [{ hashes: [], osType: '', path: '', signerFingerprints: [] }],
  process: { hashes: [], osType: '', path: '', signerFingerprint: '' },
  ...{ promptOnWake: false, promptOnUnlock: false, timeoutSeconds: 0, tags: {} },
};
const HASHES = ['a'.repeat(128)];

const postureForm = (
  typeId: string,
  create: Readonly<Record<string, unknown>>,
  reads: Members = {},
): ConsoleForm => ({
  page: `posture checks: ${typeId}`,
  collection: 'posture-checks',
  create: { typeId, ...NO_POSTURE, ...create },
  edit: ['PATCH', { typeId, roleAttributes: ['laptops'], ...create, tags: {} }],
  reads: { typeId: 'filled', roleAttributes: anyListOf('filled'), ...reads },
});

const semanticForm = (
  page: string,
  collection: string,
  roles: Readonly<Record<string, readonly string[]>>,
  more: Readonly<Record<string, unknown>> = {},
): ConsoleForm => ({
  page,
  collection,
  create: { ...roles, semantic: 'AnyOf', ...more, tags: {} },
  edit: ['PATCH', { ...roles, semantic: 'AllOf', ...more, tags: {} }],
  reads: {
    semantic: 'filled',
    ...Object.fromEntries(
      Object.keys(roles).flatMap((name): [string, Shape][] => [
        [name, anyListOf('filled')],
        [`${name}Display`, anyListOf(members({ name: 'filled', role: 'filled' }))],
      ]),
    ),
  },
});

const INTERCEPT = {
  portRanges: [{ high: 443, low: 443 }],
  ...{ addresses: ['a.example.ziti'], protocols: ['tcp', 'udp'] },
};

const OWN_MEMBERS: readonly ConsoleForm[] = [
  {
    page: 'identities: one-time token',
    collection: 'identities',
    create: { ...IDENTITY, type: 'Device', externalId: '', enrollment: { ott: true } },
    edit: ['PATCH', { ...IDENTITY, type: 'Default', externalId: 'somebody@example.com' }],
    reads: {
      roleAttributes: listOf('filled'),
      type: members({ name: 'filled' }),
      enrollment: members({ ott: members({ jwt: 'filled', token: 'filled', expiresAt: 'time' }) }),
      ...{ isAdmin: 'bool', isMfaEnabled: 'bool', disabled: 'bool' },
      ...{ hasApiSession: 'bool', hasEdgeRouterConnection: 'bool' },
      ...{ envInfo: 'object', sdkInfo: 'object', appData: 'object' },
    },
  },
  {
    page: 'identities: username and password',
    collection: 'identities',
    create: { ...IDENTITY, type: 'Device', externalId: '', enrollment: { updb: 'somebody' } },
    edit: ['PATCH', { ...IDENTITY, type: 'Default', externalId: '' }],
    reads: { enrollment: members({ updb: members({ jwt: 'filled', token: 'filled' }) }) },
  },
  {
    page: 'services',
    collection: 'services',
    create: {
      ...{ encryptionRequired: true, terminatorStrategy: '', roleAttributes: ['office'] },
      ...{ tags: {}, configs: [], maxIdleTimeMillis: 0 },
    },
    edit: [
      'PATCH',
      {
        ...{ encryptionRequired: true, terminatorStrategy: 'smartrouting', roleAttributes: [] },
        ...{ tags: {}, configs: [], maxIdleTimeMillis: 0 },
      },
    ],
    reads: {
      roleAttributes: listOf('filled'),
      configs: anyListOf('filled'),
      ...{ encryptionRequired: 'bool', terminatorStrategy: 'filled', maxIdleTimeMillis: 'int' },
    },
  },
  {
    page: 'services: the config of a simple one',
    collection: 'configs',
    create: {
      configTypeId: 'g7cIWbcGg',
      data: INTERCEPT,
    },
    edit: ['PATCH', { configTypeId: 'g7cIWbcGg', data: { ...INTERCEPT, protocols: ['tcp'] } }],
    reads: { configType: members({ name: 'filled' }), configTypeId: 'filled', data: 'object' },
  },
  {
    page: 'config types',
    collection: 'config-types',
    create: { id: '', schema: {}, tags: {} },
    edit: ['PATCH', { id: '', schema: {}, tags: {} }],
    reads: { schema: 'object' },
  },
  {
    page: 'routers',
    collection: 'edge-routers',
    create: ROUTER,
    edit: ['PATCH', { ...ROUTER, roleAttributes: ['hub', 'public'] }],
    reads: {
      roleAttributes: listOf('filled'),
      ...{ isVerified: 'bool', isOnline: 'bool', isTunnelerEnabled: 'bool', hostname: 'text' },
      ...{ enrollmentToken: 'filled', enrollmentJwt: 'filled', enrollmentExpiresAt: 'time' },
    },
  },
  {
    page: 'transit routers',
    collection: 'transit-routers',
    create: ROUTER,
    edit: ['PATCH', { noTraversal: false, cost: 0, tags: {} }],
    reads: {
      ...{ isVerified: 'bool', isOnline: 'bool' },
      ...{ enrollmentToken: 'filled', enrollmentJwt: 'filled', enrollmentExpiresAt: 'time' },
    },
  },
  semanticForm(
    'service policies',
    'service-policies',
    { serviceRoles: ['#office'], identityRoles: ['#sales'], postureCheckRoles: [] },
    { type: 'Dial' },
  ),
  semanticForm('router policies', 'edge-router-policies', {
    edgeRouterRoles: ['#hub'],
    identityRoles: ['#sales'],
  }),
  semanticForm('service router policies', 'service-edge-router-policies', {
    edgeRouterRoles: ['#hub'],
    serviceRoles: ['#office'],
  }),
  {
    page: 'certificate authorities',
    collection: 'cas',
    create: { ...AUTHORITY, id: '', identityNameFormat: '' },
    edit: ['PUT', { ...AUTHORITY, identityNameFormat: '[caName]-[commonName]' }],
    reads: {
      ...{ isVerified: 'bool', isAuthEnabled: 'bool', identityNameFormat: 'filled' },
      ...{ isAutoCaEnrollmentEnabled: 'bool', isOttCaEnrollmentEnabled: 'bool' },
      ...{ verificationToken: 'filled', certPem: 'pem', identityRoles: anyListOf('filled') },
    },
  },
  {
    page: 'signers of JWTs',
    collection: 'external-jwt-signers',
    create: { ...SIGNER, audience: 'a', claimsProperty: '' },
    edit: ['PUT', { ...SIGNER, audience: 'b', claimsProperty: 'sub' }],
    reads: {
      ...{ issuer: 'filled', audience: 'filled', claimsProperty: 'filled', targetToken: 'filled' },
      ...{ enabled: 'bool', useExternalId: 'bool', scopes: anyListOf('filled') },
      ...{ enrollToCertEnabled: 'bool', enrollToTokenEnabled: 'bool' },
    },
  },
  {
    page: 'auth policies',
    collection: 'auth-policies',
    create: { ...POLICY_OF_LOGINS, id: '' },
    edit: ['PUT', POLICY_OF_LOGINS],
    reads: {
      primary: members({
        cert: members({ allowed: 'bool', allowExpiredCerts: 'bool' }),
        extJwt: members({ allowed: 'bool', allowedSigners: anyListOf('filled') }),
        updb: members({ allowed: 'bool', minPasswordLength: 'int', maxAttempts: 'int' }),
      }),
      secondary: members({ requireTotp: 'bool' }),
    },
  },
  postureForm(
    'OS',
    { operatingSystems: [{ type: 'Linux', versions: [] }] },
    { operatingSystems: listOf(members({ type: 'filled', versions: anyListOf('filled') })) },
  ),
  postureForm('DOMAIN', { domains: ['corp.example.com'] }, { domains: listOf('filled') }),
  postureForm('MAC', { macAddresses: ['00:11:22:33:44:55'] }, { macAddresses: listOf('filled') }),
  postureForm(
    'PROCESS',
    {
      process: { hashes: HASHES, osType: 'Linux', path: '/usr/bin/app', signerFingerprint: '' },
    },
    { process: members({ osType: 'filled', path: 'filled', hashes: listOf('filled') }) },
  ),
  postureForm(
    'PROCESS_MULTI',
    {
      semantic: 'AllOf',
      processes: [{ hashes: [], osType: 'Linux', path: '/usr/bin/app', signerFingerprints: [] }],
    },
    { semantic: 'filled', processes: listOf(members({ osType: 'filled', path: 'filled' })) },
  ),
  postureForm(
    'MFA',
    { timeoutSeconds: 3600, promptOnWake: false, promptOnUnlock: false },
    { timeoutSeconds: 'int', promptOnWake: 'bool', promptOnUnlock: 'bool' },
  ),
];

/** `certPem` of an authority comes from the test. */
export const FORMS = OWN_MEMBERS.map((form) => ({ ...form, reads: { ...OF_ALL, ...form.reads } }));
