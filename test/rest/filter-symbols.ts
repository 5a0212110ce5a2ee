/**
 * The names that filters and orders of the public controller may use, by the list that serves them:
 * facts about version 1.6 and, where `since` says so, about 2.x.
 */

/** `text set` and `linked set` answer to set functions alone; `map` needs a key. */
export type SymbolKind = 'text' | 'number' | 'truth' | 'time' | 'text set' | 'linked set' | 'map';

export interface SymbolList {
  /** Below the management interface, or with the prefix of another one. */
  readonly path: string;
  readonly symbols: Readonly<Partial<Record<SymbolKind, string>>>;
  /** Added by 2.x. */
  readonly since2?: Readonly<Partial<Record<SymbolKind, string>>>;
}

/** Every stored entity has these. */
const OF_ALL = { text: 'id', time: 'createdAt updatedAt', truth: 'isSystem', map: 'tags' } as const;

type Names = SymbolList['symbols'];

const stored = (path: string, symbols: Names, since2: Names = {}): SymbolList => {
  const kinds = Object.keys({ ...OF_ALL, ...symbols }) as (keyof typeof OF_ALL)[];
  const together = kinds.map((kind) => [
    kind,
    [OF_ALL[kind], symbols[kind]].filter((names) => names !== undefined).join(' '),
  ]);
  return { path, symbols: Object.fromEntries(together) as Names, since2 };
};

const ROUTER = {
  text: 'name fingerprint',
  number: 'cost',
  truth: 'noTraversal disabled connected',
} as const;
const TERMINATOR = {
  text: 'binding address instanceId hostId sourceCtrl service router service.name router.name',
} as const;

export const SYMBOL_LISTS: readonly SymbolList[] = [
  stored('/api-sessions', {
    text: 'token identity authenticator ipAddress',
    time: 'lastActivityAt',
    truth: 'mfaComplete mfaRequired improperClientCertChain',
  }),
  stored('/edge/client/v1/current-api-session/certificates', {
    text: 'apiSession subject fingerprint',
  }),
  stored('/auth-policies', {
    text: 'name secondary.requireExtJwtSigner',
    number: 'primary.updb.minPasswordLength primary.updb.maxAttempts',
    truth:
      'primary.cert.allowed primary.cert.allowExpiredCerts primary.updb.allowed ' +
      'primary.updb.requireSpecialChar primary.updb.requireNumberChar ' +
      'primary.updb.requireMixedCase primary.extJwt.allowed secondary.requireTotp',
  }),
  stored('/authenticators', {
    text: 'method identity certFingerprint certPem publicKeyPrint updbUsername updbPassword updbSalt',
    time: 'extendRequestedAt',
    truth:
      'isIssuedByNetwork isExtendRequested isKeyRollRequested lastAuthResolvedToRoot ' +
      'lastExtendRolledKeys',
  }),
  stored('/cas', {
    text: 'name fingerprint verificationToken',
    truth: 'isVerified isAutoCaEnrollmentEnabled isOttCaEnrollmentEnabled isAuthEnabled',
  }),
  stored('/config-types', { text: 'name schema' }, { text: 'target' }),
  stored('/configs', { text: 'name type' }),
  stored(
    '/controllers',
    { text: 'name ctrlAddress certPem fingerprint', truth: 'isOnline', time: 'lastJoinedAt' },
    { truth: 'isPreferredLeader' },
  ),
  stored('/edge-router-policies', {
    text: 'name semantic',
    'text set': 'identityRoles edgeRouterRoles',
  }),
  stored(
    '/edge-routers',
    {
      ...ROUTER,
      truth: `${ROUTER.truth} online isVerified isTunnelerEnabled`,
      'text set': 'roleAttributes',
    },
    { 'linked set': 'configs' },
  ),
  stored('/enrollments', { text: 'token identity edgeRouter transitRouter caId' }),
  stored(
    '/external-jwt-signers',
    {
      text:
        'name fingerprint kid issuer certPem commonName claimsProperty audience clientId scopes ' +
        'targetToken',
      time: 'notAfter notBefore',
      truth: 'enabled useExternalId',
    },
    {
      text: 'enrollAttributeClaimsSelector enrollNameClaimsSelector enrollAuthPolicyId',
      truth: 'enrollToCertEnabled enrollToTokenEnabled',
    },
  ),
  stored('/identities', {
    text: 'name externalId type authPolicyId',
    truth: 'isAdmin isDefaultAdmin',
    'text set': 'roleAttributes',
  }),
  stored('/identity-types', { text: 'name' }),
  stored(
    '/posture-checks',
    { text: 'name typeId', truth: 'promptOnUnlock promptOnWake' },
    { 'text set': 'roleAttributes' },
  ),
  stored('/posture-check-types', { text: 'name' }),
  stored('/transit-routers', ROUTER, { 'linked set': 'configs' }),
  stored('/routers', ROUTER, { 'linked set': 'configs' }),
  stored('/fabric/v1/routers', ROUTER, { 'linked set': 'configs' }),
  stored('/service-edge-router-policies', {
    text: 'name semantic',
    'text set': 'serviceRoles edgeRouterRoles',
  }),
  stored('/service-policies', {
    // 1.6 kept the type as a number; 2.x compares it as a text.
    text: 'name semantic type',
    'text set': 'identityRoles serviceRoles postureCheckRoles',
    'linked set': 'identities services',
  }),
  stored(
    '/services',
    {
      text: 'name terminatorStrategy',
      'text set': 'roleAttributes',
      'linked set': 'configs',
    },
    { truth: 'isFabricOnly' },
  ),
  stored('/fabric/v1/services', { text: 'name terminatorStrategy' }, { truth: 'isFabricOnly' }),
  stored('/sessions', { text: 'token apiSession service type' }),
  stored('/terminators', TERMINATOR),
  stored('/fabric/v1/terminators', TERMINATOR),
  ...['identity', 'edge-router', 'service', 'posture-check'].map((entity) => ({
    path: `/${entity}-role-attributes`,
    symbols: { text: 'id' },
  })),
  {
    path: '/fabric/v1/circuits',
    symbols: { text: 'id clientId service terminator', time: 'createdAt updatedAt' },
  },
  {
    path: '/fabric/v1/links',
    symbols: {
      text: 'id protocol dialAddress sourceRouter destRouter state',
      number: 'cost staticCost destLatency sourceLatency iteration',
    },
  },
];
