export { Access } from './access-set.js';
export type { AttributeUsage } from './attribute-usage.js';
export { affectedIdentities, type ModelChange } from './affected-identities.js';
export { Bitset } from './bitset.js';
export {
  dormant,
  EFFECTIVE_SOURCES,
  effectiveAttributes,
  indexedValue,
  isEntityKind,
  isIndexed,
  ROLES_OF,
} from './indexed-row.js';
export {
  anyRoleOf,
  memberOf,
  memberPredicate,
  policyContains,
  roleFilterPredicate,
  unionPredicate,
  type EntityRows,
} from './membership-sql.js';
export { OrdinalSet } from './ordinal-set.js';
export { PolicyIndex } from './policy-index.js';
export {
  ENTITY_KINDS,
  isInForce,
  isPolicyKind,
  POLICY_KINDS,
  POLICY_SIDES,
  selectedBy,
  joinedAttributes,
  writtenAttributes,
  writtenSides,
} from './policy-model.js';
export type {
  AnyPolicyValue,
  EntityKind,
  EntityValue,
  IndexedPolicy,
  PolicyChange,
  PolicyKind,
  PolicyValue,
  Replaced,
  ServicePolicyType,
  Side,
  SideOf,
} from './policy-model.js';
export {
  EVERYBODY,
  member,
  normaliseAttributes,
  normaliseRoles,
  parseRoles,
  SEMANTICS,
} from './roles.js';
export type { MembershipSide, RoleHolder, Roles, Semantic } from './roles.js';
export type { RoleDisplay } from './roles-display.js';
