export { isRuleViolation } from './is-rule-violation.js';
export { moveDueAssignments, type MovedAssignments } from './move-due-assignments.js';
export { removeEndedAssignments } from './remove-ended-assignments.js';
export { renewClaimedAttributes } from './renew-claimed-attributes.js';
export { reservedPrefixGuard, reservePrefix } from './reserved-prefixes.js';
export {
  assignIn,
  endSourceIn,
  reassignIn,
  replaceIn,
  unassignIn,
  type SourcedAttribute,
  type SourcedAttributes,
} from './source-assignments.js';
export { stateAt, storeAssignedAttributes } from './assigned-attributes.js';
