export type { AccessModel } from './access-model.js';
export { isPairAfter, type AccessPair } from './access-pair.js';
export { accessList, accessPage, AccessTotals, accessTotal } from './access-pairs.js';
export type { VersionedModel } from './access-pairs.js';
export type { AccessQuery } from './access-selection.js';
export { explainAccess } from './explain-access.js';
export type { AccessExplanation, AccessFacts, ExplainOptions, Obstacle } from './explain-access.js';
export { grantingPaths } from './granting-paths.js';
export type { GrantingPath, MatchedRole } from './granting-paths.js';
export { accessEffect } from './access-effect.js';
export type { AccessEffect } from './access-effect.js';
export type { AccessDelta, ListedPairs } from './access-delta.js';
export { ModelOverlay } from './model-overlay.js';
export { ModelSnapshot } from './model-snapshot.js';
export type { MissingSide, NearestMiss, NearestMisses, Remedy } from './nearest-misses.js';
export { PairList } from './pair-list.js';
export type { Page } from './pair-list.js';
export type { RouterFacts, RouterSides, UsableRouter } from './shared-routers.js';
export type { PairChanges } from './relation-diff.js';
export { accessDiff, simulate, simulateAccess } from './simulation.js';
export type {
  AccessChanges,
  IdentityRouter,
  IdentityService,
  Proof,
  Reasons,
  ServiceRouter,
  Simulation,
} from './simulation.js';
export { reachSizes } from './reach-sizes.js';
export { inSlices, toEnd } from './slices.js';
export type { Sliced, Slicing } from './slices.js';
export type { RowChange, RowUpdate, WhatIfChange } from './what-if-change.js';
export { withoutDanglingRoles } from './dangling-roles.js';
export { compareFindings, FINDING_KINDS } from './finding.js';
export type { Finding, FindingEntity, FindingKind, Severity } from './finding.js';
export { findingId, findingsWithout, hasFinding } from './finding-id.js';
export { findings, findingsDiff, NO_FINDING_FACTS } from './findings.js';
export type { FindingFacts } from './findings.js';
export type { AccessRule, Violation } from './rule-sides.js';
export { rowChangeOf } from './row-change.js';
export { newViolations } from './new-violations.js';
export { violations } from './rule-violations.js';
export { violatingPairs } from './violating-pairs.js';
export { Analyst } from './history/analyst.js';
export {
  namesGiven,
  resourceOf,
  shownName,
  type NewNames,
  type NameSources,
} from './history/entity-name.js';
export { type ModelChange, proposed } from './model-change.js';
export { POINT, isPlace } from './history/point-in-time.js';
export { findingFacts, pastFacts } from './finding-facts.js';
export {
  mutesInForce,
  withoutMuted,
  type FindingMutes,
  muteIn,
  mustBeFinding,
  unmuteIn,
  unmutedFindings,
} from './finding-mutes.js';
export { placeIn, PastModel, isOfModel } from './history/past-model.js';
export { AccessFollower, type AccessEvent } from './history/access-follower.js';
export { pastNames, type Checks, type Names } from './history/past-names.js';
export { narrowing, type BroadRoles, type Narrowing } from './use/narrowing.js';
export {
  compareUnused,
  policyUse,
  unusedAccess,
  unusedMembers,
  type CountedEnds,
  type PolicyUse,
  type UnusedAccess,
} from './use/policy-use.js';
export { readUsedPairs } from './use/read-used-pairs.js';
export { UsedPairs } from './use/used-pairs.js';
export { grantedPairs, type GrantedPair } from './review/granted-pairs.js';
export { revocation, type RemainingPair, type Revocation } from './review/revocation.js';
export { unmarkedPairs } from './review/unmarked-pairs.js';
export { accessQuery, type EndConditions, type Ends } from './access-query.js';
export {
  AccessMap,
  accessMap,
  DEFAULT_NODES,
  MOST_EDGES,
  MOST_NODES,
  type MapEdge,
} from './access-map/access-map.js';
export { countCheckedPolicies } from './access-map/checked-policies.js';
export { LEAST_NODES } from './access-map/map-layout.js';
export { MapMembers } from './access-map/map-members.js';
export { isClassKind, type MapNode } from './access-map/map-node.js';
export { MapPosture, type JudgedSessions, type PostureCounts } from './access-map/map-posture.js';
export { PolicyChecks } from './access-map/policy-checks.js';
export type {
  MapChange,
  MapKind,
  MapQuery,
  MapSide,
  MapState,
  MapStates,
} from './access-map/map-scope.js';
export { sampleNames, type MapNaming, type SampleNames } from './access-map/sample-names.js';
export { statesAfter } from './two-states.js';
