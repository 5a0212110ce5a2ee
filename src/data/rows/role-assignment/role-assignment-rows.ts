import { raw, sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';

/* Statements, not models: the clock of the database decides about role assignments. */

/** A role assignment whose state is not that of the present time. */
export type DueAssignment = {
  readonly id: string;
  readonly identityId: string;
  readonly begins: boolean;
};

const NOW = raw('clock_timestamp()');

/** The time of the database. */
export async function now(rows: Rows): Promise<Date> {
  const [row] = await rows.query(sql<{ now: Date }>`select ${NOW} as now`);
  if (!row) throw new Error('the database has no time');
  return row.now;
}

interface DueQuestion {
  /** The ids of assignments to leave out. */
  readonly except: readonly string[];
  readonly maxIdentities: number;
}

/** Gives all due assignments of the identities that have waited longest. */
export const due = (rows: Rows, { except, maxIdentities }: DueQuestion): Promise<DueAssignment[]> =>
  rows.query(sql<DueAssignment>`
  with due as (
    select id, identity_id, case state when 'PENDING' then active_from else active_until end as since,
      state = 'PENDING' and (active_until is null or active_until > ${NOW}) as begins
    from role_assignment
    where ((state = 'PENDING' and active_from <= ${NOW}) or (state = 'ACTIVE' and active_until <= ${NOW}))
      and ${isNoneOf(except)}),
  first as (
    select identity_id from due group by identity_id order by min(since), identity_id limit ${maxIdentities}::int)
  select id, identity_id as "identityId", begins from due where identity_id in (select identity_id from first)`);

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
      ) - ${NOW})::float8 * 1000 as millis`,
  );
  return row?.millis ?? null;
}

const isNoneOf = (ids: readonly string[]): Sql => sql`id <> all(${[...ids]}::text[])`;

/** An active role assignment of an identity. */
export type ActiveAssignment = {
  readonly roleAssignmentId: string;
  readonly roleAttribute: string;
  readonly source: string;
  readonly activeUntil: Date | null;
};

/** Gives the active assignments of these attributes to an identity, by attribute and source. */
export const activeOf = (
  rows: Rows,
  identityId: string,
  attributes: readonly string[],
): Promise<ActiveAssignment[]> =>
  rows.query(sql<ActiveAssignment>`select id as "roleAssignmentId", role_attribute as "roleAttribute", source,
      active_until as "activeUntil"
    from role_assignment where identity_id = ${identityId}::text and state = 'ACTIVE'
      and role_attribute = any(${[...attributes]}::text[]) order by role_attribute, source`);

type AssignedRow = { identityId: string; attributes: string[] };

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
      where state = 'ENDED' and active_until < ${NOW} - make_interval(secs => ${millis / 1000}::float8)
      order by active_until limit ${limit}::int`,
  );
  return ended.map(({ id }) => id);
}
