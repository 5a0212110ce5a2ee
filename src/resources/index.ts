import { Catalog } from '../kernel/declare/catalog.js';
import { AccessReview } from './access-review.js';
import { AccessRule } from './access-rule.js';
import { ApiSessionCertificate } from './api-session-certificate.js';
import { ApiSession } from './api-session.js';
import { AuthPolicy } from './auth-policy.js';
import { AuthenticationSigner } from './authentication-signer.js';
import { Authenticator } from './authenticator.js';
import { CertificateAuthority } from './certificate-authority.js';
import { Change } from './change.js';
import { Circuit } from './circuit.js';
import { ClientEdgeRouter } from './client-edge-router.js';
import { ClientTerminator } from './client-terminator.js';
import { ConfigType } from './config-type.js';
import { Config } from './config.js';
import { Controller } from './controller.js';
import { EdgeRouterPolicy } from './edge-router-policy.js';
import { EdgeRouter } from './edge-router.js';
import { Enrollment } from './enrollment.js';
import { ExternalJwtSigner } from './external-jwt-signer.js';
import { FindingMute } from './finding-mute.js';
import { IdentityType } from './identity-type.js';
import { Identity } from './identity.js';
import { Link } from './link.js';
import { policyRelations } from './policy-relations.js';
import { PostureCheckType } from './posture-check-type.js';
import { PostureCheck } from './posture-check.js';
import { Router } from './router.js';
import { ServiceEdgeRouterPolicy } from './service-edge-router-policy.js';
import { ServicePolicy } from './service-policy.js';
import { Service } from './service.js';
import { Session } from './session.js';
import { Terminator } from './terminator.js';
import { TransitRouter } from './transit-router.js';

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
  Identity,
  EdgeRouterPolicy,
  ServiceEdgeRouterPolicy,
  ServicePolicy,
  AccessRule,
  FindingMute,
  AccessReview,
  Authenticator,
  Enrollment,
  Terminator,
  ApiSession,
  ApiSessionCertificate,
  Session,
  Controller,
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

export { ModelIndex, modelChangeOf } from './model-index.js';
export { Change } from './change.js';
export { changeTypes, readableTypes } from './change-types.js';
export type { EnrollmentSettings } from './modules.js';
