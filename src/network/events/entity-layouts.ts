import { isObject, type JsonObject } from '../../base/row.js';
import { lowerFirst } from '../../base/names.js';
import { withoutNulls } from '../../base/without-nulls.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import { storedAttributes, type Resource } from '../../kernel/declare/resource.js';
import type { ResourceName, RowOf } from '../../kernel/declare/rows.js';
import { effectiveAttributes } from '../../kernel/policy/index.js';
import { nanosOf } from './network-event.js';

/*
 * The stored form of entities in events. Of the entities that the public controller has, it is its
 * form: the names of its stores and members, in its order. This is a wire format, not a fact about
 * resources; it stands here in whole, like the messages for routers. The form of other entities
 * follows from their declaration.
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

const PUBLISHED: {
  readonly [N in ResourceName]?: EntityLayout<keyof RowOf<N> & string>;
} = {
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
  Identity: {
    type: 'identities',
    members: [
      'name',
      ['identityTypeId', 'typeId'],
      'isDefaultAdmin',
      'isAdmin',
      // Those by which policies select it.
      ['roleAttributes', effectiveAttributes],
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
  Revocation: { type: 'revocations', members: ['expiresAt', 'type', 'issuedBefore'] },
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
};

const layoutsByCatalog = new WeakMap<Catalog, ReadonlyMap<string, EntityLayout>>();

/** The layout of the entities of a resource; undefined for records and other changes. */
export const entityLayout = (catalog: Catalog, resource: string): EntityLayout | undefined =>
  layoutsIn(catalog).get(resource);

function layoutsIn(catalog: Catalog): ReadonlyMap<string, EntityLayout> {
  const layouts = layoutsByCatalog.get(catalog) ?? layoutsOf(catalog);
  layoutsByCatalog.set(catalog, layouts);
  return layouts;
}

/** Those of the public controller, and what follows from the declaration of each other resource. */
const layoutsOf = (catalog: Catalog): ReadonlyMap<string, EntityLayout> =>
  new Map<string, EntityLayout>([
    ...catalog
      .stored()
      .filter(({ options }) => !options.unlogged && !options.storage?.isUnlogged)
      .map((resource): [string, EntityLayout] => [resource.name, layoutFrom(resource)]),
    ...Object.entries(PUBLISHED as Readonly<Record<string, EntityLayout>>),
  ]);

/** The attributes that the change log has, in the order of the declaration. */
const layoutFrom = (resource: Resource): EntityLayout => ({
  type: lowerFirst(resource.options.plural),
  members: storedAttributes(resource)
    .filter(({ secret, unlogged }) => secret === undefined && unlogged !== true)
    .map(({ name }) => name)
    .filter((name) => !COMMON_MEMBERS.has(name)),
});

const BASE_MEMBERS = ['id', 'createdAt', 'updatedAt', 'tags', 'isSystem'] as const;

/** The members of every state; the field knows no revision. */
const COMMON_MEMBERS: ReadonlySet<string> = new Set([...BASE_MEMBERS, 'revision']);

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
  ...COMMON_MEMBERS,
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
