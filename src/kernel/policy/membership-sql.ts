import { and, column, FALSE, or, raw, sql, TRUE } from '../../base/sql.js';
import type { Sql } from '../../base/sql.js';
import { mergeSides } from './merged-sides.js';
import type { MergedSides } from './merged-sides.js';
import type { EntityKind } from './policy-model.js';
import { EVERYBODY, isPending, parseRoleFilter, parseSemantic, PENDING } from './roles.js';
import type { MembershipSide, RoleHolder } from './roles.js';

/*
 * Membership as SQL. Entity rows have `id text` and the `text[]` column of `attributesOf`, those of identities
 * `is_pending boolean`, policy rows a `text[]` column per role list and `semantic text`; none is null. The
 * operators `&&` and `@>` can use a GIN index on the array.
 */

/** Rows of entities of one kind in a statement. */
export interface EntityRows {
  readonly kind: EntityKind;
  readonly alias: string;
}

/** The attributes by which policies select a row: identities have those of their assignments, too. */
const attributesOf = ({ kind, alias }: EntityRows): Sql =>
  column(alias, kind === 'identity' ? 'effective_role_attributes' : 'role_attributes');

/** True for the entity rows that are in one side of a policy. */
export const memberPredicate = (side: MembershipSide, rows: EntityRows): Sql =>
  unionPredicate([side], rows);

/** True for the entity rows that are in at least one of the sides; false without sides. */
export const unionPredicate = (sides: Iterable<MembershipSide>, rows: EntityRows): Sql =>
  mergedPredicate(mergeSides(sides), rows);

/** An identity that is pending is in the sides by `#pending` alone, whatever else it has. */
function mergedPredicate(merged: MergedSides, rows: EntityRows): Sql {
  const selected = selectedPredicate(merged, rows);
  if (rows.kind !== 'identity') return selected;
  return merged.anyOf.has(PENDING)
    ? or(isPendingRow(rows), selected)
    : and(sql`not ${isPendingRow(rows)}`, selected);
}

const isPendingRow = ({ alias }: EntityRows): Sql => column(alias, 'is_pending');

function selectedPredicate({ all, ids, anyOf, allOf }: MergedSides, rows: EntityRows): Sql {
  if (all) return TRUE;
  const attributes = attributesOf(rows);
  return or(
    ids.size === 0 ? FALSE : sql`${column(rows.alias, 'id')} = any(${[...ids]}::text[])`,
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
  rows: EntityRows,
): Sql {
  const side = {
    roles: parseRoleFilter(roleFilter),
    semantic: semantic === undefined ? 'AllOf' : parseSemantic('semantic', semantic),
  } as const;
  return roleFilter.length === 0 ? TRUE : memberPredicate(side, rows);
}

/** True for the policy rows `alias` whose side `rolesColumn` contains the entity. */
export function policyContains(alias: string, rolesColumn: string, entity: RoleHolder): Sql {
  const roles = column(alias, rolesColumn);
  const direct = isPending(entity) ? [] : [EVERYBODY, `@${entity.id}`];
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
export function memberOf(policyAlias: string, rolesColumn: string, rows: EntityRows): Sql {
  return containment(policyAlias, column(policyAlias, rolesColumn), {
    direct: directRolesOf(rows),
    candidates: rolesFilledBy(rows),
  });
}

/** True for entity rows that fill at least one role of a list: membership in a list that is AnyOf. */
export const anyRoleOf = (roles: Sql, rows: EntityRows): Sql =>
  sql`${roles} && ${rolesFilledBy(rows)}`;

/** `#all`, the id and the attributes of the row of an entity, as roles. */
const rolesFilledBy = (rows: EntityRows): Sql =>
  unlessPending(
    rows,
    sql`(${directRolesOf(rows)} || array(select '#' || held from unnest(${attributesOf(rows)}) held))`,
    raw(`array['#${PENDING}']`),
  );

const directRolesOf = (rows: EntityRows): Sql =>
  unlessPending(
    rows,
    sql`array[${raw(`'${EVERYBODY}'`)}, '@' || ${column(rows.alias, 'id')}]`,
    raw(`'{}'::text[]`),
  );

/** Only identities can be pending. */
const unlessPending = (rows: EntityRows, roles: Sql, pendingRoles: Sql): Sql =>
  rows.kind === 'identity'
    ? sql`(case when ${isPendingRow(rows)} then ${pendingRoles} else ${roles} end)`
    : roles;

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
