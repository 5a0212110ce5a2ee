/* Emitted by `npm run emit` from ../proto. */
import { codecs } from '../codec.js';

export type FaultSubject = 'IngressFault' | 'EgressFault' | 'LinkFault' | 'ForwardFault' | 'UnknownOwnerForwardFault' | 'LinkDuplicate';

export type DestType = 'Start' | 'End' | 'Link';

export type PeerState = 'Healthy' | 'Unhealthy' | 'Removed';

export type TerminatorPrecedence = 'Default' | 'Required' | 'Failed';

export type TerminatorInvalidReason = 'UnknownBinding' | 'UnknownTerminator' | 'BadState';

/** The lines of the answer: for channels that match, for others, or for both. */
export type TraceToggleVerbosity = 'ReportNone' | 'ReportMatches' | 'ReportMisses' | 'ReportAll';

export type DataStateAction = 'Create' | 'Update' | 'Delete';

export type DataStatePolicyType = 'InvalidPolicyType' | 'DialPolicy' | 'BindPolicy';

export type DataStateRelatedEntityType = 'InvalidRelatedEntity' | 'RelatedService' | 'RelatedIdentity' | 'RelatedPostureCheck';

export type DataStateKeyUsage = 'JWTValidation' | 'ClientX509CertValidation';

export type DataStateKeyFormat = 'X509CertDer' | 'PKIXPublicKey';

export type CreateTerminatorResult = 'Success' | 'FailedIdConflict' | 'FailedOther' | 'FailedBusy' | 'FailedInvalidSession';

export type TraceFilterType = 'EXCLUDE' | 'INCLUDE';

export type TerminatorState = 'Valid' | 'Unknown' | 'InvalidUnknownBinding' | 'InvalidUnknownTerminator' | 'InvalidBadState';

export type LinkState = 'LinkUnknown' | 'LinkEstablished' | 'LinkPending' | 'LinkDialing';

/** The link listeners in the hello of a router. */
export interface Listeners {
  listeners: Listener[];
}

export interface Listener {
  address: string;
  protocol: string;
  costTags: string[];
  groups: string[];
  localBinding: string;
}

export interface Fault {
  subject: FaultSubject;
  /** A circuit or link; for ForwardFault, circuits with spaces between. */
  id: string;
  iteration: number;
}

export interface Route {
  circuitId: string;
  attempt: number;
  egress: RouteEgress | null;
  forwards: RouteForward[];
  context: RouteContext | null;
  /** The remaining nanoseconds. */
  timeout: number;
  tags: Record<string, string>;
}

export interface RouteEgress {
  binding: string;
  address: string;
  destination: string;
  peerData: Record<string, Buffer>;
}

export interface RouteForward {
  srcAddress: string;
  dstAddress: string;
  dstType: DestType;
}

export interface RouteContext {
  fields: Record<string, string>;
  channelMask: number;
}

export interface Unroute {
  circuitId: string;
  /** Without it the router first delivers what it still has. */
  now: boolean;
}

export interface CircuitConfirmation {
  circuitIds: string[];
  /** Nanoseconds without traffic. */
  idleTimes: Record<string, number>;
}

export interface RouterLinks {
  links: RouterLink[];
}

export interface RouterLink {
  id: string;
  destRouterId: string;
  linkProtocol: string;
  costTags: string[];
  dialAddress: string;
  iteration: number;
  connState: LinkConnState | null;
}

export interface LinkConnState {
  stateIteration: number;
  conns: LinkConn[];
}

export interface LinkConn {
  type: string;
  localAddr: string;
  remoteAddr: string;
}

export interface LinkStateUpdate {
  linkId: string;
  linkIteration: number;
  connState: LinkConnState | null;
}

/** What a router has measured, by the names of its metrics. It comes about once a minute. */
export interface MetricsMessage {
  timestamp: Timestamp | null;
  tags: Record<string, string>;
  intValues: Record<string, number>;
  floatValues: Record<string, number>;
  meters: Record<string, Meter>;
  histograms: Record<string, Histogram>;
  timers: Record<string, Timer>;
  usageCounters: UsageCounter[];
  /** Another controller has made the events of it. */
  doNotPropagate: boolean;
}

export interface Timestamp {
  /** Since 1970. */
  seconds: number;
  nanos: number;
}

/** Rates are per second. */
export interface Meter {
  count: number;
  m1Rate: number;
  m5Rate: number;
  m15Rate: number;
  meanRate: number;
}

export interface Histogram {
  count: number;
  max: number;
  mean: number;
  min: number;
  stdDev: number;
  variance: number;
  p50: number;
  p75: number;
  p95: number;
  p99: number;
  p999: number;
  p9999: number;
}

export interface Timer {
  count: number;
  max: number;
  mean: number;
  min: number;
  stdDev: number;
  variance: number;
  p50: number;
  p75: number;
  p95: number;
  p99: number;
  p999: number;
  p9999: number;
  m1Rate: number;
  m5Rate: number;
  m15Rate: number;
  meanRate: number;
}

export interface UsageCounter {
  /** Seconds since 1970. */
  intervalStartUTC: number;
  /** Seconds. */
  intervalLength: number;
  /** Circuit -> what it has carried. */
  buckets: Record<string, UsageBucket>;
}

export interface UsageBucket {
  values: Record<string, number>;
  tags: Record<string, string>;
}

export interface VerifyRouter {
  routerId: string;
  fingerprints: string[];
}

export interface PeerStateChanges {
  changes: PeerStateChange[];
}

export interface PeerStateChange {
  id: string;
  version: string;
  state: PeerState;
  listeners: Listener[];
}

export interface RemoveTerminatorRequest {
  terminatorId: string;
}

export interface RemoveTerminatorsRequest {
  terminatorIds: string[];
}

export interface UpdateTerminatorRequest {
  terminatorId: string;
  updatePrecedence: boolean;
  updateCost: boolean;
  precedence: TerminatorPrecedence;
  cost: number;
}

export interface ValidateTerminatorsV2Request {
  terminators: TerminatorToValidate[];
  fixInvalid: boolean;
}

export interface TerminatorToValidate {
  id: string;
  binding: string;
  address: string;
  marker: number;
}

export interface ValidateTerminatorsV2Response {
  states: Record<string, RouterTerminatorState>;
}

export interface RouterTerminatorState {
  valid: boolean;
  reason: TerminatorInvalidReason;
  detail: string;
  marker: number;
}

export interface RouterInterfacesUpdate {
  interfaces: RouterInterface[];
}

export interface RouterInterface {
  name: string;
  hardwareAddress: string;
  mtu: number;
  index: number;
  flags: number;
  addresses: string[];
}

export interface InspectRequest {
  requestedValues: string[];
}

export interface InspectResponse {
  success: boolean;
  errors: string[];
  values: InspectedValue[];
}

export interface InspectedValue {
  name: string;
  value: string;
}

/** Has a router report the messages of some of its channels, or no more. */
export interface TogglePipeTracesRequest {
  enable: boolean;
  verbosity: TraceToggleVerbosity;
  appRegex: string;
  pipeRegex: string;
}

/** A message that a router has sent or received. */
export interface ChannelTrace {
  /** In nanoseconds. */
  timestamp: number;
  /** The id of the router, or of the link. */
  identity: string;
  channel: string;
  isRx: boolean;
  contentType: number;
  sequence: number;
  replyFor: number;
  length: number;
  /** The type of the message and its main values, as a JSON object. */
  decode: Buffer;
}

export interface SubscribeToDataModelRequest {
  /** The last index that the router has; 0 without a model. */
  currentIndex: number;
  subscriptionDurationSeconds: number;
  renew: boolean;
  timelineId: string;
  /** Comes back with what the subscription sends. */
  subscriptionId: string;
}

/** The whole model at one index. */
export interface DataState {
  events: DataStateEvent[];
  endIndex: number;
  timelineId: string;
}

/** The model that a router should have; the router answers with the differences of its own. */
export interface RouterDataModelValidateRequest {
  /** A DataState as it is sent. */
  state: Buffer;
  /** Whether a router with differences takes this model in place of its own. */
  fix: boolean;
}

export interface RouterDataModelValidateResponse {
  diffs: RouterDataModelDiff[];
}

export interface RouterDataModelDiff {
  entityType: string;
  entityId: string;
  /** `added` for what only the router has, `removed` for what it lacks, or `modified`. */
  diffType: string;
  detail: string;
}

/** The changes of one commit; a synthetic set has no index. */
export interface DataStateChangeSet {
  index: number;
  isSynthetic: boolean;
  changes: DataStateEvent[];
  /** The index of the set before; 0 when it is not known. */
  previousIndex: number;
}

export interface DataStateEvent {
  action: DataStateAction;
  isSynthetic: boolean;
  identity?: DataStateIdentity;
  service?: DataStateService;
  servicePolicy?: DataStateServicePolicy;
  postureCheck?: DataStatePostureCheck;
  publicKey?: DataStatePublicKey;
  revocation?: DataStateRevocation;
  servicePolicyChange?: DataStateServicePolicyChange;
  configType?: DataStateConfigType;
  config?: DataStateConfig;
}

/** Ends tokens and API sessions before their time. Routers know one by its id alone. */
export interface DataStateRevocation {
  id: string;
  ExpiresAt: Timestamp | null;
  type: string;
  issuedBefore: Timestamp | null;
}

export interface DataStateConfigType {
  id: string;
  name: string;
  target: string;
}

export interface DataStateConfig {
  id: string;
  typeId: string;
  name: string;
  dataJson: string;
}

export interface DataStateIdentity {
  id: string;
  name: string;
  defaultHostingPrecedence: TerminatorPrecedence;
  defaultHostingCost: number;
  serviceHostingPrecedences: Record<string, TerminatorPrecedence>;
  serviceHostingCosts: Record<string, number>;
  /** JSON; empty when there is none. */
  appDataJson: Buffer;
  /** By the ids of services. */
  serviceConfigs: Record<string, DataStateServiceConfigs>;
  disabled: boolean;
}

/** Ids of configs by the ids of their types. */
export interface DataStateServiceConfigs {
  configs: Record<string, string>;
}

export interface DataStateService {
  id: string;
  name: string;
  encryptionRequired: boolean;
  configs: string[];
}

export interface DataStateServicePolicy {
  id: string;
  name: string;
  policyType: DataStatePolicyType;
}

export interface DataStateServicePolicyChange {
  policyId: string;
  relatedEntityIds: string[];
  relatedEntityType: DataStateRelatedEntityType;
  add: boolean;
}

export interface DataStatePublicKey {
  data: Buffer;
  kid: string;
  usages: DataStateKeyUsage[];
  format: DataStateKeyFormat;
}

export interface DataStatePostureCheck {
  id: string;
  name: string;
  typeId: string;
  mac?: DataStateMacCheck;
  mfa?: DataStateMfaCheck;
  osList?: DataStateOsList;
  process?: DataStateProcess;
  processMulti?: DataStateProcessMulti;
  domains?: DataStateDomains;
}

export interface DataStateMacCheck {
  macAddresses: string[];
}

export interface DataStateMfaCheck {
  /** -1: no end. */
  TimeoutSeconds: number;
  PromptOnWake: boolean;
  PromptOnUnlock: boolean;
  IgnoreLegacyEndpoints: boolean;
}

export interface DataStateOsList {
  osList: DataStateOs[];
}

export interface DataStateOs {
  OsType: string;
  OsVersions: string[];
}

export interface DataStateProcess {
  OsType: string;
  Path: string;
  Hashes: string[];
  Fingerprints: string[];
}

export interface DataStateProcessMulti {
  /** AllOf or AnyOf. */
  semantic: string;
  processes: DataStateProcess[];
}

export interface DataStateDomains {
  domains: string[];
}

export interface ServerHello {
  version: string;
  data: Record<string, string>;
  byteData: Record<string, Buffer>;
}

export interface ClientHello {
  version: string;
  hostname: string;
  protocols: string[];
  data: Record<string, string>;
  protocolPorts: string[];
  listeners: EdgeListener[];
}

export interface EdgeListener {
  address: EdgeAddress | null;
  advertise: EdgeAddress | null;
}

export interface EdgeAddress {
  value: string;
  protocol: string;
  hostname: string;
  port: number;
}

export interface ApiSession {
  token: string;
  certFingerprints: string[];
  id: string;
  identityId: string;
}

export interface ApiSessionAdded {
  isFullState: boolean;
  apiSessions: ApiSession[];
}

export interface ApiSessionUpdated {
  apiSessions: ApiSession[];
}

export interface ApiSessionRemoved {
  tokens: string[];
  ids: string[];
}

export interface ApiSessionHeartbeat {
  tokens: string[];
}

export interface RequestClientReSync {
  reason: string;
}

export interface SessionRemoved {
  tokens: string[];
  ids: string[];
}

export interface ValidateSessionsRequest {
  sessionTokens: string[];
}

export interface ConnectEvents {
  events: IdentityConnectEvents[];
  fullState: boolean;
}

export interface IdentityConnectEvents {
  identityId: string;
  isConnected: boolean;
  connectTimes: ConnectDetails[];
}

export interface ConnectDetails {
  /** Milliseconds since 1970. */
  connectTime: number;
  srcAddr: string;
  dstAddr: string;
}

export interface CreateTerminatorV2Request {
  address: string;
  sessionToken: string;
  fingerprints: string[];
  peerData: Record<string, Buffer>;
  cost: number;
  precedence: TerminatorPrecedence;
  instanceId: string;
  instanceSecret: Buffer;
  apiSessionToken: string;
}

export interface CreateTerminatorV2Response {
  terminatorId: string;
  result: CreateTerminatorResult;
  msg: string;
}

export interface UpdateBindRequest {
  sessionToken: string;
  fingerprints: string[];
  terminatorId: string;
  cost: number;
  precedence: TerminatorPrecedence;
  updatePrecedence: boolean;
  updateCost: boolean;
  apiSessionToken: string;
}

export interface RemoveBindRequest {
  sessionToken: string;
  fingerprints: string[];
  terminatorId: string;
  apiSessionToken: string;
}

export interface HealthEventRequest {
  sessionToken: string;
  fingerprints: string[];
  terminatorId: string;
  checkPassed: boolean;
  apiSessionToken: string;
}

export interface EnrollmentExtendRouterRequest {
  clientCertCsr: string;
  serverCertCsr: string;
  /** The old certificate stays valid until the router has confirmed the new one. */
  requireVerification: boolean;
}

export interface EnrollmentCertsResponse {
  clientCertPem: string;
  serverCertPem: string;
  caCertsPem: string;
}

export interface EnrollmentExtendRouterVerifyRequest {
  clientCertPem: string;
}

/** The answer to a confirmation; without a code it was accepted. */
export interface ConfirmationError {
  code: string;
  message: string;
  cause: string;
}

/** A router with a tunneler is an identity, and asks in its own name. */
export interface CreateApiSessionRequest {
  envInfo: EnvInfo | null;
  sdkInfo: SdkInfo | null;
  configTypes: string[];
}

export interface EnvInfo {
  arch: string;
  os: string;
  osRelease: string;
  osVersion: string;
  hostname: string;
  domain: string;
}

export interface SdkInfo {
  appId: string;
  appVersion: string;
  branch: string;
  revision: string;
  type: string;
  version: string;
}

export interface CreateApiSessionResponse {
  sessionId: string;
  token: string;
  refreshIntervalSeconds: number;
  identityId: string;
  identityName: string;
  defaultHostingPrecedence: TerminatorPrecedence;
  defaultHostingCost: number;
  appDataJson: string;
  servicePrecedences: Record<string, TerminatorPrecedence>;
  serviceCosts: Record<string, number>;
}

export interface ServicesList {
  /** A text of the controller, which the router sends with its next question. */
  lastUpdate: Buffer;
  services: TunnelService[];
}

export interface TunnelService {
  id: string;
  name: string;
  permissions: string[];
  encryption: boolean;
  /** JSON: the values of configs by the names of their types. */
  config: Buffer;
  /** JSON. */
  tags: Buffer;
}

export interface CreateSessionResponse {
  sessionId: string;
  token: string;
}

export interface CreateCircuitForServiceRequest {
  sessionId: string;
  serviceName: string;
  terminatorInstanceId: string;
  peerData: Record<string, Buffer>;
}

export interface CreateCircuitForServiceResponse {
  apiSession: CreateApiSessionResponse | null;
  session: CreateSessionResponse | null;
  circuitId: string;
  address: string;
  peerData: Record<string, Buffer>;
  tags: Record<string, string>;
}

export interface CreateTunnelTerminatorRequest {
  serviceName: string;
  sessionId: string;
  address: string;
  peerData: Record<string, Buffer>;
  cost: number;
  precedence: TerminatorPrecedence;
  instanceId: string;
  instanceSecret: Buffer;
  /** Comes back in the answer. */
  startTime: number;
}

export interface CreateTunnelTerminatorResponse {
  apiSession: CreateApiSessionResponse | null;
  session: CreateSessionResponse | null;
  terminatorId: string;
  startTime: number;
}

/** The forms of routers that follow the data model: they know their identity and its services, and name no session. The address of a terminator is its id. */
export interface CreateTunnelTerminatorV2Request {
  serviceId: string;
  address: string;
  peerData: Record<string, Buffer>;
  cost: number;
  precedence: TerminatorPrecedence;
  instanceId: string;
  instanceSecret: Buffer;
  /** Comes back in the answer. */
  startTime: number;
}

export interface CreateTunnelTerminatorV2Response {
  terminatorId: string;
  startTime: number;
  result: CreateTerminatorResult;
  msg: string;
}

export interface CreateTunnelCircuitV2Request {
  serviceName: string;
  terminatorInstanceId: string;
  peerData: Record<string, Buffer>;
}

export interface CreateTunnelCircuitV2Response {
  circuitId: string;
  address: string;
  peerData: Record<string, Buffer>;
  tags: Record<string, string>;
}

export interface UpdateTunnelTerminatorRequest {
  terminatorId: string;
  cost: number;
  precedence: TerminatorPrecedence;
  updatePrecedence: boolean;
  updateCost: boolean;
}

export interface InspectNodesRequest {
  /** A regular expression for ids and names of routers and controllers. */
  appRegex: string;
  requestedValues: string[];
}

export interface InspectNodesResponse {
  success: boolean;
  errors: string[];
  values: NodeValue[];
}

/** A request to get the messages that routers trace, of all types or of some. */
export interface StreamTracesRequest {
  enabledFilter: boolean;
  filterType: TraceFilterType;
  contentTypes: number[];
}

export interface NodeValue {
  /** The id of the router or controller. */
  appId: string;
  name: string;
  /** A text, or a value as JSON. */
  value: string;
}

export interface ValidateTerminatorsRequest {
  terminatorsFilter: string;
  fixInvalid: boolean;
}

export interface ValidateTerminatorsResponse {
  success: boolean;
  message: string;
  terminatorCount: number;
}

export interface TerminatorDetail {
  terminatorId: string;
  serviceId: string;
  serviceName: string;
  routerId: string;
  routerName: string;
  binding: string;
  address: string;
  hostId: string;
  createDate: string;
  state: TerminatorState;
  fixed: boolean;
  detail: string;
}

/** A request to validate something of the routers that a filter selects. */
export interface ValidateRoutersRequest {
  filter: string;
}

export interface ValidateRouterDataModelRequest {
  routerFilter: string;
  validateCtrl: boolean;
  fix: boolean;
}

/** The answer to such a request; as many results follow. */
export interface ValidateRoutersResponse {
  success: boolean;
  message: string;
  count: number;
}

export interface RouterLinkDetails {
  routerId: string;
  routerName: string;
  validateSuccess: boolean;
  message: string;
  linkDetails: RouterLinkDetail[];
}

export interface RouterLinkDetail {
  linkId: string;
  ctrlState: LinkState;
  routerState: LinkState;
  destConnected: boolean;
  isValid: boolean;
  destRouterId: string;
  /** Whether the router has dialed it. */
  dialed: boolean;
  messages: string[];
}

export interface RouterSdkTerminatorsDetails {
  routerId: string;
  routerName: string;
  validateSuccess: boolean;
  message: string;
  details: RouterSdkTerminatorDetail[];
}

export interface RouterSdkTerminatorDetail {
  terminatorId: string;
  ctrlState: TerminatorState;
  routerState: string;
  isValid: boolean;
  operationActive: boolean;
  createTime: string;
  lastAttempt: string;
}

export interface RouterErtTerminatorsDetails {
  routerId: string;
  routerName: string;
  validateSuccess: boolean;
  message: string;
  details: RouterErtTerminatorDetail[];
}

export interface RouterErtTerminatorDetail {
  terminatorId: string;
  ctrlState: TerminatorState;
  routerState: string;
  isValid: boolean;
}

export interface RouterCircuitDetails {
  routerId: string;
  routerName: string;
  validateSuccess: boolean;
  message: string;
  details: Record<string, RouterCircuitDetail>;
}

export interface RouterCircuitDetail {
  circuitId: string;
  missingInCtrl: boolean;
  missingInForwarder: boolean;
  missingInEdge: boolean;
  missingInSdk: boolean;
  destinations: Record<string, string>;
}

/** The result for a router or controller about the data model, or about the identities at a router. */
export interface ComponentDetails {
  /** `router` or `controller`. */
  componentType: string;
  componentId: string;
  componentName: string;
  validateSuccess: boolean;
  errors: string[];
}

const codec = codecs({"nested":{"Listeners":{"fields":{"listeners":{"rule":"repeated","type":"Listener","id":1}}},"Listener":{"fields":{"address":{"type":"string","id":1},"protocol":{"type":"string","id":2},"costTags":{"rule":"repeated","type":"string","id":3},"groups":{"rule":"repeated","type":"string","id":4},"localBinding":{"type":"string","id":5}}},"Fault":{"fields":{"subject":{"type":"FaultSubject","id":1},"id":{"type":"string","id":2},"iteration":{"type":"uint32","id":3}}},"FaultSubject":{"values":{"IngressFault":0,"EgressFault":1,"LinkFault":2,"ForwardFault":3,"UnknownOwnerForwardFault":4,"LinkDuplicate":5}},"Route":{"fields":{"circuitId":{"type":"string","id":1},"attempt":{"type":"uint32","id":2},"egress":{"type":"RouteEgress","id":3},"forwards":{"rule":"repeated","type":"RouteForward","id":4},"context":{"type":"RouteContext","id":5},"timeout":{"type":"uint64","id":6},"tags":{"keyType":"string","type":"string","id":7}}},"RouteEgress":{"fields":{"binding":{"type":"string","id":1},"address":{"type":"string","id":2},"destination":{"type":"string","id":3},"peerData":{"keyType":"uint32","type":"bytes","id":4}}},"RouteForward":{"fields":{"srcAddress":{"type":"string","id":1},"dstAddress":{"type":"string","id":2},"dstType":{"type":"DestType","id":3}}},"DestType":{"values":{"Start":0,"End":1,"Link":2}},"RouteContext":{"fields":{"fields":{"keyType":"string","type":"string","id":1},"channelMask":{"type":"uint32","id":2}}},"Unroute":{"fields":{"circuitId":{"type":"string","id":1},"now":{"type":"bool","id":2}}},"CircuitConfirmation":{"fields":{"circuitIds":{"rule":"repeated","type":"string","id":1},"idleTimes":{"keyType":"string","type":"int64","id":2}}},"RouterLinks":{"fields":{"links":{"rule":"repeated","type":"RouterLink","id":1}}},"RouterLink":{"fields":{"id":{"type":"string","id":1},"destRouterId":{"type":"string","id":2},"linkProtocol":{"type":"string","id":3},"costTags":{"rule":"repeated","type":"string","id":4},"dialAddress":{"type":"string","id":5},"iteration":{"type":"uint32","id":6},"connState":{"type":"LinkConnState","id":7}}},"LinkConnState":{"fields":{"stateIteration":{"type":"uint64","id":1},"conns":{"rule":"repeated","type":"LinkConn","id":2}}},"LinkConn":{"fields":{"type":{"type":"string","id":1},"localAddr":{"type":"string","id":2},"remoteAddr":{"type":"string","id":3}}},"LinkStateUpdate":{"fields":{"linkId":{"type":"string","id":1},"linkIteration":{"type":"uint32","id":2},"connState":{"type":"LinkConnState","id":3}}},"MetricsMessage":{"fields":{"timestamp":{"type":"Timestamp","id":3},"tags":{"keyType":"string","type":"string","id":4},"intValues":{"keyType":"string","type":"int64","id":5},"floatValues":{"keyType":"string","type":"double","id":6},"meters":{"keyType":"string","type":"Meter","id":7},"histograms":{"keyType":"string","type":"Histogram","id":8},"timers":{"keyType":"string","type":"Timer","id":10},"usageCounters":{"rule":"repeated","type":"UsageCounter","id":11},"doNotPropagate":{"type":"bool","id":12}}},"Timestamp":{"fields":{"seconds":{"type":"int64","id":1},"nanos":{"type":"int32","id":2}}},"Meter":{"fields":{"count":{"type":"int64","id":1},"m1Rate":{"type":"double","id":2},"m5Rate":{"type":"double","id":3},"m15Rate":{"type":"double","id":4},"meanRate":{"type":"double","id":5}}},"Histogram":{"fields":{"count":{"type":"int64","id":1},"max":{"type":"int64","id":2},"mean":{"type":"double","id":3},"min":{"type":"int64","id":4},"stdDev":{"type":"double","id":5},"variance":{"type":"double","id":6},"p50":{"type":"double","id":7},"p75":{"type":"double","id":8},"p95":{"type":"double","id":9},"p99":{"type":"double","id":10},"p999":{"type":"double","id":11},"p9999":{"type":"double","id":12}}},"Timer":{"fields":{"count":{"type":"int64","id":1},"max":{"type":"int64","id":2},"mean":{"type":"double","id":3},"min":{"type":"int64","id":4},"stdDev":{"type":"double","id":5},"variance":{"type":"double","id":6},"p50":{"type":"double","id":7},"p75":{"type":"double","id":8},"p95":{"type":"double","id":9},"p99":{"type":"double","id":10},"p999":{"type":"double","id":11},"p9999":{"type":"double","id":12},"m1Rate":{"type":"double","id":13},"m5Rate":{"type":"double","id":14},"m15Rate":{"type":"double","id":15},"meanRate":{"type":"double","id":16}}},"UsageCounter":{"fields":{"intervalStartUTC":{"type":"int64","id":1},"intervalLength":{"type":"uint64","id":2},"buckets":{"keyType":"string","type":"UsageBucket","id":3}}},"UsageBucket":{"fields":{"values":{"keyType":"string","type":"uint64","id":1},"tags":{"keyType":"string","type":"string","id":2}}},"VerifyRouter":{"fields":{"routerId":{"type":"string","id":1},"fingerprints":{"rule":"repeated","type":"string","id":2}}},"PeerStateChanges":{"fields":{"changes":{"rule":"repeated","type":"PeerStateChange","id":1}}},"PeerStateChange":{"fields":{"id":{"type":"string","id":1},"version":{"type":"string","id":2},"state":{"type":"PeerState","id":3},"listeners":{"rule":"repeated","type":"Listener","id":4}}},"PeerState":{"values":{"Healthy":0,"Unhealthy":1,"Removed":2}},"TerminatorPrecedence":{"values":{"Default":0,"Required":1,"Failed":2}},"RemoveTerminatorRequest":{"fields":{"terminatorId":{"type":"string","id":1}}},"RemoveTerminatorsRequest":{"fields":{"terminatorIds":{"rule":"repeated","type":"string","id":1}}},"UpdateTerminatorRequest":{"fields":{"terminatorId":{"type":"string","id":1},"updatePrecedence":{"type":"bool","id":2},"updateCost":{"type":"bool","id":3},"precedence":{"type":"TerminatorPrecedence","id":4},"cost":{"type":"uint32","id":5}}},"ValidateTerminatorsV2Request":{"fields":{"terminators":{"rule":"repeated","type":"TerminatorToValidate","id":1},"fixInvalid":{"type":"bool","id":2}}},"TerminatorToValidate":{"fields":{"id":{"type":"string","id":1},"binding":{"type":"string","id":2},"address":{"type":"string","id":3},"marker":{"type":"uint64","id":4}}},"ValidateTerminatorsV2Response":{"fields":{"states":{"keyType":"string","type":"RouterTerminatorState","id":1}}},"RouterTerminatorState":{"fields":{"valid":{"type":"bool","id":1},"reason":{"type":"TerminatorInvalidReason","id":2},"detail":{"type":"string","id":3},"marker":{"type":"uint64","id":4}}},"TerminatorInvalidReason":{"values":{"UnknownBinding":0,"UnknownTerminator":1,"BadState":2}},"RouterInterfacesUpdate":{"fields":{"interfaces":{"rule":"repeated","type":"RouterInterface","id":1}}},"RouterInterface":{"fields":{"name":{"type":"string","id":1},"hardwareAddress":{"type":"string","id":2},"mtu":{"type":"int64","id":3},"index":{"type":"int64","id":4},"flags":{"type":"uint64","id":5},"addresses":{"rule":"repeated","type":"string","id":6}}},"InspectRequest":{"fields":{"requestedValues":{"rule":"repeated","type":"string","id":1}}},"InspectResponse":{"fields":{"success":{"type":"bool","id":1},"errors":{"rule":"repeated","type":"string","id":2},"values":{"rule":"repeated","type":"InspectedValue","id":3}}},"InspectedValue":{"fields":{"name":{"type":"string","id":1},"value":{"type":"string","id":2}}},"TogglePipeTracesRequest":{"fields":{"enable":{"type":"bool","id":1},"verbosity":{"type":"TraceToggleVerbosity","id":2},"appRegex":{"type":"string","id":3},"pipeRegex":{"type":"string","id":4}}},"TraceToggleVerbosity":{"values":{"ReportNone":0,"ReportMatches":1,"ReportMisses":2,"ReportAll":3}},"ChannelTrace":{"fields":{"timestamp":{"type":"int64","id":1},"identity":{"type":"string","id":2},"channel":{"type":"string","id":3},"isRx":{"type":"bool","id":4},"contentType":{"type":"int32","id":5},"sequence":{"type":"int32","id":6},"replyFor":{"type":"int32","id":7},"length":{"type":"int32","id":8},"decode":{"type":"bytes","id":9}}},"SubscribeToDataModelRequest":{"fields":{"currentIndex":{"type":"uint64","id":1},"subscriptionDurationSeconds":{"type":"uint32","id":2},"renew":{"type":"bool","id":3},"timelineId":{"type":"string","id":4},"subscriptionId":{"type":"string","id":5}}},"DataState":{"fields":{"events":{"rule":"repeated","type":"DataStateEvent","id":1},"endIndex":{"type":"uint64","id":2},"timelineId":{"type":"string","id":3}}},"RouterDataModelValidateRequest":{"fields":{"state":{"type":"bytes","id":1},"fix":{"type":"bool","id":2}}},"RouterDataModelValidateResponse":{"fields":{"diffs":{"rule":"repeated","type":"RouterDataModelDiff","id":3}}},"RouterDataModelDiff":{"fields":{"entityType":{"type":"string","id":1},"entityId":{"type":"string","id":2},"diffType":{"type":"string","id":3},"detail":{"type":"string","id":4}}},"DataStateChangeSet":{"fields":{"index":{"type":"uint64","id":1},"isSynthetic":{"type":"bool","id":2},"changes":{"rule":"repeated","type":"DataStateEvent","id":3},"previousIndex":{"type":"uint64","id":5}}},"DataStateAction":{"values":{"Create":0,"Update":1,"Delete":2}},"DataStateEvent":{"oneofs":{"Model":{"oneof":["identity","service","servicePolicy","postureCheck","publicKey","revocation","servicePolicyChange","configType","config"]}},"fields":{"action":{"type":"DataStateAction","id":1},"isSynthetic":{"type":"bool","id":3},"identity":{"type":"DataStateIdentity","id":10},"service":{"type":"DataStateService","id":11},"servicePolicy":{"type":"DataStateServicePolicy","id":12},"postureCheck":{"type":"DataStatePostureCheck","id":13},"publicKey":{"type":"DataStatePublicKey","id":14},"revocation":{"type":"DataStateRevocation","id":15},"servicePolicyChange":{"type":"DataStateServicePolicyChange","id":16},"configType":{"type":"DataStateConfigType","id":17},"config":{"type":"DataStateConfig","id":18}}},"DataStateRevocation":{"fields":{"id":{"type":"string","id":1},"ExpiresAt":{"type":"Timestamp","id":2},"type":{"type":"string","id":3},"issuedBefore":{"type":"Timestamp","id":4}}},"DataStateConfigType":{"fields":{"id":{"type":"string","id":1},"name":{"type":"string","id":2},"target":{"type":"string","id":3}}},"DataStateConfig":{"fields":{"id":{"type":"string","id":1},"typeId":{"type":"string","id":2},"name":{"type":"string","id":3},"dataJson":{"type":"string","id":4}}},"DataStateIdentity":{"fields":{"id":{"type":"string","id":1},"name":{"type":"string","id":2},"defaultHostingPrecedence":{"type":"TerminatorPrecedence","id":3},"defaultHostingCost":{"type":"uint32","id":4},"serviceHostingPrecedences":{"keyType":"string","type":"TerminatorPrecedence","id":5},"serviceHostingCosts":{"keyType":"string","type":"uint32","id":6},"appDataJson":{"type":"bytes","id":7},"serviceConfigs":{"keyType":"string","type":"DataStateServiceConfigs","id":8},"disabled":{"type":"bool","id":9}}},"DataStateServiceConfigs":{"fields":{"configs":{"keyType":"string","type":"string","id":1}}},"DataStateService":{"fields":{"id":{"type":"string","id":1},"name":{"type":"string","id":2},"encryptionRequired":{"type":"bool","id":3},"configs":{"rule":"repeated","type":"string","id":4}}},"DataStatePolicyType":{"values":{"InvalidPolicyType":0,"DialPolicy":1,"BindPolicy":2}},"DataStateServicePolicy":{"fields":{"id":{"type":"string","id":1},"name":{"type":"string","id":2},"policyType":{"type":"DataStatePolicyType","id":3}}},"DataStateRelatedEntityType":{"values":{"InvalidRelatedEntity":0,"RelatedService":1,"RelatedIdentity":2,"RelatedPostureCheck":3}},"DataStateServicePolicyChange":{"fields":{"policyId":{"type":"string","id":1},"relatedEntityIds":{"rule":"repeated","type":"string","id":2},"relatedEntityType":{"type":"DataStateRelatedEntityType","id":3},"add":{"type":"bool","id":4}}},"DataStateKeyUsage":{"values":{"JWTValidation":0,"ClientX509CertValidation":1}},"DataStateKeyFormat":{"values":{"X509CertDer":0,"PKIXPublicKey":1}},"DataStatePublicKey":{"fields":{"data":{"type":"bytes","id":1},"kid":{"type":"string","id":2},"usages":{"rule":"repeated","type":"DataStateKeyUsage","id":3},"format":{"type":"DataStateKeyFormat","id":4}}},"DataStatePostureCheck":{"oneofs":{"Subtype":{"oneof":["mac","mfa","osList","process","processMulti","domains"]}},"fields":{"id":{"type":"string","id":1},"name":{"type":"string","id":2},"typeId":{"type":"string","id":4},"mac":{"type":"DataStateMacCheck","id":7},"mfa":{"type":"DataStateMfaCheck","id":8},"osList":{"type":"DataStateOsList","id":9},"process":{"type":"DataStateProcess","id":10},"processMulti":{"type":"DataStateProcessMulti","id":11},"domains":{"type":"DataStateDomains","id":12}}},"DataStateMacCheck":{"fields":{"macAddresses":{"rule":"repeated","type":"string","id":1}}},"DataStateMfaCheck":{"fields":{"TimeoutSeconds":{"type":"int64","id":1},"PromptOnWake":{"type":"bool","id":2},"PromptOnUnlock":{"type":"bool","id":3},"IgnoreLegacyEndpoints":{"type":"bool","id":4}}},"DataStateOsList":{"fields":{"osList":{"rule":"repeated","type":"DataStateOs","id":1}}},"DataStateOs":{"fields":{"OsType":{"type":"string","id":1},"OsVersions":{"rule":"repeated","type":"string","id":2}}},"DataStateProcess":{"fields":{"OsType":{"type":"string","id":1},"Path":{"type":"string","id":2},"Hashes":{"rule":"repeated","type":"string","id":3},"Fingerprints":{"rule":"repeated","type":"string","id":4}}},"DataStateProcessMulti":{"fields":{"semantic":{"type":"string","id":1},"processes":{"rule":"repeated","type":"DataStateProcess","id":2}}},"DataStateDomains":{"fields":{"domains":{"rule":"repeated","type":"string","id":1}}},"ServerHello":{"fields":{"version":{"type":"string","id":1},"data":{"keyType":"string","type":"string","id":2},"byteData":{"keyType":"string","type":"bytes","id":3}}},"ClientHello":{"fields":{"version":{"type":"string","id":1},"hostname":{"type":"string","id":2},"protocols":{"rule":"repeated","type":"string","id":3},"data":{"keyType":"string","type":"string","id":4},"protocolPorts":{"rule":"repeated","type":"string","id":5},"listeners":{"rule":"repeated","type":"EdgeListener","id":10}}},"EdgeListener":{"fields":{"address":{"type":"EdgeAddress","id":10},"advertise":{"type":"EdgeAddress","id":20}}},"EdgeAddress":{"fields":{"value":{"type":"string","id":10},"protocol":{"type":"string","id":20},"hostname":{"type":"string","id":30},"port":{"type":"int32","id":40}}},"ApiSession":{"fields":{"token":{"type":"string","id":1},"certFingerprints":{"rule":"repeated","type":"string","id":2},"id":{"type":"string","id":3},"identityId":{"type":"string","id":4}}},"ApiSessionAdded":{"fields":{"isFullState":{"type":"bool","id":1},"apiSessions":{"rule":"repeated","type":"ApiSession","id":2}}},"ApiSessionUpdated":{"fields":{"apiSessions":{"rule":"repeated","type":"ApiSession","id":1}}},"ApiSessionRemoved":{"fields":{"tokens":{"rule":"repeated","type":"string","id":1},"ids":{"rule":"repeated","type":"string","id":2}}},"ApiSessionHeartbeat":{"fields":{"tokens":{"rule":"repeated","type":"string","id":1}}},"RequestClientReSync":{"fields":{"reason":{"type":"string","id":1}}},"SessionRemoved":{"fields":{"tokens":{"rule":"repeated","type":"string","id":1},"ids":{"rule":"repeated","type":"string","id":2}}},"ValidateSessionsRequest":{"fields":{"sessionTokens":{"rule":"repeated","type":"string","id":1}}},"ConnectEvents":{"fields":{"events":{"rule":"repeated","type":"IdentityConnectEvents","id":1},"fullState":{"type":"bool","id":2}}},"IdentityConnectEvents":{"fields":{"identityId":{"type":"string","id":1},"isConnected":{"type":"bool","id":2},"connectTimes":{"rule":"repeated","type":"ConnectDetails","id":3}}},"ConnectDetails":{"fields":{"connectTime":{"type":"int64","id":1},"srcAddr":{"type":"string","id":2},"dstAddr":{"type":"string","id":3}}},"CreateTerminatorV2Request":{"fields":{"address":{"type":"string","id":1},"sessionToken":{"type":"string","id":2},"fingerprints":{"rule":"repeated","type":"string","id":3},"peerData":{"keyType":"uint32","type":"bytes","id":4},"cost":{"type":"uint32","id":5},"precedence":{"type":"TerminatorPrecedence","id":6},"instanceId":{"type":"string","id":7},"instanceSecret":{"type":"bytes","id":8},"apiSessionToken":{"type":"string","id":9}}},"CreateTerminatorV2Response":{"fields":{"terminatorId":{"type":"string","id":1},"result":{"type":"CreateTerminatorResult","id":2},"msg":{"type":"string","id":3}}},"CreateTerminatorResult":{"values":{"Success":0,"FailedIdConflict":1,"FailedOther":2,"FailedBusy":3,"FailedInvalidSession":4}},"UpdateBindRequest":{"fields":{"sessionToken":{"type":"string","id":1},"fingerprints":{"rule":"repeated","type":"string","id":2},"terminatorId":{"type":"string","id":3},"cost":{"type":"uint32","id":4},"precedence":{"type":"TerminatorPrecedence","id":5},"updatePrecedence":{"type":"bool","id":6},"updateCost":{"type":"bool","id":7},"apiSessionToken":{"type":"string","id":8}}},"RemoveBindRequest":{"fields":{"sessionToken":{"type":"string","id":1},"fingerprints":{"rule":"repeated","type":"string","id":2},"terminatorId":{"type":"string","id":3},"apiSessionToken":{"type":"string","id":4}}},"HealthEventRequest":{"fields":{"sessionToken":{"type":"string","id":1},"fingerprints":{"rule":"repeated","type":"string","id":2},"terminatorId":{"type":"string","id":3},"checkPassed":{"type":"bool","id":4},"apiSessionToken":{"type":"string","id":5}}},"EnrollmentExtendRouterRequest":{"fields":{"clientCertCsr":{"type":"string","id":1},"serverCertCsr":{"type":"string","id":2},"requireVerification":{"type":"bool","id":3}}},"EnrollmentCertsResponse":{"fields":{"clientCertPem":{"type":"string","id":1},"serverCertPem":{"type":"string","id":2},"caCertsPem":{"type":"string","id":3}}},"EnrollmentExtendRouterVerifyRequest":{"fields":{"clientCertPem":{"type":"string","id":1}}},"ConfirmationError":{"fields":{"code":{"type":"string","id":1},"message":{"type":"string","id":2},"cause":{"type":"string","id":3}}},"CreateApiSessionRequest":{"fields":{"envInfo":{"type":"EnvInfo","id":1},"sdkInfo":{"type":"SdkInfo","id":2},"configTypes":{"rule":"repeated","type":"string","id":3}}},"EnvInfo":{"fields":{"arch":{"type":"string","id":1},"os":{"type":"string","id":2},"osRelease":{"type":"string","id":3},"osVersion":{"type":"string","id":4},"hostname":{"type":"string","id":5},"domain":{"type":"string","id":6}}},"SdkInfo":{"fields":{"appId":{"type":"string","id":1},"appVersion":{"type":"string","id":2},"branch":{"type":"string","id":3},"revision":{"type":"string","id":4},"type":{"type":"string","id":5},"version":{"type":"string","id":6}}},"CreateApiSessionResponse":{"fields":{"sessionId":{"type":"string","id":1},"token":{"type":"string","id":2},"refreshIntervalSeconds":{"type":"uint32","id":3},"identityId":{"type":"string","id":4},"identityName":{"type":"string","id":5},"defaultHostingPrecedence":{"type":"TerminatorPrecedence","id":6},"defaultHostingCost":{"type":"uint32","id":7},"appDataJson":{"type":"string","id":8},"servicePrecedences":{"keyType":"string","type":"TerminatorPrecedence","id":9},"serviceCosts":{"keyType":"string","type":"uint32","id":10}}},"ServicesList":{"fields":{"lastUpdate":{"type":"bytes","id":1},"services":{"rule":"repeated","type":"TunnelService","id":2}}},"TunnelService":{"fields":{"id":{"type":"string","id":1},"name":{"type":"string","id":2},"permissions":{"rule":"repeated","type":"string","id":3},"encryption":{"type":"bool","id":4},"config":{"type":"bytes","id":5},"tags":{"type":"bytes","id":6}}},"CreateSessionResponse":{"fields":{"sessionId":{"type":"string","id":1},"token":{"type":"string","id":2}}},"CreateCircuitForServiceRequest":{"fields":{"sessionId":{"type":"string","id":1},"serviceName":{"type":"string","id":2},"terminatorInstanceId":{"type":"string","id":3},"peerData":{"keyType":"uint32","type":"bytes","id":4}}},"CreateCircuitForServiceResponse":{"fields":{"apiSession":{"type":"CreateApiSessionResponse","id":1},"session":{"type":"CreateSessionResponse","id":2},"circuitId":{"type":"string","id":3},"address":{"type":"string","id":4},"peerData":{"keyType":"uint32","type":"bytes","id":5},"tags":{"keyType":"string","type":"string","id":6}}},"CreateTunnelTerminatorRequest":{"fields":{"serviceName":{"type":"string","id":1},"sessionId":{"type":"string","id":2},"address":{"type":"string","id":3},"peerData":{"keyType":"uint32","type":"bytes","id":4},"cost":{"type":"uint32","id":5},"precedence":{"type":"TerminatorPrecedence","id":6},"instanceId":{"type":"string","id":7},"instanceSecret":{"type":"bytes","id":8},"startTime":{"type":"int64","id":9}}},"CreateTunnelTerminatorResponse":{"fields":{"apiSession":{"type":"CreateApiSessionResponse","id":1},"session":{"type":"CreateSessionResponse","id":2},"terminatorId":{"type":"string","id":3},"startTime":{"type":"int64","id":4}}},"CreateTunnelTerminatorV2Request":{"fields":{"serviceId":{"type":"string","id":1},"address":{"type":"string","id":2},"peerData":{"keyType":"uint32","type":"bytes","id":3},"cost":{"type":"uint32","id":4},"precedence":{"type":"TerminatorPrecedence","id":5},"instanceId":{"type":"string","id":6},"instanceSecret":{"type":"bytes","id":7},"startTime":{"type":"int64","id":8}}},"CreateTunnelTerminatorV2Response":{"fields":{"terminatorId":{"type":"string","id":1},"startTime":{"type":"int64","id":2},"result":{"type":"CreateTerminatorResult","id":3},"msg":{"type":"string","id":4}}},"CreateTunnelCircuitV2Request":{"fields":{"serviceName":{"type":"string","id":1},"terminatorInstanceId":{"type":"string","id":2},"peerData":{"keyType":"uint32","type":"bytes","id":3}}},"CreateTunnelCircuitV2Response":{"fields":{"circuitId":{"type":"string","id":1},"address":{"type":"string","id":2},"peerData":{"keyType":"uint32","type":"bytes","id":3},"tags":{"keyType":"string","type":"string","id":4}}},"UpdateTunnelTerminatorRequest":{"fields":{"terminatorId":{"type":"string","id":1},"cost":{"type":"uint32","id":2},"precedence":{"type":"TerminatorPrecedence","id":3},"updatePrecedence":{"type":"bool","id":4},"updateCost":{"type":"bool","id":5}}},"InspectNodesRequest":{"fields":{"appRegex":{"type":"string","id":1},"requestedValues":{"rule":"repeated","type":"string","id":2}}},"InspectNodesResponse":{"fields":{"success":{"type":"bool","id":1},"errors":{"rule":"repeated","type":"string","id":2},"values":{"rule":"repeated","type":"NodeValue","id":3}}},"StreamTracesRequest":{"fields":{"enabledFilter":{"type":"bool","id":1},"filterType":{"type":"TraceFilterType","id":2},"contentTypes":{"rule":"repeated","type":"int32","id":3}}},"TraceFilterType":{"values":{"EXCLUDE":0,"INCLUDE":1}},"NodeValue":{"fields":{"appId":{"type":"string","id":1},"name":{"type":"string","id":2},"value":{"type":"string","id":3}}},"ValidateTerminatorsRequest":{"fields":{"terminatorsFilter":{"type":"string","id":1},"fixInvalid":{"type":"bool","id":2}}},"ValidateTerminatorsResponse":{"fields":{"success":{"type":"bool","id":1},"message":{"type":"string","id":2},"terminatorCount":{"type":"uint64","id":3}}},"TerminatorState":{"values":{"Valid":0,"Unknown":1,"InvalidUnknownBinding":2,"InvalidUnknownTerminator":3,"InvalidBadState":4}},"TerminatorDetail":{"fields":{"terminatorId":{"type":"string","id":1},"serviceId":{"type":"string","id":2},"serviceName":{"type":"string","id":3},"routerId":{"type":"string","id":4},"routerName":{"type":"string","id":5},"binding":{"type":"string","id":6},"address":{"type":"string","id":7},"hostId":{"type":"string","id":8},"createDate":{"type":"string","id":9},"state":{"type":"TerminatorState","id":10},"fixed":{"type":"bool","id":11},"detail":{"type":"string","id":12}}},"ValidateRoutersRequest":{"fields":{"filter":{"type":"string","id":1}}},"ValidateRouterDataModelRequest":{"fields":{"routerFilter":{"type":"string","id":1},"validateCtrl":{"type":"bool","id":2},"fix":{"type":"bool","id":3}}},"ValidateRoutersResponse":{"fields":{"success":{"type":"bool","id":1},"message":{"type":"string","id":2},"count":{"type":"uint64","id":3}}},"RouterLinkDetails":{"fields":{"routerId":{"type":"string","id":1},"routerName":{"type":"string","id":2},"validateSuccess":{"type":"bool","id":3},"message":{"type":"string","id":4},"linkDetails":{"rule":"repeated","type":"RouterLinkDetail","id":5}}},"LinkState":{"values":{"LinkUnknown":0,"LinkEstablished":1,"LinkPending":2,"LinkDialing":3}},"RouterLinkDetail":{"fields":{"linkId":{"type":"string","id":1},"ctrlState":{"type":"LinkState","id":2},"routerState":{"type":"LinkState","id":3},"destConnected":{"type":"bool","id":4},"isValid":{"type":"bool","id":5},"destRouterId":{"type":"string","id":6},"dialed":{"type":"bool","id":7},"messages":{"rule":"repeated","type":"string","id":8}}},"RouterSdkTerminatorsDetails":{"fields":{"routerId":{"type":"string","id":1},"routerName":{"type":"string","id":2},"validateSuccess":{"type":"bool","id":3},"message":{"type":"string","id":4},"details":{"rule":"repeated","type":"RouterSdkTerminatorDetail","id":5}}},"RouterSdkTerminatorDetail":{"fields":{"terminatorId":{"type":"string","id":1},"ctrlState":{"type":"TerminatorState","id":2},"routerState":{"type":"string","id":3},"isValid":{"type":"bool","id":4},"operationActive":{"type":"bool","id":5},"createTime":{"type":"string","id":6},"lastAttempt":{"type":"string","id":7}}},"RouterErtTerminatorsDetails":{"fields":{"routerId":{"type":"string","id":1},"routerName":{"type":"string","id":2},"validateSuccess":{"type":"bool","id":3},"message":{"type":"string","id":4},"details":{"rule":"repeated","type":"RouterErtTerminatorDetail","id":5}}},"RouterErtTerminatorDetail":{"fields":{"terminatorId":{"type":"string","id":1},"ctrlState":{"type":"TerminatorState","id":2},"routerState":{"type":"string","id":3},"isValid":{"type":"bool","id":4}}},"RouterCircuitDetails":{"fields":{"routerId":{"type":"string","id":1},"routerName":{"type":"string","id":2},"validateSuccess":{"type":"bool","id":3},"message":{"type":"string","id":4},"details":{"keyType":"string","type":"RouterCircuitDetail","id":5}}},"RouterCircuitDetail":{"fields":{"circuitId":{"type":"string","id":1},"missingInCtrl":{"type":"bool","id":2},"missingInForwarder":{"type":"bool","id":3},"missingInEdge":{"type":"bool","id":4},"missingInSdk":{"type":"bool","id":5},"destinations":{"keyType":"string","type":"string","id":6}}},"ComponentDetails":{"fields":{"componentType":{"type":"string","id":1},"componentId":{"type":"string","id":2},"componentName":{"type":"string","id":3},"validateSuccess":{"type":"bool","id":4},"errors":{"rule":"repeated","type":"string","id":5}}}}});

/** The messages by their names. */
export const messages = {
  Listeners: codec<Listeners>('Listeners'),
  Listener: codec<Listener>('Listener'),
  Fault: codec<Fault>('Fault'),
  Route: codec<Route>('Route'),
  RouteEgress: codec<RouteEgress>('RouteEgress'),
  RouteForward: codec<RouteForward>('RouteForward'),
  RouteContext: codec<RouteContext>('RouteContext'),
  Unroute: codec<Unroute>('Unroute'),
  CircuitConfirmation: codec<CircuitConfirmation>('CircuitConfirmation'),
  RouterLinks: codec<RouterLinks>('RouterLinks'),
  RouterLink: codec<RouterLink>('RouterLink'),
  LinkConnState: codec<LinkConnState>('LinkConnState'),
  LinkConn: codec<LinkConn>('LinkConn'),
  LinkStateUpdate: codec<LinkStateUpdate>('LinkStateUpdate'),
  MetricsMessage: codec<MetricsMessage>('MetricsMessage'),
  Timestamp: codec<Timestamp>('Timestamp'),
  Meter: codec<Meter>('Meter'),
  Histogram: codec<Histogram>('Histogram'),
  Timer: codec<Timer>('Timer'),
  UsageCounter: codec<UsageCounter>('UsageCounter'),
  UsageBucket: codec<UsageBucket>('UsageBucket'),
  VerifyRouter: codec<VerifyRouter>('VerifyRouter'),
  PeerStateChanges: codec<PeerStateChanges>('PeerStateChanges'),
  PeerStateChange: codec<PeerStateChange>('PeerStateChange'),
  RemoveTerminatorRequest: codec<RemoveTerminatorRequest>('RemoveTerminatorRequest'),
  RemoveTerminatorsRequest: codec<RemoveTerminatorsRequest>('RemoveTerminatorsRequest'),
  UpdateTerminatorRequest: codec<UpdateTerminatorRequest>('UpdateTerminatorRequest'),
  ValidateTerminatorsV2Request: codec<ValidateTerminatorsV2Request>('ValidateTerminatorsV2Request'),
  TerminatorToValidate: codec<TerminatorToValidate>('TerminatorToValidate'),
  ValidateTerminatorsV2Response: codec<ValidateTerminatorsV2Response>('ValidateTerminatorsV2Response'),
  RouterTerminatorState: codec<RouterTerminatorState>('RouterTerminatorState'),
  RouterInterfacesUpdate: codec<RouterInterfacesUpdate>('RouterInterfacesUpdate'),
  RouterInterface: codec<RouterInterface>('RouterInterface'),
  InspectRequest: codec<InspectRequest>('InspectRequest'),
  InspectResponse: codec<InspectResponse>('InspectResponse'),
  InspectedValue: codec<InspectedValue>('InspectedValue'),
  TogglePipeTracesRequest: codec<TogglePipeTracesRequest>('TogglePipeTracesRequest'),
  ChannelTrace: codec<ChannelTrace>('ChannelTrace'),
  SubscribeToDataModelRequest: codec<SubscribeToDataModelRequest>('SubscribeToDataModelRequest'),
  DataState: codec<DataState>('DataState'),
  RouterDataModelValidateRequest: codec<RouterDataModelValidateRequest>('RouterDataModelValidateRequest'),
  RouterDataModelValidateResponse: codec<RouterDataModelValidateResponse>('RouterDataModelValidateResponse'),
  RouterDataModelDiff: codec<RouterDataModelDiff>('RouterDataModelDiff'),
  DataStateChangeSet: codec<DataStateChangeSet>('DataStateChangeSet'),
  DataStateEvent: codec<DataStateEvent>('DataStateEvent'),
  DataStateRevocation: codec<DataStateRevocation>('DataStateRevocation'),
  DataStateConfigType: codec<DataStateConfigType>('DataStateConfigType'),
  DataStateConfig: codec<DataStateConfig>('DataStateConfig'),
  DataStateIdentity: codec<DataStateIdentity>('DataStateIdentity'),
  DataStateServiceConfigs: codec<DataStateServiceConfigs>('DataStateServiceConfigs'),
  DataStateService: codec<DataStateService>('DataStateService'),
  DataStateServicePolicy: codec<DataStateServicePolicy>('DataStateServicePolicy'),
  DataStateServicePolicyChange: codec<DataStateServicePolicyChange>('DataStateServicePolicyChange'),
  DataStatePublicKey: codec<DataStatePublicKey>('DataStatePublicKey'),
  DataStatePostureCheck: codec<DataStatePostureCheck>('DataStatePostureCheck'),
  DataStateMacCheck: codec<DataStateMacCheck>('DataStateMacCheck'),
  DataStateMfaCheck: codec<DataStateMfaCheck>('DataStateMfaCheck'),
  DataStateOsList: codec<DataStateOsList>('DataStateOsList'),
  DataStateOs: codec<DataStateOs>('DataStateOs'),
  DataStateProcess: codec<DataStateProcess>('DataStateProcess'),
  DataStateProcessMulti: codec<DataStateProcessMulti>('DataStateProcessMulti'),
  DataStateDomains: codec<DataStateDomains>('DataStateDomains'),
  ServerHello: codec<ServerHello>('ServerHello'),
  ClientHello: codec<ClientHello>('ClientHello'),
  EdgeListener: codec<EdgeListener>('EdgeListener'),
  EdgeAddress: codec<EdgeAddress>('EdgeAddress'),
  ApiSession: codec<ApiSession>('ApiSession'),
  ApiSessionAdded: codec<ApiSessionAdded>('ApiSessionAdded'),
  ApiSessionUpdated: codec<ApiSessionUpdated>('ApiSessionUpdated'),
  ApiSessionRemoved: codec<ApiSessionRemoved>('ApiSessionRemoved'),
  ApiSessionHeartbeat: codec<ApiSessionHeartbeat>('ApiSessionHeartbeat'),
  RequestClientReSync: codec<RequestClientReSync>('RequestClientReSync'),
  SessionRemoved: codec<SessionRemoved>('SessionRemoved'),
  ValidateSessionsRequest: codec<ValidateSessionsRequest>('ValidateSessionsRequest'),
  ConnectEvents: codec<ConnectEvents>('ConnectEvents'),
  IdentityConnectEvents: codec<IdentityConnectEvents>('IdentityConnectEvents'),
  ConnectDetails: codec<ConnectDetails>('ConnectDetails'),
  CreateTerminatorV2Request: codec<CreateTerminatorV2Request>('CreateTerminatorV2Request'),
  CreateTerminatorV2Response: codec<CreateTerminatorV2Response>('CreateTerminatorV2Response'),
  UpdateBindRequest: codec<UpdateBindRequest>('UpdateBindRequest'),
  RemoveBindRequest: codec<RemoveBindRequest>('RemoveBindRequest'),
  HealthEventRequest: codec<HealthEventRequest>('HealthEventRequest'),
  EnrollmentExtendRouterRequest: codec<EnrollmentExtendRouterRequest>('EnrollmentExtendRouterRequest'),
  EnrollmentCertsResponse: codec<EnrollmentCertsResponse>('EnrollmentCertsResponse'),
  EnrollmentExtendRouterVerifyRequest: codec<EnrollmentExtendRouterVerifyRequest>('EnrollmentExtendRouterVerifyRequest'),
  ConfirmationError: codec<ConfirmationError>('ConfirmationError'),
  CreateApiSessionRequest: codec<CreateApiSessionRequest>('CreateApiSessionRequest'),
  EnvInfo: codec<EnvInfo>('EnvInfo'),
  SdkInfo: codec<SdkInfo>('SdkInfo'),
  CreateApiSessionResponse: codec<CreateApiSessionResponse>('CreateApiSessionResponse'),
  ServicesList: codec<ServicesList>('ServicesList'),
  TunnelService: codec<TunnelService>('TunnelService'),
  CreateSessionResponse: codec<CreateSessionResponse>('CreateSessionResponse'),
  CreateCircuitForServiceRequest: codec<CreateCircuitForServiceRequest>('CreateCircuitForServiceRequest'),
  CreateCircuitForServiceResponse: codec<CreateCircuitForServiceResponse>('CreateCircuitForServiceResponse'),
  CreateTunnelTerminatorRequest: codec<CreateTunnelTerminatorRequest>('CreateTunnelTerminatorRequest'),
  CreateTunnelTerminatorResponse: codec<CreateTunnelTerminatorResponse>('CreateTunnelTerminatorResponse'),
  CreateTunnelTerminatorV2Request: codec<CreateTunnelTerminatorV2Request>('CreateTunnelTerminatorV2Request'),
  CreateTunnelTerminatorV2Response: codec<CreateTunnelTerminatorV2Response>('CreateTunnelTerminatorV2Response'),
  CreateTunnelCircuitV2Request: codec<CreateTunnelCircuitV2Request>('CreateTunnelCircuitV2Request'),
  CreateTunnelCircuitV2Response: codec<CreateTunnelCircuitV2Response>('CreateTunnelCircuitV2Response'),
  UpdateTunnelTerminatorRequest: codec<UpdateTunnelTerminatorRequest>('UpdateTunnelTerminatorRequest'),
  InspectNodesRequest: codec<InspectNodesRequest>('InspectNodesRequest'),
  InspectNodesResponse: codec<InspectNodesResponse>('InspectNodesResponse'),
  StreamTracesRequest: codec<StreamTracesRequest>('StreamTracesRequest'),
  NodeValue: codec<NodeValue>('NodeValue'),
  ValidateTerminatorsRequest: codec<ValidateTerminatorsRequest>('ValidateTerminatorsRequest'),
  ValidateTerminatorsResponse: codec<ValidateTerminatorsResponse>('ValidateTerminatorsResponse'),
  TerminatorDetail: codec<TerminatorDetail>('TerminatorDetail'),
  ValidateRoutersRequest: codec<ValidateRoutersRequest>('ValidateRoutersRequest'),
  ValidateRouterDataModelRequest: codec<ValidateRouterDataModelRequest>('ValidateRouterDataModelRequest'),
  ValidateRoutersResponse: codec<ValidateRoutersResponse>('ValidateRoutersResponse'),
  RouterLinkDetails: codec<RouterLinkDetails>('RouterLinkDetails'),
  RouterLinkDetail: codec<RouterLinkDetail>('RouterLinkDetail'),
  RouterSdkTerminatorsDetails: codec<RouterSdkTerminatorsDetails>('RouterSdkTerminatorsDetails'),
  RouterSdkTerminatorDetail: codec<RouterSdkTerminatorDetail>('RouterSdkTerminatorDetail'),
  RouterErtTerminatorsDetails: codec<RouterErtTerminatorsDetails>('RouterErtTerminatorsDetails'),
  RouterErtTerminatorDetail: codec<RouterErtTerminatorDetail>('RouterErtTerminatorDetail'),
  RouterCircuitDetails: codec<RouterCircuitDetails>('RouterCircuitDetails'),
  RouterCircuitDetail: codec<RouterCircuitDetail>('RouterCircuitDetail'),
  ComponentDetails: codec<ComponentDetails>('ComponentDetails'),
};
