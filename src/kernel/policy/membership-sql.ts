import { and, column, FALSE, or, raw, sql, TRUE } from '../../base/sql.js';
import type { Sql } from '../../base/sql.js';
import { mergeSides } from './merged-sides.js';
import type { MergedSides } from './merged-sides.js';
import { EVERYBODY, parseRoleFilter, parseSemantic } from './roles.js';
import type { MembershipSide, RoleHolder } from './roles.js';

/*
 * Membership as SQL. Entity rows have `id text` and `role_attributes text[]`, policy rows a
 * `text[]` column per role list and `semantic text`; none is null. The operators `&&` and `@>` can
 * use a GIN index on the array.
 */

/** True for the entity rows `alias` that are in one side of a policy. */
export const memberPredicate = (side: MembershipSide, alias: string): Sql =>
  unionPredicate([side], alias);

/** True for the entity rows `alias` that are in at least one of the sides; false without sides. */
export const unionPredicate = (sides: Iterable<MembershipSide>, alias: string): Sql =>
  mergedPredicate(mergeSides(sides), alias);

function mergedPredicate({ all, ids, anyOf, allOf }: MergedSides, alias: string): Sql {
  if (all) return TRUE;
  const attributes = column(alias, 'role_attributes');
  return or(
    ids.size === 0 ? FALSE : sql`${column(alias, 'id')} = any(${[...ids]}::text[])`,
    anyOf.size === 0 ? FALSE : sql`${attributes} && ${[...anyOf]}::text[]`,
    ...allOf.map((list) => sql`${attributes} @> ${list}::text[]`),
  );
}

/**
 * The query parameters `roleFilter` (repeated) and `roleSemantic` (default AllOf) of entity lists.
 * Without a role every row passes.
 * @throws ApiError COULD_NOT_VALIDATE on `roleFilter` or `semantic`
 */
export function roleFilterPredicate(
  roleFilter: readonly string[],
  semantic: string | undefined,
  alias: string,
): Sql {
  const side = {
    roles: parseRoleFilter(roleFilter),
    semantic: semantic === undefined ? 'AllOf' : parseSemantic('semantic', semantic),
  } as const;
  return roleFilter.length === 0 ? TRUE : memberPredicate(side, alias);
}

/** True for the policy rows `alias` whose side `rolesColumn` contains the entity. */
export function policyContains(alias: string, rolesColumn: string, entity: RoleHolder): Sql {
  const roles = column(alias, rolesColumn);
  const direct = [EVERYBODY, `@${entity.id}`];
  const candidates = [...direct, ...entity.attributes.map((attribute) => `#${attribute}`)];
  return containment(alias, roles, {
    direct: sql`${direct}::text[]`,
    candidates: sql`${candidates}::text[]`,
  });
}

/**
 * True for pairs of rows where the side `rolesColumn` of the policy contains the entity. It finds
 * the policies of a few entities by the index on the role lists. In the other direction it tests
 * every pair in some microseconds; for known policies, use `unionPredicate`.
 */
export function memberOf(policyAlias: string, rolesColumn: string, entityAlias: string): Sql {
  const direct = sql`array[${raw(`'${EVERYBODY}'`)}, '@' || ${column(entityAlias, 'id')}]`;
  const roleAttributes = column(entityAlias, 'role_attributes');
  return containment(policyAlias, column(policyAlias, rolesColumn), {
    direct,
    candidates: sql`(${direct} || array(select '#' || held from unnest(${roleAttributes}) held))`,
  });
}

/**
 * `candidates` are all roles that the entity fills; `direct` are `#all` and its id, for which the
 * semantic does not matter. For AnyOf, an overlap with the candidates is enough. AllOf also needs
 * an overlap with `direct`, or every `#` entry; the first overlap proves that the list is not
 * empty.
 */
function containment(alias: string, roles: Sql, entity: { direct: Sql; candidates: Sql }): Sql {
  const hasUnfilled = sql`exists (select from unnest(${roles}) entry
    where starts_with(entry, '#') and entry <> all(${entity.candidates}))`;
  return and(
    sql`${roles} && ${entity.candidates}`,
    or(
      sql`${column(alias, 'semantic')} = 'AnyOf'`,
      sql`${roles} && ${entity.direct}`,
      sql`not ${hasUnfilled}`,
    ),
  );
}
