import type { Permission } from '../../src/kernel/permissions.js';

/*
 * What every operation asks of its caller, in one place to be reviewed. `identity.read` is had by
 * administrators, by holders of `identity` or `identity.read`, and (as it reads) of `admin_readonly`.
 * `~ identity.read`: any session; without the permission it gets only what is its own.
 */

/** Resource -> entity of the permission that its five operations and the lists of it ask for. */
export const ENTITIES: Readonly<Record<string, string>> = {
  ApiSession: 'ops',
  AuthPolicy: 'auth-policy',
  Authenticator: 'admin',
  CertificateAuthority: 'ca',
  Config: 'config',
  ConfigType: 'config-type',
  Controller: 'admin',
  EdgeRouter: 'router',
  EdgeRouterPolicy: 'edge-router-policy',
  Enrollment: 'enrollment',
  ExternalJwtSigner: 'external-jwt-signer',
  Identity: 'identity',
  IdentityType: 'identity',
  PostureCheck: 'posture-check',
  PostureCheckType: 'posture-check',
  Service: 'service',
  ServiceEdgeRouterPolicy: 'service-edge-router-policy',
  ServicePolicy: 'service-policy',
  Session: 'ops',
  Terminator: 'terminator',
  TransitRouter: 'router',
};

/** Resources of which any session may list some: itself, what it may dial or bind, its sessions. */
export const OWN_ROWS: readonly string[] = [
  'ApiSession',
  'Authenticator',
  'Controller',
  'Identity',
  'Service',
  'Session',
];

/** Operations that no resource derives. */
export const OPERATIONS: Readonly<Record<string, string>> = {
  associateServiceConfigs: 'identity.update',
  authenticate: 'nothing',
  authorities: 'nothing',
  capabilities: 'nothing',
  currentApiSession: 'session',
  currentIdentity: 'session',
  currentService: 'session',
  deleteCurrentApiSession: 'session',
  disableIdentity: 'identity.update',
  disassociateServiceConfigs: 'identity.update',
  enableIdentity: 'identity.update',
  exportNetwork: 'admin',
  importNetwork: 'admin',
  importProgress: 'admin',
  networkJwts: 'nothing',
  // That of the type.
  node: 'session',
  // And service.read.
  policyAdvice: 'identity.read',
  protocols: 'nothing',
  reEnrollEdgeRouter: 'router.update',
  refreshEnrollment: 'enrollment.update',
  // <kind>.read
  roleAttributeUsage: 'session',
  roleAttributes: 'session',
  spec: 'nothing',
  specs: 'nothing',
  summary: 'admin',
  version: 'nothing',
};

export function show(permission: Permission | undefined): string | undefined {
  if (permission?.need !== 'entity') return permission?.need;
  return `${permission.scoped ? '~ ' : ''}${permission.entity}.${permission.action}`;
}

/** Reading a list of a resource. */
export const listing = (name: string): string =>
  `${OWN_ROWS.includes(name) ? '~ ' : ''}${String(ENTITIES[name])}.read`;

/** Writing: what is only for administrators to write is theirs alone. */
export const writing = (name: string, action: string): string =>
  ENTITIES[name] === 'admin' ? 'admin' : `${String(ENTITIES[name])}.${action}`;
