import { invalidField } from '../base/errors.js';
import { byteSorted } from '../base/byte-order.js';
import { isStorableText, UNSTORABLE } from '../base/storable.js';

export const SEMANTICS = ['AllOf', 'AnyOf'] as const;
export type Semantic = (typeof SEMANTICS)[number];

/** The role that every entity fills. It is not the attribute `all`. */
export const EVERYBODY = '#all';

/** A role list taken apart. `attributes` and `ids` carry no prefix; `#all` is not an attribute. */
export interface Roles {
  readonly all: boolean;
  readonly attributes: readonly string[];
  readonly ids: readonly string[];
}

/** One role list of a policy together with the semantic of that policy. */
export interface MembershipSide {
  readonly roles: Roles;
  readonly semantic: Semantic;
}

/** What membership depends on. `attributes` are the role attributes, without prefix. */
export interface RoleHolder {
  readonly id: string;
  readonly attributes: readonly string[];
}

/** Takes a stored (thus valid) role list apart; an entry without prefix would match nobody. */
export function parseRoles(roles: readonly string[]): Roles {
  return {
    all: roles.includes(EVERYBODY),
    attributes: withPrefix('#', roles).filter((attribute) => attribute !== 'all'),
    ids: withPrefix('@', roles),
  };
}

const withPrefix = (prefix: '#' | '@', roles: readonly string[]): string[] =>
  roles.filter((role) => role.startsWith(prefix)).map((role) => role.slice(1));

/** The definition of membership. Every faster form is tested against it. */
export function member(roles: Roles, semantic: Semantic, entity: RoleHolder): boolean {
  return (
    roles.all ||
    roles.ids.includes(entity.id) ||
    holdsAttributes(roles, semantic, entity.attributes)
  );
}

/** The part of membership that the `#` entries decide: without such entries nobody matches. */
export function holdsAttributes(
  { attributes }: Roles,
  semantic: Semantic,
  held: readonly string[],
): boolean {
  if (attributes.length === 0) return false;
  return semantic === 'AllOf'
    ? attributes.every((attribute) => held.includes(attribute))
    : attributes.some((attribute) => held.includes(attribute));
}

/**
 * The stored form of a role list: a set in byte order. Whether `@` ids exist is the caller's check.
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
 * The semantic that `text` spells, in whatever case.
 * @throws ApiError COULD_NOT_VALIDATE on `field`
 */
export function parseSemantic(field: string, text: string): Semantic {
  const semantic = SEMANTICS.find((known) => known.toLowerCase() === text.toLowerCase());
  if (!semantic) throw invalidField(field, `must be one of ${SEMANTICS.join(', ')}`, text);
  return semantic;
}

/**
 * The roles a list is filtered by. In a filter `#all` is the attribute `all`, nothing special.
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
