import type { Permission } from '../../src/kernel/declare/permissions.js';

/*
 * What every operation asks of its caller, in one place to be reviewed. `identity.read` is had by
 * administrators, by holders of `identity` or `identity.read`, and (as it reads) of `admin_readonly`.
 * `~ identity.read`: any session; without the permission it gets only what is its own.
 * `! ops.read`: more than reading, so `admin_readonly` is not enough.
 */

/** Resource -> entity of the permission that its five operations and the lists of it ask for. */
export const ENTITIES: Readonly<Record<string, string>> = {
  AccessOffer: 'admin',
  AccessRequest: 'admin',
  AccessReview: 'access-review',
  AccessRule: 'admin',
  ApiSession: 'ops',
  ApiSessionCertificate: 'ops',
  AuthPolicy: 'auth-policy',
  AuthenticationSigner: 'external-jwt-signer',
  Authenticator: 'admin',
  CertificateAuthority: 'ca',
  Change: 'change',
  Circuit: 'ops',
  ClientEdgeRouter: 'admin',
  ClientTerminator: 'terminator',
  Config: 'config',
  ConfigType: 'config-type',
  Controller: 'controllers',
  ControllerSetting: 'admin',
  Directory: 'admin',
  DirectoryGroup: 'admin',
  DirectoryToken: 'admin',
  DirectoryUser: 'admin',
  EdgeRouter: 'router',
  EdgeRouterPolicy: 'edge-router-policy',
  Enrollment: 'enrollment',
  ExternalJwtSigner: 'external-jwt-signer',
  FindingMute: 'admin',
  Identity: 'identity',
  IdentityType: 'identity',
  Link: 'ops',
  PostureCheck: 'posture-check',
  PostureCheckType: 'posture-check',
  Revocation: 'admin',
  RoleAssignment: 'identity',
  Router: 'router',
  Service: 'service',
  ServiceEdgeRouterPolicy: 'service-edge-router-policy',
  ServicePolicy: 'service-policy',
  Session: 'ops',
  Terminator: 'terminator',
  TransitRouter: 'router',
};

/** Resources of which any session may list some: itself, what it may dial or bind, its sessions. */
export const OWN_ROWS: readonly string[] = [
  'AccessOffer',
  'AccessRequest',
  'ApiSession',
  'ApiSessionCertificate',
  'Authenticator',
  'ClientEdgeRouter',
  'ClientTerminator',
  'Controller',
  'Identity',
  'RoleAssignment',
  'Service',
  'Session',
];

/** Resources that clients list before they log in. */
export const OPEN: readonly string[] = ['AuthenticationSigner'];

/** Fields of answers that show entities to whoever got the answer. */
export const WITH_THE_ANSWER: Readonly<Record<string, string>> = {
  'EnrolledCertificatesType.controllers': 'nothing',
  // Analysis shows it to whoever may read findings.
  'Finding.mute': 'identity.read',
};

/** Resources whose role attributes can be added and removed one by one. */
const WITH_ROLE_ATTRIBUTES: readonly string[] = [
  'EdgeRouter',
  'Identity',
  'PostureCheck',
  'Service',
];

/** Mutation of role attributes -> the update of the entity. */
export const ROLE_ATTRIBUTES: Readonly<Record<string, string>> = Object.fromEntries(
  WITH_ROLE_ATTRIBUTES.flatMap((name) =>
    ['add', 'remove'].map((verb) => [
      `${verb}${name}RoleAttributes`,
      `${String(ENTITIES[name])}.update`,
    ]),
  ),
);

/** Operations that no resource derives. */
export const OPERATIONS: Readonly<Record<string, string>> = {
  // And that of each change.
  applyChanges: 'session',
  associateServiceConfigs: 'identity.update',
  authenticate: 'nothing',
  authorities: 'nothing',
  checkDataIntegrity: 'admin',
  createSnapshot: 'admin',
  dataIntegrityResults: 'admin',
  fixDataIntegrity: 'admin',
  capabilities: 'nothing',
  currentApiSession: 'partial',
  currentIdentity: 'session',
  currentService: 'session',
  deleteCurrentApiSession: 'partial',
  deleteAnyRouter: 'router.delete',
  registerRouter: 'router.create',
  // Its routers: router.read.
  routerPath: 'ops.read',
  updateAnyRouter: 'router.update',
  disableIdentity: 'identity.update',
  approveIdentity: 'identity.update',
  disassociateServiceConfigs: 'identity.update',
  enableIdentity: 'identity.update',
  exportChanges: 'admin',
  exportNetwork: 'admin',
  importNetwork: 'admin',
  importProgress: 'admin',
  inspect: '! ops.read',
  lastUseRecording: 'ops.read',
  metrics: 'ops.read',
  networkJwts: 'nothing',
  // Of each member the permission of what it tells; the others are null.
  overview: 'reader',
  // That of the type.
  node: 'session',
  // And service.read.
  policyAdvice: 'identity.read',
  previewCertificate: 'ca.read',
  previewExternalJwt: 'external-jwt-signer.read',
  protocols: 'nothing',
  reEnrollEdgeRouter: 'router.update',
  refreshEnrollment: 'enrollment.update',
  // <kind>.read
  // And <type>.read of what was changed.
  revertChanges: 'change.read',
  roleAttributeUsage: 'session',
  roleAttributes: 'session',
  // <type>.read of what is searched; the others are left out, and refused when they are named.
  search: 'session',
  spec: 'nothing',
  specs: 'nothing',
  // <type>.read of what is counted; the others are left out.
  summary: 'reader',
  traceIdentity: 'identity.update',
  usage: 'ops.read',
  version: 'nothing',
  authenticateMfa: 'partial',
  confirmCurrentAuthenticator: 'session',
  createCurrentApiSessionCertificate: 'session',
  createTotpToken: 'session',
  createCurrentMfa: 'partial',
  createCurrentMfaRecoveryCodes: 'session',
  currentApiSessionCertificate: 'session',
  currentAuthenticator: 'session',
  currentMfa: 'partial',
  currentMfaQrCode: 'partial',
  currentMfaRecoveryCodes: 'session',
  deleteCurrentApiSessionCertificate: 'session',
  // And read of everything that an answer shows.
  access: 'identity.read',
  accesses: 'identity.read',
  approvalEffect: 'identity.read',
  accessDiff: 'identity.read',
  accessMap: 'identity.read',
  accessMapClass: 'identity.read',
  finding: 'identity.read',
  findings: 'identity.read',
  // Of reviews also read of identities, services, service policies and ops.
  startAccessReview: 'access-review.create',
  accessReviewLines: 'access-review.read',
  decideAccessReview: 'access-review.update',
  // Without more.
  finishAccessReview: 'access-review.update',
  // The offer and its role lists decide, beside administrators; never about an own request.
  approveAccessRequest: 'session',
  denyAccessRequest: 'session',
  revokeAccess: 'session',
  reviewAccessRequest: 'admin',
  accessRequestEffect: 'session',
  // For the caller itself.
  requestAccess: 'session',
  myAccess: 'session',
  cancelAccessRequest: 'session',
  issueDirectoryToken: 'admin',
  deleteDirectoryWithUsers: 'admin',
  muteFinding: 'admin',
  revoke: 'admin',
  effectiveControllerSetting: 'admin.read',
  addControllerSetting: 'admin',
  setControllerSetting: 'admin',
  changeControllerSetting: 'admin',
  removeControllerSetting: 'admin',
  toggleRouterTraces: 'admin',
  unmuteFinding: 'admin',
  simulate: 'identity.read',
  simulateImport: 'admin',
  // And read of everything that decides access.
  unusedAccess: 'ops.read',
  currentServiceUpdates: 'session',
  currentSession: 'session',
  deleteCurrentSession: 'session',
  openSession: 'session',
  submitPosture: 'session',
  deleteCurrentMfa: 'session',
  certificateAuthorityJwt: 'ca.read',
  enroll: 'nothing',
  enrollmentChallenge: 'nothing',
  enrollmentKeys: 'nothing',
  extendCurrentAuthenticator: 'session',
  extendRouterEnrollment: 'nothing',
  verifyCertificateAuthority: 'ca.update',
  reEnrollAuthenticator: 'admin',
  removeIdentityMfa: 'identity.update',
  replaceCurrentAuthenticator: 'session',
  requestExtendAuthenticator: 'admin',
  updateCurrentAuthenticator: 'session',
  verifyCurrentMfa: 'partial',
};

export function show(permission: Permission | undefined): string | undefined {
  if (permission?.need !== 'entity') return permission?.need;
  const mark = permission.isBeyondReading ? '! ' : '';
  return `${permission.scoped ? '~ ' : mark}${permission.entity}.${permission.action}`;
}

/** Reading a list of a resource. */
export const listing = (name: string): string =>
  OPEN.includes(name)
    ? 'nothing'
    : `${OWN_ROWS.includes(name) ? '~ ' : ''}${String(ENTITIES[name])}.read`;

/** Writing: what is only for administrators to write is theirs alone. */
export function writing(name: string, action: string): string {
  if (ENTITIES[name] === 'admin') return 'admin';
  return `${String(ENTITIES[name])}.${PARTS_OF_ENTITIES.includes(name) ? 'update' : action}`;
}

/** Resources whose entities are a part of others: their writes change these. */
const PARTS_OF_ENTITIES: readonly string[] = ['RoleAssignment'];
