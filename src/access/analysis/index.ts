export type { AccessModel } from './model/access-model.js';
export { AccessPair, isPairAfter, pairKey } from './pairs/access-pair.js';
export { accessList, accessPage, AccessTotals, accessTotal } from './pairs/access-pairs.js';
export type { VersionedModel } from './pairs/access-pairs.js';
export type { AccessQuery } from './pairs/access-selection.js';
export { Access, AccessAssignment, explainAccess } from './reasons/explain-access.js';
export type { AccessExplanation, AccessFacts, ExplainOptions } from './reasons/explain-access.js';
export {
  AccessCheck,
  AccessPath,
  GrantingPolicy,
  grantingPaths,
  type MatchedRole,
} from './reasons/granting-paths.js';
export { accessEffect } from './what-if/access-effect.js';
export type { AccessEffect } from './what-if/access-effect.js';
export { accessDelta } from './what-if/access-delta.js';
export { rowChange } from './model/what-if-change.js';
export type { AccessDelta, ListedPairs } from './what-if/access-delta.js';
export { ModelOverlay } from './model/model-overlay.js';
export { ModelSnapshot } from './model/model-snapshot.js';
export { MissingSide, NearestMiss, type Remedy } from './reasons/nearest-misses.js';
export { PolicyAdvice, policyAdvice } from './reasons/policy-advice.js';
export { PairList } from './pairs/pair-list.js';
export type { Page } from './pairs/pair-list.js';
export {
  AccessEdgeRouterPolicy,
  AccessRouter,
  AccessServiceEdgeRouterPolicy,
  type UsableRouter,
} from './reasons/shared-routers.js';
export type { PairChanges } from './what-if/relation-diff.js';
export { accessDiff, simulate, simulateAccess } from './what-if/simulation.js';
export type {
  AccessChanges,
  IdentityRouter,
  IdentityService,
  Proof,
  Reasons,
  ServiceRouter,
  Simulation,
} from './what-if/simulation.js';
export { reachSizes } from './pairs/reach-sizes.js';
export type { RowChange, RowUpdate, WhatIfChange } from './model/what-if-change.js';
export { withoutDanglingRoles } from './model/dangling-roles.js';
export {
  compareFindings,
  Finding,
  FINDING_KIND,
  FindingEntity,
  type FindingKind,
  type FoundFinding,
  SEVERITY,
  type Severity,
} from './findings/finding.js';
export { findingId, findingsWithout, hasFinding } from './findings/finding-id.js';
export { findings, findingsDiff, NO_FINDING_FACTS } from './findings/findings.js';
export type { FindingFacts } from './findings/findings.js';
export type { AccessRule, Violation } from './rules/rule-sides.js';
export { rowChangeOf } from './model/row-change.js';
export { newViolations } from './rules/new-violations.js';
export { violations } from './rules/rule-violations.js';
export { violatingPairs } from './rules/violating-pairs.js';
export { Analyst } from './history/analyst.js';
export {
  namesGiven,
  resourceOf,
  shownName,
  type NewNames,
  type NameSources,
} from './history/entity-name.js';
export { type ModelChange, proposed } from './model/model-change.js';
export { POINT, isPlace } from './history/point-in-time.js';
export { factsAbout, findingFacts, pastFacts } from './findings/finding-facts.js';
export {
  mutesInForce,
  withoutMuted,
  type FindingMutes,
  muteIn,
  mustBeFinding,
  unmuteIn,
  unmutedFindings,
} from './findings/finding-mutes.js';
export { accessEnds, type AccessEnds } from './history/access-ends.js';
export { FutureModel } from './history/future-model.js';
export { placeIn, PastModel, PresentModel, isOfModel } from './history/past-model.js';
export { AccessFollower, type AccessEvent } from './history/access-follower.js';
export { namesAt, presentNames, type Checks, type Names } from './history/explained-names.js';
export type { GrantingSide } from './use/narrowed-side.js';
export { BroadRoles, narrowing, type Narrowing } from './use/narrowing.js';
export {
  compareUnused,
  policyUse,
  UnusedAccess,
  unusedAccess,
  unusedMembers,
  type CountedEnds,
  type FoundUnused,
  type PolicyUse,
} from './use/policy-use.js';
export { readUsedPairs } from './use/read-used-pairs.js';
export { UsedPairs } from './use/used-pairs.js';
export { grantedPairs, type GrantedPair } from './review/granted-pairs.js';
export { RemainingAccess, revocation, type Revocation } from './review/access-revocation.js';
export { unmarkedPairs } from './review/unmarked-pairs.js';
export { accessQuery, type EndConditions, type Ends } from './pairs/access-query.js';
export {
  AccessMap,
  accessMap,
  AccessMapEdge,
  DEFAULT_NODES,
  MAX_EDGES,
  MAX_NODES,
  type MapEdge,
} from './access-map/access-map.js';
export { countCheckedPolicies } from './access-map/checked-policies.js';
export { MIN_NODES } from './access-map/map-layout.js';
export { MapMembers } from './access-map/map-members.js';
export { isClassKind, type MapNode } from './access-map/map-node.js';
export { MapPosture, type JudgedSessions, type PostureCounts } from './access-map/map-posture.js';
export { PolicyChecks } from './access-map/policy-checks.js';
export {
  MAP_CHANGE,
  type MapChange,
  type MapKind,
  type MapQuery,
  type MapSide,
  type MapState,
  type MapStates,
} from './access-map/map-scope.js';
export { sampleNames, type MapNaming, type SampleNames } from './access-map/sample-names.js';
export { statesAfter } from './model/two-states.js';
