import { Catalog } from '../kernel/declare/catalog.js';
import { AccessOffer } from './policies/access-offer.js';
import { AccessRequest } from './policies/access-request.js';
import { AccessReview } from './policies/access-review.js';
import { AccessRule } from './policies/access-rule.js';
import { ApiSessionCertificate } from './sessions/api-session-certificate.js';
import { ApiSession } from './sessions/api-session.js';
import { AuthPolicy } from './trust/auth-policy.js';
import { AuthenticationSigner } from './trust/authentication-signer.js';
import { Authenticator } from './identities/authenticator.js';
import { CertificateAuthority } from './trust/certificate-authority.js';
import { Change } from './controllers/change.js';
import { Circuit } from './routers/circuit.js';
import { ClientEdgeRouter } from './routers/client-edge-router.js';
import { ClientTerminator } from './services/client-terminator.js';
import { ConfigType } from './services/config-type.js';
import { Config } from './services/config.js';
import { ControllerSetting } from './controllers/controller-setting.js';
import { Controller } from './controllers/controller.js';
import { DirectoryGroup } from './identities/directory-group.js';
import { DirectoryToken } from './identities/directory-token.js';
import { DirectoryUser } from './identities/directory-user.js';
import { Directory } from './identities/directory.js';
import { EdgeRouterPolicy } from './policies/edge-router-policy.js';
import { EdgeRouter } from './routers/edge-router.js';
import { Enrollment } from './identities/enrollment.js';
import { ExternalJwtSigner } from './trust/external-jwt-signer.js';
import { FindingMute } from './policies/finding-mute.js';
import { IdentityType } from './identities/identity-type.js';
import { Identity } from './identities/identity.js';
import { Link } from './routers/link.js';
import { policyRelations } from './policies/policy-relations.js';
import { RoleAssignment } from './identities/role-assignment.js';
import { PostureCheckType } from './trust/posture-check-type.js';
import { PostureCheck } from './trust/posture-check.js';
import { Revocation } from './trust/revocation.js';
import { Router } from './routers/router.js';
import { ServiceEdgeRouterPolicy } from './policies/service-edge-router-policy.js';
import { ServicePolicy } from './policies/service-policy.js';
import { Service } from './services/service.js';
import { Session } from './sessions/session.js';
import { Terminator } from './services/terminator.js';
import { TransitRouter } from './routers/transit-router.js';

/** All resources, in the order in which an import creates their entities. */
const shapes = {
  ExternalJwtSigner,
  AuthPolicy,
  CertificateAuthority,
  IdentityType,
  ConfigType,
  Config,
  PostureCheckType,
  PostureCheck,
  EdgeRouter,
  TransitRouter,
  Service,
  Directory,
  DirectoryToken,
  Identity,
  RoleAssignment,
  DirectoryUser,
  DirectoryGroup,
  EdgeRouterPolicy,
  ServiceEdgeRouterPolicy,
  ServicePolicy,
  AccessRule,
  AccessOffer,
  AccessRequest,
  FindingMute,
  AccessReview,
  Authenticator,
  Enrollment,
  Terminator,
  ApiSession,
  ApiSessionCertificate,
  Session,
  Revocation,
  Controller,
  ControllerSetting,
  Router,
  AuthenticationSigner,
  ClientEdgeRouter,
  ClientTerminator,
  Link,
  Circuit,
  Change,
};

type Entities = { [N in keyof typeof shapes]: InstanceType<(typeof shapes)[N]> };

declare module '../kernel/declare/rows.js' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- its members are those above
  interface EntityTypes extends Entities {}
}

export const catalog = new Catalog(shapes, policyRelations());

export { Change } from './controllers/change.js';
export { changeTypes, readableTypes } from './controllers/change-types.js';
export type { EnrollmentSettings } from './modules.js';
