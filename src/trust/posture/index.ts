export { applyResponses, type AppliedResponses } from './apply-responses.js';
export { checkPosture, type PostureVerb, type StoredPostureCheck } from './check-posture.js';
export { evaluateCheck, judgeFor, passesCheck, type Judge } from './evaluate-check.js';
export {
  evaluateAccess,
  postureCauseData,
  postureQuerySets,
  type Access,
  type FailedCheck,
  type LinkingPolicy,
  type PostureCheckRecord,
  type PostureQuerySetView,
  type PostureQueryView,
} from './evaluate-policies.js';
export { failedServiceRequest, FailedServiceRequest } from './failed-service-requests.js';
export { CheckFailure, PostureFailure } from './posture-failure.js';
export { digestText } from './normal-form.js';
export { OperatingSystem } from './operating-system.js';
export { plainRange } from './plain-range.js';
export { noPostureData, type PostureSubject } from './posture-data.js';
export {
  checkAttributes,
  documentedTypeIds,
  postureCheckTypeIds,
  postureCheckTypes,
  postureResponseTypeIds,
  postureTypeMeanings,
  postureTypeOf,
  queryAttributes,
  reportTypes,
  responseAttributes,
  sessionViews,
  type PostureCheckTypeId,
} from './posture-types.js';
export {
  readPostureResponse,
  readPostureResponses,
  type PostureResponse,
} from './read-posture-responses.js';
export { parseStrictVersion, satisfiesRange } from './satisfies-range.js';
export {
  affectedServices,
  asksAfter,
  endpointEvents,
  PostureAffectedService,
  type GuardedService,
} from './types/mfa/affected-services.js';
export { noteTimeouts } from './types/mfa/mfa-rule.js';
export { PassingTime } from './types/mfa/passing-time.js';
export { noSessionPosture, passMfa, revokeMfa } from './types/mfa/session-posture.js';
export type { SessionPosture } from '../../data/rows/posture/index.js';
export type { FailureValues, PostureCheckSpec, PostureData, Verdict } from './declared-values.js';
export {
  parseVersionRange,
  type VersionComparator,
  type VersionOperator,
  type VersionPattern,
  type VersionRange,
} from './version-range.js';
export { viewPostureData, type PostureDataView } from './view-posture-data.js';
export { PostureChecks, type CheckedModel } from './posture-checks.js';
export {
  POSTURE_DATA,
  forgetMfa,
  PostureStore,
  recordMfa,
  subjectIn,
  type IdentityPosture,
} from './posture-store.js';
