export { Access } from './access-set.js';
export type { AttributeUsage } from './attribute-usage.js';
export { affectedIdentities, type ModelChange } from './affected-identities.js';
export { Bitset } from './bitset.js';
export {
  dormant,
  EFFECTIVE_SOURCES,
  effectiveAttributes,
  entityOf,
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
  approvedValue,
  ENTITY_KINDS,
  isInForce,
  isPolicyKind,
  POLICY_KINDS,
  POLICY_SIDES,
  selectedBy,
  pendingValue,
  withAttributes,
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
  EVERY_ENTITY,
  EVERYBODY,
  isPending,
  member,
  normaliseAttributes,
  normaliseRoles,
  parseRoles,
  PENDING,
  PENDING_IDENTITIES,
  SEMANTICS,
} from './roles.js';
export type { MembershipSide, RoleHolder, Roles, Semantic } from './roles.js';
export type { RoleDisplay } from './roles-display.js';
