export {
  affectedServices,
  endpointEvents,
  type AffectedService,
  type EndpointEvents,
  type GuardedService,
} from './affected-services.js';
export { applyResponses, type AppliedResponses } from './apply-responses.js';
export { checkPosture, type PostureVerb, type StoredPostureCheck } from './check-posture.js';
export { evaluateCheck, judgeFor, type Judge } from './evaluate-check.js';
export {
  evaluateAccess,
  postureCauseData,
  postureQuerySets,
  type Access,
  type CheckFailure,
  type FailedCheck,
  type LinkingPolicy,
  type PolicyFailure,
  type PostureCheckRecord,
  type PostureQuerySetView,
  type PostureQueryView,
  type QueriedProcess,
} from './evaluate-policies.js';
export { failedServiceRequest, type FailedServiceRequest } from './failed-service-requests.js';
export { noteTimeouts, PROMPT_GRACE_SECONDS } from './mfa-rule.js';
export type {
  PostureCheckFields,
  PostureProcess,
  PostureProcessOfMany,
} from './posture-check-fields.js';
export {
  osTypes,
  postureCheckTypeIds,
  postureCheckTypes,
  type OperatingSystem,
  type OsType,
  type PostureCheckType,
  type PostureCheckTypeId,
} from './posture-check-types.js';
export {
  noPostureData,
  noSessionPosture,
  passMfa,
  revokeMfa,
  type ClientSdk,
  type PostureData,
  type PostureSubject,
  type ProcessReport,
  type SessionPosture,
} from './posture-data.js';
export {
  postureResponseTypeIds,
  readPostureResponse,
  readPostureResponses,
  type PostureResponse,
  type PostureResponseTypeId,
} from './read-posture-responses.js';
export { parseStrictVersion, satisfiesRange } from './satisfies-range.js';
export type {
  FailureValues,
  FailureValuesByType,
  PostureCheckSpec,
  Timing,
  Verdict,
} from './verdict.js';
export {
  parseVersionRange,
  type VersionComparator,
  type VersionOperator,
  type VersionPattern,
  type VersionRange,
} from './version-range.js';
export { viewPostureData, type PostureDataView } from './view-posture-data.js';
export { PassingTime } from './passing-time.js';
export { PostureChecks, type CheckedModel } from './posture-checks.js';
export {
  forgetMfa,
  PostureStore,
  recordMfa,
  subjectIn,
  type IdentityPosture,
} from './posture-store.js';
