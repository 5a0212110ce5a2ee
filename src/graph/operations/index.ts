import type { ClassType } from 'type-graphql';
import { InformationResolver } from './information.js';
import { ChangesResolver } from './changes.js';
import { DataIntegrityResolver } from './data-integrity.js';
import {
  entityFieldResolvers,
  FindingEntityEntityResolver,
  ProposedChangeEntityResolver,
} from './entity-fields.js';
import { EnrollResolver } from './enroll.js';
import { EnrollmentActionsResolver } from './enrollment-actions.js';
import { IdentityStateResolver } from './identity-state.js';
import { IdentityTraceResolver } from './identity-trace.js';
import { PolicyAdviceResolver } from './policy-advice.js';
import { RoleAttributesResolver } from './role-attributes.js';
import { ServiceConfigsResolver } from './service-configs.js';
import { ReachPairResolver } from './reach-pair-names.js';
import { ReachChangesResolver, RuleViolationResolver, SimulateResolver } from './simulate.js';
import { SnapshotResolver } from './snapshot.js';
import { SummaryResolver } from './summary.js';
import { LoginResolver } from './login.js';
import { AuthenticatorActionsResolver } from './authenticator-actions.js';
import { MfaResolver } from './mfa.js';
import { OwnAuthenticatorsResolver } from './own-authenticators.js';
import { SessionCertificatesResolver } from './session-certificates.js';
import { AccessChangeResolver } from './access-changes.js';
import { AccessRuleStateResolver } from './access-rule-state.js';
import { AccessResolver, MissingSideResolver } from './access.js';
import {
  AccessesResolver,
  AccessGrantResolver,
  GrantingPolicyResolver,
  IdentityAccessResolver,
  ServiceAccessResolver,
  ServicePolicyAccessResolver,
} from './accesses.js';
import { FindingMuteResolver } from './finding-mutes.js';
import {
  FindingEffectResolver,
  FindingEntityResolver,
  FindingsResolver,
  ProposedChangeResolver,
} from './findings.js';
import { OwnSessionsResolver } from './own-sessions.js';
import { PostureResolver } from './posture.js';
import { NodeResolver } from './node.js';
import { RoutersResolver } from './routers.js';
import { ServicesResolver } from './services.js';
import { TransferResolver } from './transfer.js';
import { TrustResolver } from './trust.js';

/** The operations of the graph that are not derived from the catalog. */
export const operations: readonly ClassType[] = [
  InformationResolver,
  ChangesResolver,
  DataIntegrityResolver,
  EnrollResolver,
  EnrollmentActionsResolver,
  IdentityStateResolver,
  IdentityTraceResolver,
  PolicyAdviceResolver,
  RoleAttributesResolver,
  ServiceConfigsResolver,
  SnapshotResolver,
  SummaryResolver,
  LoginResolver,
  AuthenticatorActionsResolver,
  MfaResolver,
  OwnAuthenticatorsResolver,
  SessionCertificatesResolver,
  AccessResolver,
  MissingSideResolver,
  AccessRuleStateResolver,
  AccessChangeResolver,
  FindingEffectResolver,
  FindingEntityResolver,
  FindingMuteResolver,
  FindingsResolver,
  ProposedChangeResolver,
  ReachChangesResolver,
  ReachPairResolver,
  RuleViolationResolver,
  SimulateResolver,
  AccessesResolver,
  AccessGrantResolver,
  GrantingPolicyResolver,
  IdentityAccessResolver,
  ServiceAccessResolver,
  ServicePolicyAccessResolver,
  OwnSessionsResolver,
  PostureResolver,
  NodeResolver,
  RoutersResolver,
  ServicesResolver,
  TransferResolver,
  TrustResolver,
  FindingEntityEntityResolver,
  ProposedChangeEntityResolver,
  ...entityFieldResolvers(),
];
