import { anyListOf, listOf, mapOf, members, oneOf, type Members, type Shape } from './shapes.js';

/*
 * The members that the public SDKs read of each answer, and the shapes that they can read, from the
 * sources of sdk-golang 2.0.0-pre4, ziti-sdk-c 1.18.7 and ziti-sdk-jvm 0.33.1. The SDK for Swift and
 * the C tunneler read answers by the C SDK. A member without `?` is used without a check.
 *
 * - Go parses into generated structs, and follows pointers of some members.
 * - C refuses a member of another type; absent members are empty.
 * - Java parses all members, and refuses values that its enumerations lack.
 */

export type Sdk = 'Go' | 'C' | 'Java' | 'Swift';

type Readers = Readonly<Partial<Record<Sdk, Shape>>>;

/** The meta of a page: all three SDKs count on it. */
export const PAGE = members({
  pagination: members({ limit: 'int', offset: 'int', totalCount: 'int' }),
});

const API_PATH = members({ path: 'filled', 'apiBaseUrls?': listOf('filled') });

const POSTURE_TYPE = oneOf('OS', 'PROCESS', 'DOMAIN', 'MAC', 'MFA', 'PROCESS_MULTI');

const AUTH_QUERY: Members = {
  typeId: oneOf('MFA', 'TOTP', 'EXT-JWT'),
  provider: oneOf('ziti', 'url'),
};
const AUTH_QUERY_IN_C: Members = {
  'id?': 'text',
  'isTotpEnrolled?': 'bool',
  'httpMethod?': 'text',
  'httpUrl?': 'text',
  'minLength?': 'int',
  'maxLength?': 'int',
  'format?': 'text',
};
const AUTH_QUERY_IN_JAVA: Members = {
  'format?': oneOf('numeric', 'alpha', 'alphaNumeric'),
  'httpMethod?': oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  'minLength?': 'int',
  'maxLength?': 'int',
  'scopes?': anyListOf('text'),
};

const apiSessionWith = (authQuery: Members): Readers => ({
  Go: members({
    id: 'filled',
    token: 'filled',
    expiresAt: 'time',
    expirationSeconds: 'int',
    identityId: 'filled',
    identity: members({ name: 'filled' }),
    authQueries: anyListOf(members(AUTH_QUERY)),
  }),
  C: members({
    id: 'filled',
    token: 'filled',
    expiresAt: 'time',
    expirationSeconds: 'int',
    updatedAt: 'time',
    'cachedLastActivityAt?': 'time',
    identityId: 'filled',
    identity: members({ id: 'filled', name: 'filled', 'appData?': 'object' }),
    isMfaRequired: 'bool',
    isMfaComplete: 'bool',
    'improperClientCertChain?': 'bool',
    isCertExtendable: 'bool',
    'isCertExtendRequested?': 'bool',
    'isCertKeyRollRequested?': 'bool',
    authQueries: anyListOf(members({ ...authQuery, ...AUTH_QUERY_IN_C })),
    'authenticatorId?': 'text',
  }),
  Java: members({
    id: 'filled',
    token: 'filled',
    expiresAt: 'time',
    createdAt: 'time',
    updatedAt: 'time',
    lastActivityAt: 'time',
    'cachedLastActivityAt?': 'time',
    configTypes: anyListOf('text'),
    authQueries: anyListOf(members({ ...authQuery, ...AUTH_QUERY_IN_JAVA })),
  }),
});

/** The session of a client that still needs a second factor. */
const partialSession: Readers = Object.fromEntries(
  Object.keys(apiSessionWith(AUTH_QUERY)).map((sdk) => [
    sdk,
    members({ authQueries: listOf(members(AUTH_QUERY)) }),
  ]),
);

const IDENTITY: Members = { id: 'filled', name: 'filled', 'appData?': 'object' };

const query = (members_: Members): Members => ({
  id: 'filled',
  isPassing: 'bool',
  queryType: POSTURE_TYPE,
  timeout: 'int',
  'timeoutRemaining?': 'int',
  ...members_,
});
const IN_C = query({
  'process?': members({ path: 'filled' }),
  'processes?': anyListOf(members({ path: 'filled' })),
  'updatedAt?': 'text',
});
const IN_GO = query({
  'process?': members({ path: 'filled', 'osType?': 'text' }),
  'processes?': anyListOf(members({ path: 'filled', 'osType?': 'text' })),
});
const PLATFORM = oneOf('Windows', 'WindowsServer', 'Android', 'iOS', 'Linux', 'macOS');
const IN_JAVA = query({
  'process?': members({ 'path?': 'text', 'osType?': PLATFORM }),
  'processes?': anyListOf(members({ 'path?': 'text', 'osType?': PLATFORM })),
});

const service = (postureQuery: Members): Members => ({
  id: 'filled',
  name: 'filled',
  permissions: listOf(oneOf('Dial', 'Bind', 'Invalid')),
  encryptionRequired: 'bool',
  config: mapOf('object'),
  postureQueries: anyListOf(
    members({
      policyId: 'filled',
      isPassing: 'bool',
      'policyType?': oneOf('Dial', 'Bind', 'Invalid'),
      postureQueries: anyListOf(members(postureQuery)),
    }),
  ),
});
const services: Readers = {
  Go: listOf(members(service(IN_GO))),
  C: listOf(
    members({
      ...service(IN_C),
      terminatorStrategy: oneOf('random', 'smartrouting', 'sticky', 'weighted'),
      updatedAt: 'filled',
    }),
  ),
  Java: listOf(members({ ...service(IN_JAVA), createdAt: 'time', updatedAt: 'time' })),
};

const ROUTER: Members = { name: 'filled', supportedProtocols: members({ tls: 'filled' }) };
const ROUTERS = listOf(members(ROUTER));
const JAVA_ROUTERS = listOf(members({ ...ROUTER, isOnline: 'bool' }));

const session: Readers = {
  Go: members({
    id: 'filled',
    token: 'filled',
    serviceId: 'filled',
    type: oneOf('Dial', 'Bind'),
    edgeRouters: ROUTERS,
  }),
  C: members({
    id: 'filled',
    token: 'filled',
    apiSessionId: 'filled',
    serviceId: 'filled',
    edgeRouters: ROUTERS,
  }),
  Java: members({ id: 'filled', token: 'filled', edgeRouters: JAVA_ROUTERS }),
};

const SIGNER: Members = {
  name: 'filled',
  externalAuthUrl: 'filled',
  clientId: 'filled',
  audience: 'filled',
  scopes: anyListOf('text'),
  'targetToken?': oneOf('ACCESS', 'ID'),
  'enrollToTokenEnabled?': 'bool',
  'enrollToCertEnabled?': 'bool',
};

const ADDRESSES = members({
  'edge-client': listOf(members({ url: 'filled', version: oneOf('v1') })),
});

const MFA: Members = { isVerified: 'bool', 'recoveryCodes?': listOf('filled') };

const refusal: Readers = {
  Go: members({
    code: 'filled',
    message: 'filled',
    requestId: 'filled',
    'cause?': members({
      'field?': 'text',
      'reason?': 'text',
      'code?': 'text',
      'message?': 'text',
    }),
    'causeMessage?': 'text',
  }),
  C: members({ code: 'filled', message: 'filled', 'cause?': 'object' }),
  Java: members({ code: 'filled', message: 'filled', 'cause?': 'object', 'requestId?': 'text' }),
};

const claims: Readers = {
  Go: members({ iss: 'filled', sub: 'filled', jti: 'filled', em: 'filled', 'exp?': 'int' }),
  C: members({
    iss: 'filled',
    sub: 'filled',
    jti: 'filled',
    em: oneOf('network', 'ott', 'ottca', 'ca'),
    'ctrls?': anyListOf('text'),
  }),
  Java: members({ iss: 'filled', sub: 'filled', jti: 'filled', em: oneOf('ott', 'ottca', 'ca') }),
  Swift: members({ sub: 'filled', 'iss?': 'text', 'em?': 'text', 'exp?': 'int', 'jti?': 'text' }),
};

const extended = members({ clientCert: 'pem', ca: 'pem' });

/** By the name of the answer: what each SDK reads of its `data`, or of its `error`. */
export const READS = {
  'GET /version': {
    Go: members({ version: 'version' }),
    C: members({
      version: 'filled',
      'revision?': 'text',
      'buildDate?': 'text',
      'capabilities?': anyListOf('text'),
      apiVersions: members({ edge: mapOf(API_PATH) }),
    }),
    Java: members({
      'capabilities?': anyListOf(oneOf('OIDC_AUTH', 'HA_CONTROLLER', 'OIDC_AUTH_WITH_CSR')),
      apiVersions: members({
        edge: members({ v1: members({ path: 'filled', apiBaseUrls: listOf('filled') }) }),
        'edge-client': members({ v1: members({ path: 'filled' }) }),
      }),
    }),
  },
  'POST /authenticate': apiSessionWith(AUTH_QUERY),
  'POST /authenticate, with a second factor to come': partialSession,
  'GET /current-api-session': apiSessionWith(AUTH_QUERY),
  'GET /current-identity': {
    Go: members({
      ...IDENTITY,
      'defaultHostingCost?': 'int',
      'defaultHostingPrecedence?': 'text',
      'serviceHostingCosts?': mapOf('int'),
      'serviceHostingPrecedences?': mapOf('text'),
    }),
    C: members({
      ...IDENTITY,
      'defaultHostingCost?': 'int',
      'serviceHostingCosts?': mapOf('int'),
      'serviceHostingPrecedences?': mapOf('text'),
    }),
    Java: members({
      ...IDENTITY,
      'defaultHostingPrecedence?': oneOf('default', 'required', 'failed'),
      edgeRouterConnectionStatus: oneOf('online', 'offline', 'unknown'),
      createdAt: 'time',
      updatedAt: 'time',
    }),
  },
  'GET /current-identity/edge-routers': { Go: ROUTERS, C: ROUTERS, Java: JAVA_ROUTERS },
  'GET /current-api-session/service-updates': {
    Go: members({ lastChangeAt: 'time' }),
    C: members({ lastChangeAt: 'filled' }),
    Java: members({ lastChangeAt: 'time' }),
  },
  'GET /services': services,
  'GET /services/{id}/edge-routers': {
    Go: members({ edgeRouters: ROUTERS }),
    C: members({ edgeRouters: ROUTERS }),
  },
  'GET /services/{id}/terminators': {
    Go: listOf(members({ identity: 'text', serviceId: 'filled' })),
    C: listOf(members({ identity: 'text', serviceId: 'filled' })),
    Java: listOf(members({ identity: 'text', 'serviceId?': 'text' })),
  },
  'POST /sessions': session,
  'GET /sessions/{id}': session,
  'GET /controllers': {
    Go: listOf(members({ apiAddresses: ADDRESSES })),
    C: listOf(
      members({
        id: 'filled',
        'name?': 'text',
        apiAddresses: ADDRESSES,
        'isOnline?': 'bool',
        'certPem?': 'text',
        'fingerprint?': 'text',
      }),
    ),
    Java: listOf(members({ apiAddresses: ADDRESSES })),
  },
  'GET /external-jwt-signers': {
    Go: listOf(members({ name: 'filled', externalAuthUrl: 'filled', audience: 'filled' })),
    C: listOf(members(SIGNER)),
  },
  'GET /network-jwts': { C: listOf(members({ 'name?': 'text', token: 'filled' })) },
  'POST /current-api-session/certificates': {
    Go: members({ certificate: 'pem' }),
    C: members({ certificate: 'pem', cas: 'pem' }),
  },
  'POST /current-identity/authenticators/{id}/extend': { Go: extended, C: extended },
  'POST /posture-response': {
    C: members({
      services: anyListOf(
        members({
          id: 'filled',
          name: 'filled',
          'postureQueryType?': 'text',
          'timeout?': 'int',
          'timeoutRemaining?': 'int',
        }),
      ),
    }),
  },
  'GET /current-identity/mfa': {
    Go: members({ ...MFA, provisioningUrl: 'filled', recoveryCodes: listOf('filled') }),
    C: members({ ...MFA, provisioningUrl: 'filled', recoveryCodes: listOf('filled') }),
    Java: members({ ...MFA, 'provisioningUrl?': 'text' }),
  },
  'GET /current-identity/mfa, verified': {
    C: members({ ...MFA, 'provisioningUrl?': 'text' }),
    Java: members({ ...MFA, 'provisioningUrl?': 'text' }),
  },
  'GET /current-identity/mfa/recovery-codes': {
    C: members({ recoveryCodes: listOf('filled') }),
  },
  'POST /enroll, ott': {
    Go: members({ cert: 'pem' }),
    C: members({ cert: 'pem', ca: 'pem' }),
    Java: members({ cert: 'pem' }),
  },
  'POST /enroll, updb': { Go: members({ username: 'filled' }) },
  'POST /enroll/token': { C: members({ cert: 'pem', ca: 'pem' }) },
  'the claims of an enrollment token': claims,
  'a refusal for a member': refusal,
  'a refusal of a login': refusal,
  'a refusal of a service': refusal,
  'a refusal of an enrollment': refusal,
} satisfies Readonly<Record<string, Readers>>;

export type AnswerName = keyof typeof READS;
