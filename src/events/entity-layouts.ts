import { isObject, type JsonObject } from '../base/row.js';
import { withoutNulls } from '../base/without-nulls.js';
import type { ResourceName, RowOf } from '../kernel/declare/rows.js';
import { nanosOf } from './network-event.js';

/*
 * The stored form of entities in events, as the public controller writes it: the names of its stores
 * and members, in its order. This is a wire format, not a fact about resources; it stands here in
 * whole, like the messages for routers.
 */

/** An attribute under its own name, or the name in events with the attribute or its value. */
type Member<A extends string> =
  | A
  | readonly [name: string, attribute: A]
  | readonly [name: string, valueOf: (state: JsonObject) => unknown];

export interface EntityLayout<A extends string = string> {
  /** The name of the store, in the member `entityType`. */
  readonly type: string;
  /** Behind the members of all entities. */
  readonly members: readonly Member<A>[];
}

/** Readers expect the member, which holds a secret in the field. */
const NO_TOKEN = ['token', () => ''] as const;

/** Undefined: its rows are no stored entities of the field, or have the events of others. */
const LAYOUTS: {
  readonly [N in ResourceName]: EntityLayout<keyof RowOf<N> & string> | undefined;
} = {
  AccessReview: {
    type: 'accessReviews',
    members: [
      'name',
      'description',
      'type',
      'identityFilter',
      'serviceFilter',
      'state',
      'finishedAt',
      'finishedById',
      'usesRecordedSince',
      'lineCount',
      'keepCount',
      'revokeCount',
    ],
  },
  AccessRule: {
    type: 'accessRules',
    members: ['name', 'kind', 'type', 'semantic', 'identityRoles', 'serviceRoles'],
  },
  ApiSession: {
    type: 'apiSessions',
    members: [
      'identityId',
      'ipAddress',
      'configTypes',
      ['mfaComplete', 'isMfaComplete'],
      ['mfaRequired', 'isMfaRequired'],
      'authenticatorId',
      'isCertExtendable',
      'improperClientCertChain',
    ],
  },
  ApiSessionCertificate: {
    type: 'apiSessionCertificates',
    members: [
      'apiSessionId',
      'subject',
      'fingerprint',
      ['validAfter', 'validFrom'],
      ['validBefore', 'validTo'],
      ['pem', 'certificate'],
    ],
  },
  AuthPolicy: {
    type: 'authPolicies',
    members: ['name', ['primary', primaryOf], ['secondary', secondaryOf]],
  },
  Authenticator: {
    type: 'authenticators',
    members: [['type', 'method'], 'identityId', ['subType', authenticatorPartOf]],
  },
  CertificateAuthority: {
    type: 'cas',
    members: [
      'name',
      'fingerprint',
      'certPem',
      'isVerified',
      'isAutoCaEnrollmentEnabled',
      'isOttCaEnrollmentEnabled',
      'isAuthEnabled',
      'identityRoles',
      'identityNameFormat',
      'externalIdClaim',
    ],
  },
  Config: { type: 'configs', members: ['name', ['type', 'configTypeId'], 'data'] },
  ConfigType: { type: 'configTypes', members: ['name', 'schema'] },
  Controller: { type: 'controllers', members: ['name', 'ctrlAddress', 'certPem', 'fingerprint'] },
  EdgeRouter: {
    type: 'routers',
    members: [
      'name',
      'fingerprint',
      'cost',
      'noTraversal',
      'disabled',
      'ctrlChanListeners',
      'isVerified',
      'certPem',
      'unverifiedCertPem',
      'unverifiedFingerprint',
      'roleAttributes',
      'isTunnelerEnabled',
      'appData',
    ],
  },
  EdgeRouterPolicy: {
    type: 'edgeRouterPolicies',
    members: ['name', 'semantic', 'identityRoles', 'edgeRouterRoles'],
  },
  Enrollment: {
    type: 'enrollments',
    members: [
      NO_TOKEN,
      'method',
      'identityId',
      'transitRouterId',
      'edgeRouterId',
      'expiresAt',
      'caId',
      'username',
    ],
  },
  ExternalJwtSigner: {
    type: 'externalJwtSigners',
    members: [
      'name',
      'fingerprint',
      'kid',
      'certPem',
      'jwksEndpoint',
      'commonName',
      'notAfter',
      'notBefore',
      'enabled',
      'externalAuthUrl',
      'claimsProperty',
      'useExternalId',
      'issuer',
      'audience',
      'clientId',
      'scopes',
      'targetToken',
      'enrollToCertEnabled',
      'enrollToTokenEnabled',
      'enrollAttributeClaimsSelector',
      'enrollAuthPolicyId',
      'enrollNameClaimsSelector',
    ],
  },
  FindingMute: {
    type: 'findingMutes',
    members: ['findingId', 'reason', 'mutedUntil', 'mutedById'],
  },
  Identity: {
    type: 'identities',
    members: [
      'name',
      ['identityTypeId', 'typeId'],
      'isDefaultAdmin',
      'isAdmin',
      'roleAttributes',
      'defaultHostingPrecedence',
      'defaultHostingCost',
      'serviceHostingPrecedences',
      'serviceHostingCosts',
      'appData',
      'authPolicyId',
      'externalId',
      'disabledAt',
      'disabledUntil',
      'permissions',
    ],
  },
  IdentityType: { type: 'identityTypes', members: ['name'] },
  PostureCheck: {
    type: 'postureChecks',
    members: ['name', 'typeId', 'version', 'roleAttributes', ['subType', postureCheckPartOf]],
  },
  PostureCheckType: { type: 'postureCheckTypes', members: ['name', 'operatingSystems'] },
  Service: {
    type: 'services',
    members: [
      'name',
      ['maxIdleTime', ({ maxIdleTimeMillis }) => nanosOf(Number(maxIdleTimeMillis))],
      'terminatorStrategy',
      'roleAttributes',
      'configs',
      'encryptionRequired',
    ],
  },
  ServiceEdgeRouterPolicy: {
    type: 'serviceEdgeRouterPolicies',
    members: ['name', 'semantic', 'serviceRoles', 'edgeRouterRoles'],
  },
  ServicePolicy: {
    type: 'servicePolicies',
    members: [
      ['policyType', 'type'],
      'name',
      'semantic',
      'identityRoles',
      'serviceRoles',
      'postureCheckRoles',
    ],
  },
  Session: { type: 'sessions', members: ['identityId', 'apiSessionId', 'serviceId', 'type'] },
  Terminator: {
    type: 'terminators',
    members: [
      ['service', 'serviceId'],
      ['router', 'routerId'],
      'binding',
      'address',
      ['instanceId', 'identity'],
      'cost',
      'precedence',
      'hostId',
      'savedPrecedence',
      'sourceCtrl',
    ],
  },
  TransitRouter: {
    type: 'routers',
    members: [
      'name',
      'fingerprint',
      'cost',
      'noTraversal',
      'disabled',
      'ctrlChanListeners',
      'isVerified',
      'unverifiedFingerprint',
      'unverifiedCertPem',
    ],
  },
  AuthenticationSigner: undefined,
  Change: undefined,
  Circuit: undefined,
  ClientEdgeRouter: undefined,
  ClientTerminator: undefined,
  Link: undefined,
  Router: undefined,
};

/** The layout of the entities of a resource; undefined for records and other changes. */
export const entityLayout = (resource: string): EntityLayout | undefined =>
  (LAYOUTS as Readonly<Record<string, EntityLayout | undefined>>)[resource];

const BASE_MEMBERS = ['id', 'createdAt', 'updatedAt', 'tags', 'isSystem'] as const;

/** The stored form of a state of the change log; members that the log does not have are left out. */
export function storedForm({ members }: EntityLayout, state: JsonObject): JsonObject {
  const pairs = [...BASE_MEMBERS, ...members].map((member): [string, unknown] => {
    if (typeof member === 'string') return [member, state[member]];
    const [name, source] = member;
    return [name, typeof source === 'string' ? state[source] : source(state)];
  });
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

function primaryOf({ primary }: JsonObject): unknown {
  if (!isObject(primary)) return undefined;
  const { cert, updb, extJwt } = primary;
  const { allowed, allowedSigners } = isObject(extJwt) ? extJwt : {};
  return { cert, updb, extJwt: { allowed, allowedExtJwtSigners: allowedSigners } };
}

function secondaryOf({ secondary }: JsonObject): unknown {
  if (!isObject(secondary)) return undefined;
  const { requireTotp, requireExtJwtSigner } = secondary;
  return { requireTotp, requiredExtJwtSigner: requireExtJwtSigner };
}

/** The part of an authenticator that depends on its method; a password is no part of any event. */
function authenticatorPartOf(state: JsonObject): unknown {
  const { method, username, fingerprint, certPem: pem, isIssuedByNetwork } = state;
  return method === 'cert' ? { fingerprint, pem, isIssuedByNetwork } : { username };
}

const COMMON_OF_CHECKS: ReadonlySet<string> = new Set([
  ...BASE_MEMBERS,
  'revision',
  'name',
  'typeId',
  'version',
  'roleAttributes',
]);

/** The members that only checks of this type have. */
function postureCheckPartOf(state: JsonObject): unknown {
  const names = Object.keys(state).filter((name) => !COMMON_OF_CHECKS.has(name));
  return withoutNulls(Object.fromEntries(names.map((name) => [name, state[name]])));
}
