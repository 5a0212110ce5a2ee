import type { ClassType } from 'type-graphql';
import { InformationResolver } from './controller/information.js';
import { ChangesResolver } from './controller/changes-resolver.js';
import { DataIntegrityResolver } from './controller/data-integrity.js';
import {
  AccessMapMemberEntityResolver,
  entityFieldResolvers,
  FindingEntityEntityResolver,
  ProposedChangeEntityResolver,
} from './network/entity-fields.js';
import { EnrollResolver } from './enrollment/enroll.js';
import { EnrollmentActionsResolver } from './enrollment/enrollment-actions.js';
import { IdentityStateResolver } from './network/identity-state.js';
import { PendingIdentityResolver } from './network/pending-identities.js';
import { IdentityTraceResolver } from './network/identity-trace.js';
import { ApplyChangesResolver } from './access/apply-changes-resolver.js';
import { RevertChangesResolver } from './access/revert-changes-resolver.js';
import { ExportChangesResolver } from './access/export-changes-resolver.js';
import { nameFieldResolvers } from './access/name-fields.js';
import { PolicyAdviceResolver } from './access/policy-advice-resolver.js';
import { RoleAttributesResolver } from './network/role-attributes.js';
import { ServiceConfigsResolver } from './network/service-configs.js';
import { ReachChangesResolver, SimulateResolver } from './access/simulate.js';
import { ExpiringResolver } from './controller/expiring.js';
import { LoginOverviewResolver } from './controller/login-overview.js';
import { EdgeRouterStatesResolver, OverviewResolver } from './controller/overview.js';
import { SnapshotResolver } from './controller/snapshot.js';
import { ControllerSettingsResolver } from './controller/controller-settings.js';
import { SummaryResolver } from './controller/summary.js';
import { LoginResolver } from './authentication/login.js';
import { AuthenticatorActionsResolver } from './authentication/authenticator-actions.js';
import { CertificatePreviewResolver } from './authentication/certificate-preview.js';
import { ExternalJwtPreviewResolver } from './authentication/external-jwt-preview.js';
import { MfaResolver } from './authentication/mfa.js';
import { RevocationResolver } from './authentication/revocation-resolver.js';
import { OwnAuthenticatorsResolver } from './authentication/own-authenticators.js';
import { SessionCertificatesResolver } from './authentication/session-certificates.js';
import { AccessChangeResolver } from './access/access-changes.js';
import {
  AccessMapMemberResolver,
  AccessMapNodeResolver,
  AccessMapPlacesResolver,
  AccessMapResolver,
} from './access/access-map-resolver.js';
import { AccessCircuitsResolver, AccessGrantCircuitsResolver } from './access/access-circuits.js';
import { AccessRequestResolver } from './access/access-request-resolver.js';
import { OwnAccessResolver } from './access/own-access.js';
import {
  AccessReviewMemberResolver,
  AccessReviewResolver,
} from './access/access-review-resolver.js';
import {
  AccessReviewRevocationResolver,
  RemainingAccessResolver,
  RevocationMemberResolver,
} from './access/review-revocation-resolver.js';
import { DeleteDirectoryResolver } from './access/delete-directory-resolver.js';
import { DirectoryTokenResolver } from './access/directory-token-resolver.js';
import { AccessRuleStateResolver } from './access/access-rule-state.js';
import { AccessResolver, MissingSideResolver } from './access/access.js';
import {
  AccessesResolver,
  AccessGrantResolver,
  GrantingPolicyResolver,
  IdentityAccessResolver,
  ServiceAccessResolver,
  ServicePolicyAccessResolver,
} from './access/accesses.js';
import { AccessGrantLastUseResolver, LastUseRecordingResolver } from './access/last-use.js';
import {
  FindingEffectResolver,
  FindingEntityResolver,
  FindingsResolver,
  ProposedChangeResolver,
} from './access/finding-resolver.js';
import { FindingMuteResolver } from './access/finding-mute-resolver.js';
import { UnusedAccessNodeResolver, UnusedAccessResolver } from './access/unused-access.js';
import { OwnSessionsResolver } from './authentication/own-sessions.js';
import { PostureResolver } from './posture/posture.js';
import { InspectResolver } from './network/inspect.js';
import { MetricsResolver } from './network/metrics-resolver.js';
import { NodeResolver } from './network/node-resolver.js';
import { CircuitChangesResolver } from './network/circuit-changes.js';
import { RouterPathResolver } from './network/router-path.js';
import { RouterStatusResolver } from './network/router-status-resolver.js';
import { RouterTracesResolver } from './network/router-traces-resolver.js';
import { RouterValidationResolver } from './network/router-validation-resolver.js';
import { TerminatorValidationResolver } from './network/terminator-validation-resolver.js';
import { RoutersResolver } from './network/routers-resolver.js';
import { SearchHitResolver, SearchResolver } from './network/search-resolver.js';
import { ServicesResolver } from './network/services-resolver.js';
import { TransferResolver } from './controller/transfer.js';
import { CircuitUsageResolver, UsageResolver } from './network/usage-resolver.js';
import { TrustResolver } from './enrollment/trust.js';

/** The operations of the graph that are not derived from the catalog. */
export const operations: readonly ClassType[] = [
  InformationResolver,
  ChangesResolver,
  DataIntegrityResolver,
  EnrollResolver,
  EnrollmentActionsResolver,
  IdentityStateResolver,
  PendingIdentityResolver,
  IdentityTraceResolver,
  PolicyAdviceResolver,
  RoleAttributesResolver,
  ServiceConfigsResolver,
  OverviewResolver,
  EdgeRouterStatesResolver,
  LoginOverviewResolver,
  ExpiringResolver,
  SnapshotResolver,
  SummaryResolver,
  LoginResolver,
  AuthenticatorActionsResolver,
  CertificatePreviewResolver,
  ExternalJwtPreviewResolver,
  MfaResolver,
  RevocationResolver,
  ControllerSettingsResolver,
  OwnAuthenticatorsResolver,
  SessionCertificatesResolver,
  AccessResolver,
  MissingSideResolver,
  AccessRequestResolver,
  OwnAccessResolver,
  AccessReviewMemberResolver,
  AccessReviewResolver,
  AccessReviewRevocationResolver,
  RevocationMemberResolver,
  RemainingAccessResolver,
  AccessRuleStateResolver,
  DeleteDirectoryResolver,
  DirectoryTokenResolver,
  AccessChangeResolver,
  AccessCircuitsResolver,
  AccessGrantCircuitsResolver,
  AccessMapMemberResolver,
  AccessMapNodeResolver,
  AccessMapPlacesResolver,
  AccessMapResolver,
  AccessGrantLastUseResolver,
  LastUseRecordingResolver,
  FindingEffectResolver,
  FindingEntityResolver,
  FindingMuteResolver,
  FindingsResolver,
  ProposedChangeResolver,
  ReachChangesResolver,
  SimulateResolver,
  ApplyChangesResolver,
  RevertChangesResolver,
  ExportChangesResolver,
  AccessesResolver,
  AccessGrantResolver,
  GrantingPolicyResolver,
  IdentityAccessResolver,
  ServiceAccessResolver,
  ServicePolicyAccessResolver,
  UnusedAccessNodeResolver,
  UnusedAccessResolver,
  OwnSessionsResolver,
  PostureResolver,
  InspectResolver,
  NodeResolver,
  CircuitChangesResolver,
  RouterPathResolver,
  RouterStatusResolver,
  RouterTracesResolver,
  RouterValidationResolver,
  TerminatorValidationResolver,
  RoutersResolver,
  SearchResolver,
  SearchHitResolver,
  ServicesResolver,
  TransferResolver,
  TrustResolver,
  CircuitUsageResolver,
  UsageResolver,
  MetricsResolver,
  AccessMapMemberEntityResolver,
  FindingEntityEntityResolver,
  ProposedChangeEntityResolver,
  ...entityFieldResolvers(),
  ...nameFieldResolvers(),
];
