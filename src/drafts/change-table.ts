import { sql, type Queryable } from '../base/sql.js';
import type { JsonObject } from '../base/row.js';
import type { Operation } from '../kernel/request/store-port.js';

/** The bytes of the states in changes of the log. */
export async function sizeOfChanges(store: Queryable, ids: readonly string[]): Promise<number> {
  const [row] = await store.query(
    sql<{ size: number }>`select coalesce(sum(coalesce(octet_length(before::text), 0)
        + coalesce(octet_length(after::text), 0)), 0)::float8 as size
      from change where id = any(${[...ids]}::text[])`,
  );
  return row?.size ?? 0;
}

/** A change of the log; without a resource if the log has none with the id. */
export type ChangeRow = {
  readonly cursor: string;
  readonly resource: string | null;
  readonly id: string;
  readonly operation: Operation;
  readonly revision: number;
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
};

/**
 * Gives changes by their ids, also those before which a late commit could come.
 * @throws ApiError HISTORY_NOT_KEPT if the log may have lost one, or for one from before a restore
 */
export const changesById = (store: Queryable, ids: readonly string[]): Promise<ChangeRow[]> =>
  store.query(
    sql<ChangeRow>`select asked.id as cursor, c.entity_type as resource, c.entity_id as id,
        c.operation, c.revision, c.before, c.after
      from unnest(${[...ids]}::text[]) as asked(id) left join change c on c.id = asked.id
      where case
        when c.id is null and asked.id collate "C" <= (select max(pruned_id) from change_log)
          then change_is_kept('')
        when c.id is null or left(c.id, 4) <> left((select change_horizon()), 4)
          then change_is_kept(asked.id)
        else true end`,
  );

/** A deleted entity, and a member by which entities of another type named it. */
export interface NamingMember {
  /** Place of the deletion in the log. */
  readonly cursor: string;
  readonly type: string;
  readonly member: string;
  readonly name: string;
}

type CompanionRow = { readonly cursor: string; readonly type: string; readonly deletion: string };

/**
 * Gives changes, in the transactions of deletions, of entities that named the deleted ones before
 * and not after. They are ordered by their places.
 */
export const companionsOf = (
  store: Queryable,
  members: readonly NamingMember[],
  limit: number,
): Promise<CompanionRow[]> =>
  store.query(
    sql<CompanionRow>`select distinct c.id as cursor, c.entity_type as type, d.deletion
      from unnest(${members.map(({ cursor }) => cursor)}::text[], ${members.map(({ type }) => type)}::text[],
        ${members.map(({ member }) => member)}::text[], ${members.map(({ name }) => name)}::text[])
        as d(deletion, type, member, name)
      join change c on c.entity_type = d.type
        and c.id > left(d.deletion, 20) || repeat('0', 16)
        and c.id <= left(d.deletion, 20) || repeat('f', 16)
      where c.id <> d.deletion and c.before -> d.member ? d.name
        and not coalesce(c.after -> d.member ? d.name, false)
      order by c.id limit ${limit}::int`,
  );
