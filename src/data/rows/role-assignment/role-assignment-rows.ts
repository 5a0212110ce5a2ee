import { readSlices } from '../../../base/read-slices.js';
import { raw, sql, type Sql } from '../../../base/sql.js';
import { clock } from '../clock/index.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';

/*
 * Statements where the clock of the database decides about role assignments, or where any number of values is one
 * parameter; models elsewhere.
 */

type RoleAssignmentRow = TableRow<'RoleAssignment'>;

/** The source of the assignments that callers write. */
export const HAND = 'hand';

/** A role assignment whose state is not that of the present time. */
export type DueAssignment = Pick<RoleAssignmentRow, 'id' | 'identityId'> & {
  readonly begins: boolean;
};

const IS_ACTIVE = raw(`state = 'ACTIVE'`);

interface DueQuestion {
  /** The ids of assignments to leave out. */
  readonly except: readonly string[];
  readonly maxIdentities: number;
}

/** Gives all due assignments of the identities that have waited longest. The first ones come from indexes alone. */
export function due(rows: Rows, { except, maxIdentities }: DueQuestion): Promise<DueAssignment[]> {
  const isOther = isNoneOf(except);
  const isBeginning = sql`state = 'PENDING' and active_from <= ${clock.NOW} and ${isOther}`;
  const isEnding = sql`state = 'ACTIVE' and active_until <= ${clock.NOW} and ${isOther}`;
  const limit = sql`limit ${maxIdentities}::int`;
  return rows.query(sql<DueAssignment>`
  with first as (
    (select identity_id, active_from as since from role_assignment where ${isBeginning} order by active_from ${limit})
    union all
    (select identity_id, active_until from role_assignment where ${isEnding} order by active_until ${limit})
    order by since ${limit})
  select id, identity_id as "identityId",
    state = 'PENDING' and (active_until is null or active_until > ${clock.NOW}) as begins
  from role_assignment where identity_id in (select identity_id from first) and ((${isBeginning}) or (${isEnding}))`);
}

/** Milliseconds until the next assignment begins or ends; null without one. */
export async function millisUntilDue(
  rows: Rows,
  except: readonly string[],
): Promise<number | null> {
  const isOther = isNoneOf(except);
  const [row] = await rows.query(
    sql<{ millis: number | null }>`select extract(epoch from least(
        (select min(active_from) from role_assignment where state = 'PENDING' and ${isOther}),
        (select min(active_until) from role_assignment where state = 'ACTIVE' and ${isOther})
      ) - ${clock.NOW})::float8 * 1000 as millis`,
  );
  return row?.millis ?? null;
}

const isNoneOf = (ids: readonly string[]): Sql => sql`id <> all(${[...ids]}::text[])`;

/** The role attributes that assignments give an identity at a time to come. */
export type ComingAttributes = Pick<RoleAssignmentRow, 'identityId'> & {
  readonly attributes: readonly string[];
  /** When the first of its active assignments ends, if one does until then. */
  readonly firstEnd: Date | null;
};

const MAX_COMING = 2_000;

/**
 * Gives, in slices, the identities whose assignments begin or end until a time to come. An assignment that an access rule
 * keeps from beginning stays so. One that has just ended counts too: who asks may not have its end yet.
 */
export const comingAttributes = (
  rows: Rows,
  at: Date,
): AsyncGenerator<readonly ComingAttributes[]> =>
  readSlices<ComingAttributes>(MAX_COMING, (last) =>
    rows.query(
      sql<ComingAttributes>`select identity_id as "identityId",
          coalesce(array_agg(distinct role_attribute order by role_attribute) filter (where ${isActiveAt(at)}), '{}') as attributes,
          min(active_until) filter (where state = 'ACTIVE' and active_until <= ${at}) as "firstEnd"
        from role_assignment where identity_id in (
          select distinct identity_id from role_assignment
          where identity_id > ${last?.identityId ?? ''}::text and ((state = 'PENDING' and active_from <= ${at})
            or (state = 'ACTIVE' and active_until <= ${at}) or (state = 'ENDED' and active_until > ${clock.JUST_NOW}))
          order by identity_id limit ${MAX_COMING}::int)
        group by identity_id order by identity_id`,
    ),
  );

const isActiveAt = (
  at: Date,
): Sql => sql`(state = 'ACTIVE' or (state = 'PENDING' and active_from > ${clock.JUST_NOW}))
  and active_from <= ${at} and (active_until is null or active_until > ${at})`;

/** The time of a role assignment of an identity that has begun or will begin. */
export type AssignedPeriod = Pick<
  RoleAssignmentRow,
  'roleAttribute' | 'activeFrom' | 'activeUntil'
> & { readonly isActive: boolean };

/** Gives the assignments of an identity that have begun or will begin. One that an access rule keeps from beginning is left out. */
export const periodsOf = (rows: Rows, identityId: string): Promise<AssignedPeriod[]> =>
  rows.query(sql<AssignedPeriod>`select role_attribute as "roleAttribute", ${IS_ACTIVE} as "isActive",
      active_from as "activeFrom", active_until as "activeUntil"
    from role_assignment where identity_id = ${identityId}::text
      and (${IS_ACTIVE} or (state = 'PENDING' and active_from > ${clock.JUST_NOW}))`);

/** An active role assignment of an identity. */
export type ActiveAssignment = Pick<
  RoleAssignmentRow,
  'roleAttribute' | 'source' | 'activeUntil' | 'reason' | 'requestedById' | 'approvedById'
> & { readonly roleAssignmentId: string };

/** Gives the assignments of these attributes to an identity that are active, now or at a time to come, by attribute and source. */
export const activeOf = (
  rows: Rows,
  identityId: string,
  attributes: readonly string[],
  at?: Date,
): Promise<ActiveAssignment[]> =>
  rows.query(sql<ActiveAssignment>`select id as "roleAssignmentId", role_attribute as "roleAttribute", source,
      active_until as "activeUntil", reason, requested_by_id as "requestedById", approved_by_id as "approvedById"
    from role_assignment where identity_id = ${identityId}::text and ${at ? isActiveAt(at) : IS_ACTIVE}
      and role_attribute = any(${[...attributes]}::text[]) order by role_attribute, source`);

type AssignedRow = Pick<RoleAssignmentRow, 'identityId'> & { readonly attributes: string[] };

/** Gives the role attributes that active assignments give these identities, by their ids. */
export async function activeAttributes(
  rows: Rows,
  identityIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const assigned = await rows.query(
    sql<AssignedRow>`select identity_id as "identityId",
        array_agg(distinct role_attribute order by role_attribute) as attributes
      from role_assignment where state = 'ACTIVE' and identity_id = any(${[...identityIds]}::text[])
      group by identity_id`,
  );
  return new Map(assigned.map(({ identityId, attributes }) => [identityId, attributes]));
}

/** Gives the ids of assignments that ended before this many milliseconds. */
export async function endedBefore(rows: Rows, millis: number, limit: number): Promise<string[]> {
  const ended = await rows.query(
    sql<{ id: string }>`select id from role_assignment
      where state = 'ENDED' and active_until < ${clock.NOW} - make_interval(secs => ${millis / 1000}::float8)
      order by active_until limit ${limit}::int`,
  );
  return ended.map(({ id }) => id);
}

/** Counts the assignments of role attributes that begin so and have not ended. */
export async function countByAttributePrefix(rows: Rows, prefix: string): Promise<number> {
  const [row] = await rows.query(
    sql<{ count: number }>`select count(*)::int as count from role_assignment
      where state <> 'ENDED' and starts_with(role_attribute, ${prefix}::text)`,
  );
  return row?.count ?? 0;
}

type SourcedColumns = Pick<RoleAssignmentRow, 'roleAttribute' | 'reason'>;

type SourcedAssignment = SourcedColumns & {
  readonly activeUntil: NonNullable<RoleAssignmentRow['activeUntil']>;
};

/** The active assignments of a source to an identity, which have an end, with the time of the database. */
export async function activeOfSource(
  rows: Rows,
  identityId: string,
  source: string,
): Promise<{ readonly now: Date; readonly assignments: readonly SourcedAssignment[] }> {
  const [row] = await rows.query(
    sql<{
      now: Date;
      assignments: (SourcedColumns & { activeUntil: string })[];
    }>`select ${clock.NOW} as now,
      coalesce(json_agg(json_build_object('roleAttribute', role_attribute, 'activeUntil', active_until,
        'reason', reason) order by role_attribute), '[]'::json) as assignments
      from role_assignment where identity_id = ${identityId}::text and source = ${source}::text and ${IS_ACTIVE}`,
  );
  if (!row) throw new Error('the database has no time');
  const assignments = row.assignments.map(({ activeUntil, ...assignment }) => ({
    ...assignment,
    activeUntil: new Date(activeUntil),
  }));
  return { now: row.now, assignments };
}

/** The ids of the identities to which a source gives role attributes. */
export async function identitiesOfSource(rows: Rows, source: string): Promise<string[]> {
  const holders = await rows.readModel((models) =>
    models.roleAssignment.groupBy({
      by: ['identityId'],
      where: { source, state: { not: 'ENDED' } },
      orderBy: { identityId: 'asc' },
    }),
  );
  return holders.map(({ identityId }) => identityId);
}

/** The ids of the identities to which a source gives a role attribute. */
export async function holdersOf(
  rows: Rows,
  { source, roleAttribute }: { readonly source: string; readonly roleAttribute: string },
): Promise<string[]> {
  const holders = await rows.readModel((models) =>
    models.roleAssignment.findMany({
      where: { source, roleAttribute },
      select: { identityId: true },
      orderBy: { identityId: 'asc' },
    }),
  );
  return holders.map(({ identityId }) => identityId);
}
