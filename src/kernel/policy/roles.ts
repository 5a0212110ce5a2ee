import { invalidField } from '../../base/errors.js';
import { byteSorted } from '../../base/byte-order.js';
import { isStorableText, UNSTORABLE } from '../../base/storable.js';

export const SEMANTICS = ['AllOf', 'AnyOf'] as const;
export type Semantic = (typeof SEMANTICS)[number];

/** The role of every entity. It is not the attribute `all`. */
export const EVERYBODY = '#all';

/** The only role attribute of an identity that waits for its approval. */
export const PENDING = 'pending';

/** A parsed role list. `attributes` and `ids` have no prefix; `#all` is not an attribute. */
export interface Roles {
  readonly all: boolean;
  readonly attributes: readonly string[];
  readonly ids: readonly string[];
}

/** A role list of a policy with the policy's semantic. */
export interface MembershipSide {
  readonly roles: Roles;
  readonly semantic: Semantic;
}

/**
 * The facts of an entity that decide membership. `attributes` are the role attributes, without
 * prefix.
 */
export interface RoleHolder {
  readonly id: string;
  readonly attributes: readonly string[];
  /** Its attributes after its approval. While it is pending, only `#pending` selects it: no `#all`, and no `@id`. */
  readonly onceApproved?: object;
}

/** Selects the identities that are pending, and those with the same attribute written on them. */
export const PENDING_IDENTITIES: MembershipSide = {
  roles: { all: false, attributes: [PENDING], ids: [] },
  semantic: 'AnyOf',
};

/** The sides that together select every entity of a kind, also identities that are pending. */
export const EVERY_ENTITY: MembershipSide = {
  roles: { all: true, attributes: [PENDING], ids: [] },
  semantic: 'AnyOf',
};

export const isPending = ({ onceApproved }: Pick<RoleHolder, 'onceApproved'>): boolean =>
  onceApproved !== undefined;

/** Parses a stored, thus valid role list. */
export function parseRoles(roles: readonly string[]): Roles {
  return {
    all: roles.includes(EVERYBODY),
    attributes: withPrefix('#', roles).filter((attribute) => attribute !== 'all'),
    ids: withPrefix('@', roles),
  };
}

const withPrefix = (prefix: '#' | '@', roles: readonly string[]): string[] =>
  roles.filter((role) => role.startsWith(prefix)).map((role) => role.slice(1));

/** The definition of membership. Tests compare every faster form with it. */
export function member(roles: Roles, semantic: Semantic, entity: RoleHolder): boolean {
  const isDirect = roles.all || roles.ids.includes(entity.id);
  return (isDirect && !isPending(entity)) || holdsAttributes(roles, semantic, entity.attributes);
}

/** The part of membership that the `#` entries decide; false without such entries. */
export function holdsAttributes(
  { attributes }: Roles,
  semantic: Semantic,
  entityAttributes: readonly string[],
): boolean {
  if (attributes.length === 0) return false;
  return semantic === 'AllOf'
    ? attributes.every((attribute) => entityAttributes.includes(attribute))
    : attributes.some((attribute) => entityAttributes.includes(attribute));
}

/**
 * Gives the stored form of a role list: a set in byte order. The caller checks that `@` ids exist.
 * @throws ApiError COULD_NOT_VALIDATE on `field`, its value the offending entries
 */
export function normaliseRoles(field: string, roles: readonly string[]): string[] {
  refuse(field, roles, isUnstorable, UNSTORABLE);
  refuse(field, roles, isNoRole, 'must start with # (an attribute) or @ (an id)');
  refuse(field, roles, (role) => role.length === 1, 'must name something after # or @');
  const normal = byteSorted(roles);
  if (normal.length > 1 && normal.includes(EVERYBODY)) {
    throw invalidField(field, `${EVERYBODY} must be the only entry`, normal);
  }
  return normal;
}

/**
 * The stored form of the role attributes of an entity: a set in byte order.
 * @throws ApiError COULD_NOT_VALIDATE on `field`, its value the offending entries
 */
export function normaliseAttributes(field: string, attributes: readonly string[]): string[] {
  refuse(field, attributes, isUnstorable, UNSTORABLE);
  refuse(field, attributes, (value) => !isNoRole(value), 'must not start with the prefix # or @');
  return byteSorted(attributes);
}

/**
 * Parses a semantic; upper and lower case are equal.
 * @throws ApiError COULD_NOT_VALIDATE on `field`
 */
export function parseSemantic(field: string, text: string): Semantic {
  const semantic = SEMANTICS.find((candidate) => candidate.toLowerCase() === text.toLowerCase());
  if (!semantic) throw invalidField(field, `must be one of ${SEMANTICS.join(', ')}`, text);
  return semantic;
}

/**
 * Parses the roles of a list filter. In a filter `#all` is an ordinary attribute `all`.
 * @throws ApiError COULD_NOT_VALIDATE on `roleFilter`, its value the offending entries
 */
export function parseRoleFilter(roleFilter: readonly string[]): Roles {
  refuse('roleFilter', roleFilter, isUnstorable, UNSTORABLE);
  refuse('roleFilter', roleFilter, isNoRole, 'must start with # (an attribute) or @ (an id)');
  return {
    all: false,
    attributes: byteSorted(withPrefix('#', roleFilter)),
    ids: byteSorted(withPrefix('@', roleFilter)),
  };
}

const isNoRole = (text: string): boolean => !text.startsWith('#') && !text.startsWith('@');

const isUnstorable = (text: string): boolean => !isStorableText(text);

function refuse(
  field: string,
  values: readonly string[],
  isOffending: (value: string) => boolean,
  reason: string,
): void {
  const offending = values.filter(isOffending);
  if (offending.length > 0) throw invalidField(field, reason, offending);
}
