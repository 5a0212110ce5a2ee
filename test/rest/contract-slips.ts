import type { ContractSchema } from './support/published-contract.js';

/*
 * Where our interfaces and the published contract differ, each with its reason. A difference that is
 * not named here fails the contract walk; an entry that is no longer true fails it as well.
 */

const optional =
  (...names: readonly string[]) =>
  ({ schema, part }: { schema: string; part: ContractSchema }): void => {
    if (!part.required) return;
    const left = part.required.filter((name) => !names.includes(name));
    if (left.length === part.required.length)
      throw new Error(`${schema} requires no ${names.join()}`);
    Object.assign(part, { required: left });
  };

const member =
  (name: string, change: object) =>
  ({ part }: { part: ContractSchema }): void => {
    if (part.properties?.[name]) Object.assign(part.properties[name], change);
  };

/** A slip of a published schema. */
export interface SchemaSlip {
  /** The one that declares the members. */
  readonly schema: string;
  readonly correct: (slip: { schema: string; part: ContractSchema }) => void;
  readonly reason: string;
}

/** Slips of schemas that all interfaces have. */
const SHARED_SLIPS: readonly SchemaSlip[] = [
  {
    schema: 'link',
    correct: member('href', { format: 'uri-reference' }),
    reason: 'links are relative to the base path',
  },
  {
    schema: 'subTags',
    correct: ({ part }) => Object.assign(part, { additionalProperties: true }),
    reason: 'in that dialect `object` stands for any value: tags are null, text, number or boolean',
  },
  {
    schema: 'routerDetail',
    correct: member('fingerprint', { nullable: true }),
    reason: 'null until the router has enrolled',
  },
  ...['startTime', 'endTime', 'error'].map((name) => ({
    schema: 'dataIntegrityCheckDetails',
    correct: member(name, { nullable: true }),
    reason: 'null before the first run, while one is under way, and where there was no error',
  })),
];

export const FABRIC_SCHEMA_SLIPS: readonly SchemaSlip[] = [
  ...SHARED_SLIPS,
  ...['listenerAddresses', 'interfaces'].map((name) => ({
    schema: 'routerDetail',
    correct: member(name, { nullable: true }),
    reason: 'null before the router has reported any',
  })),
  {
    schema: 'path',
    correct: member('links', { nullable: true }),
    reason: 'null for a path of one router',
  },
];

export const SCHEMA_SLIPS: readonly SchemaSlip[] = [
  ...SHARED_SLIPS,
  {
    schema: 'edgeRouterDetail',
    correct: optional('os', 'version', 'arch', 'buildDate', 'revision'),
    reason: 'these are members of `versionInfo`; no edge router has them itself',
  },
  {
    schema: 'edgeRouterDetail',
    correct: member('fingerprint', { nullable: true }),
    reason: 'null until the router has enrolled',
  },
  {
    schema: 'postureDataBase',
    correct: member('lastUpdatedAt', { nullable: true }),
    reason: 'null before there is a report',
  },
  {
    schema: 'enrollmentDetail',
    correct: optional('details'),
    reason: 'declared nowhere, and no enrollment has it',
  },
  {
    schema: 'apiSessionDetail',
    correct: optional('cachedUpdatedAt'),
    reason: 'an older name of `cachedLastActivityAt`; no session has it',
  },
];

/** Rows whose answers the contract describes by the wrong schema: what is meant instead. */
export const SCHEMA_OF: Readonly<Record<string, { schema: string | undefined; reason: string }>> = {
  'GET /specs/{id}/spec': {
    schema: undefined,
    reason: 'the document comes without envelope',
  },
  'GET /current-identity/mfa/qr-code': {
    schema: undefined,
    reason: 'the picture comes without envelope',
  },
  'GET /edge-routers/{id}/service-edge-router-policies': {
    schema: 'listServiceEdgeRouterPoliciesEnvelope',
    reason: 'the path says what is listed; the published schema is that of service policies',
  },
};

/** Members that answers lack although the contract knows them; none of them is required. */
export const ABSENT_MEMBERS: Readonly<Record<string, string>> = {
  'clientExternalJwtSignerDetail.openIdConfigurationUrl':
    'no signer has one: clients find it below the external auth URL',
  'controllerDetail.isPreferredLeader': 'controllers here have no leader',
  'edgeRouterDetail.versionInfo': 'only while the router is connected',
  ...Object.fromEntries(
    [
      'apiError.args',
      'apiError.causeMessage',
      'apiError.data',
      'apiErrorCause.args',
      'apiErrorCause.causeMessage',
    ].map((name) => [name, 'code, message and cause say everything']),
  ),
  'apiErrorCause.cause': 'causes are one deep',
  'apiErrorCause.requestId': 'the error has it',
  ...Object.fromEntries(
    ['e', 'n', 'd', 'dp', 'dq', 'p', 'q', 'qi', 'oth', 'key_ops', 'x5t', 'x5t#S256', 'x5u'].map(
      (name) => [`jwk.${name}`, 'the public members of an EC key are shown, with its certificate'],
    ),
  ),
  'link.comment': 'of no use to clients',
  'link.method': 'of no use to clients',
  'postureQuery.timeoutAt': 'only of a second factor that was given',
  'roleAttributeSourceUsage.ids': 'only on request, by `withIds`',
  'postureQuery.promptGracePeriodSeconds': 'the public controller leaves it out too',
  ...Object.fromEntries(
    ['arch', 'domain', 'hostname', 'os', 'osRelease', 'osVersion'].map((name) => [
      `envInfo.${name}`,
      'only of clients that tell it at login',
    ]),
  ),
  ...Object.fromEntries(
    ['appId', 'appVersion', 'branch', 'revision', 'type', 'version'].map((name) => [
      `sdkInfo.${name}`,
      'only of clients that tell it at login',
    ]),
  ),
};

/** The same in the fabric interface. */
export const ABSENT_IN_FABRIC: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(ABSENT_MEMBERS).filter(([name]) =>
      /^(apiError|apiErrorCause|link)\./.test(name),
    ),
  ),
  'apiErrorCause.data': 'only of errors of other interfaces',
  'routerDetail.versionInfo': 'only while the router is connected',
};

/** Members of identities that are ours alone. */
const OF_IDENTITIES = {
  validFrom: 'the public controller knows no times of identities',
  validUntil: 'the public controller knows no times of identities',
  isPending: 'the public controller lets no identity wait for an approval',
};

/** Members of external JWT signers that are ours alone. */
const OF_SIGNERS = {
  conditions: 'the public controller has no conditions on claims',
  adminClaims: 'the public controller gives no rights by claims',
  roleAttributeClaims: 'the public controller gives no role attributes at a login',
  roleAttributePrefix: 'the public controller gives no role attributes at a login',
  roleAttributeMinutes: 'the public controller gives no role attributes at a login',
  createsIdentities: 'the public controller creates no identities at a login',
  newIdentitiesArePending: 'the public controller creates no identities at a login',
  maxCreatedIdentities: 'the public controller creates no identities at a login',
  idleDaysBeforeDeletion: 'the public controller creates no identities at a login',
};

/** Members of answers that the contract does not know. */
export const OWN_MEMBERS: Readonly<Record<string, string>> = {
  'enrollmentCerts.controllers': 'newer than the published contract',
  'identityDetail.effectiveRoleAttributes':
    'with the attributes of role assignments, which the public controller does not know',
  ...Object.fromEntries(
    Object.entries(OF_IDENTITIES).map(([name, reason]) => [`identityDetail.${name}`, reason]),
  ),
  ...Object.fromEntries(
    Object.entries(OF_SIGNERS).map(([name, reason]) => [`externalJwtSignerDetail.${name}`, reason]),
  ),
  'entityRef.urlName': 'of older versions; the requirements name it beside service configs',
};

export interface StatusSlip {
  readonly status: number;
  readonly rows: RegExp;
  readonly reason: string;
}

/** Statuses that rows declare beyond the contract. */
export const MORE_STATUSES: readonly StatusSlip[] = [
  { status: 412, rows: /^(PUT|PATCH|DELETE) /, reason: 'If-Match, which the contract lacks' },
  {
    status: 400,
    rows: /^GET \/[\w-]+\/\{id\}\/[\w-]+$/,
    reason: 'these lists take a filter, which can be wrong',
  },
  {
    status: 400,
    rows: /^GET \/(links|circuits|services|routers)$/,
    reason: 'these lists take a filter, which can be wrong',
  },
  {
    status: 400,
    rows: /\/disable$|^POST \/(database\/snapshot|inspections|current-api-session\/totp-token)$/,
    reason: 'the body can be wrong',
  },
  {
    status: 409,
    rows: /^POST \/current-api-session\/totp-token$/,
    reason: 'the public controller answers it, too, to those without one-time codes',
  },
  { status: 400, rows: /^POST \/cluster\//, reason: 'controllers have no cluster' },
  {
    status: 400,
    rows: /^GET \/current-identity\/edge-routers$/,
    reason: 'clients page through it, and pages can be asked for wrongly',
  },
  {
    status: 404,
    rows: /^GET \/services\/\{id\}\/terminators$/,
    reason: 'clients may not see the service',
  },
  {
    status: 404,
    rows: /^GET (\/\S+)?\/services$/,
    reason: '`asIdentity` may name nobody',
  },
  {
    status: 404,
    rows: /^POST \/[\w-]+$/,
    reason: 'the body may name an entity that does not exist',
  },
  {
    status: 404,
    rows: /\/refresh$|^GET \/specs\/|^DELETE \/(routers|sessions|links|circuits|services|terminators)\//,
    reason: 'there may be none',
  },
  {
    status: 409,
    rows: /^((POST|PUT|PATCH) \/(identities|services)|\w+ \/service-policies)(\/\{id\})?$/,
    reason: 'access rules can refuse it',
  },
  {
    status: 409,
    rows: /^(PUT|PATCH) \/(transit-)?routers\//,
    reason: 'an edge router is changed as an edge router',
  },
  { status: 409, rows: /^(POST|PUT|PATCH) \/authenticators/, reason: 'one of each method' },
  {
    status: 409,
    rows: /^DELETE \/(auth-policies|external-jwt-signers)\//,
    reason: 'refused while in use',
  },
  {
    status: 400,
    rows: /^(POST|DELETE|GET) .*\/(mfa|verify|recovery-codes|re-enroll|request-extend)$/,
    reason: 'the body can be wrong',
  },
  { status: 409, rows: /^POST \/routers$/, reason: 'ids and names are unique' },
  { status: 409, rows: /^POST \/authenticate\/mfa$/, reason: 'there is no factor to prove' },
  { status: 401, rows: /\/mfa\/qr-code$/, reason: 'needs a session' },
  { status: 409, rows: /^(PUT|PATCH) \/current-identity\/auth/, reason: 'usernames are unique' },
  {
    status: 400,
    rows: /\/(extend|extend-verify)$/,
    reason: 'the request or certificate can be wrong',
  },
  {
    status: 404,
    rows: /\/(extend|extend-verify)$|^DELETE .*\/(certificates\/\{id\}|effective)$/,
    reason: 'there may be none',
  },
  { status: 404, rows: /^POST \/enroll\/(ottca|erott)$/, reason: 'there may be no such token' },
  { status: 409, rows: /^POST \/enroll\//, reason: 'somebody may be enrolled already' },
  { status: 409, rows: /\/cas\/\{id\}\/verify$/, reason: 'verified already' },
  { status: 409, rows: /^POST \/sessions$/, reason: 'posture can refuse it' },
  { status: 409, rows: /\/(extend|extend-verify)$/, reason: 'only certificates are extended' },
  { status: 401, rows: /^DELETE \/posture-checks\//, reason: '403 is for those with a session' },
];

/** Statuses of the contract that rows never give. */
export const FEWER_STATUSES: readonly StatusSlip[] = [
  {
    status: 404,
    rows: /^GET \/[\w-]+\/\{id\}\/[\w-]+$/,
    reason: 'the public controller lists nothing of what does not exist, and consoles rely on it',
  },
  {
    status: 400,
    rows: /\/network-jwts$|^DELETE .*\/(certificates|sessions)\/\{id\}$|^DELETE .*\/effective$/,
    reason: 'nothing in the request can be wrong',
  },
  {
    status: 409,
    rows: /^DELETE \/(services|edge-routers|transit-routers|routers|identities|\w+(-\w+)*-policies|terminators|sessions|circuits)\//,
    reason: 'what refers to it goes with it, or lets go of it',
  },
  {
    status: 404,
    rows: /^POST \/cluster\//,
    reason: 'there is no cluster, whose members could be unknown',
  },
  {
    status: 404,
    rows: /^POST \/current-api-session\/totp-token$/,
    reason: 'a session without one-time codes is 409 MFA_NOT_ENROLLED',
  },
  { status: 500, rows: /^POST \/cluster\//, reason: 'there is no cluster that could fail' },
];

/** Query parameters of the contract that rows do not know. */
export const FEWER_PARAMETERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['-role-attributes', '-role-attribute-usage'].map((end) => [
      end,
      'limit and offset count in the filter text alone, as in the public controller',
    ]),
  ),
};

/** Rows that take a body where the contract has none. */
export const OWN_BODIES: Readonly<Record<string, string>> = {
  'POST /enroll/ca': 'clients send the name that they want',
  'DELETE /current-identity/mfa': 'clients send the code in the body or in a header',
};

/** Rows that do not look at the body of the contract. */
export const IGNORED_BODIES: Readonly<Record<string, string>> = {
  'DELETE /circuits/{id}': 'it ends at once, whatever the body says',
  'POST /cluster/add-member': 'refused, whatever the body says',
  'POST /cluster/remove-member': 'refused, whatever the body says',
  'POST /cluster/transfer-leadership': 'refused, whatever the body says',
};

export interface BodySlip {
  readonly members: readonly string[];
  readonly reason: string;
}

/** Members of bodies that only we take, or that only the contract insists on, by schema. */
export const BODY_SLIPS: Readonly<Record<string, BodySlip>> = {
  caCreate: { members: ['certPem'], reason: 'needed but for an authority with a bundle endpoint' },
  caUpdate: { members: ['identityNameFormat'], reason: 'has a default, as on create' },
  authenticatorUpdate: {
    members: ['username', 'password'],
    reason: 'the rule is that of the method: only passwords can be replaced',
  },
  enrollmentCreate: { members: ['tags'], reason: 'every entity has tags' },
  ...Object.fromEntries(
    ['terminatorCreate', 'terminatorUpdate', 'terminatorPatch'].map((name) => [
      name,
      { members: ['hostId'], reason: 'the session of a host decides' },
    ]),
  ),
  ...Object.fromEntries(
    ['identityCreate', 'identityUpdate', 'identityPatch'].map((name) => [
      name,
      { members: Object.keys(OF_IDENTITIES), reason: 'see the members of answers' },
    ]),
  ),
  ...Object.fromEntries(
    ['externalJwtSignerCreate', 'externalJwtSignerUpdate', 'externalJwtSignerPatch'].map((name) => [
      name,
      { members: Object.keys(OF_SIGNERS), reason: 'see the members of answers' },
    ]),
  ),
  postureCheckPatch: { members: ['typeId'], reason: 'the type is fixed at creation' },
};

/** Members of bodies for which `object` of the contract stands for any value. */
export const OPEN_MEMBERS: Readonly<Record<string, string>> = {
  data: 'the schema of the config type decides',
  schema: 'the check of JSON schemas decides',
};
