import { sql, type Queryable } from '../base/sql.js';

/** An entity as it is held in memory. */
interface HeldRevision {
  readonly id: string;
  readonly revision: number;
}

/** Of these entities those that a change of the last ten seconds is newer than. */
export async function idsOfRecentChanges(
  store: Queryable,
  entityType: string,
  held: readonly HeldRevision[],
): Promise<string[]> {
  const ids = held.map(({ id }) => id);
  const revisions = held.map(({ revision }) => revision);
  const rows = await store.query(
    sql<{ id: string }>`select distinct c.entity_id as id from change c
        join unnest(${ids}::text[], ${revisions}::int[]) as h(id, revision) on c.entity_id = h.id and c.revision > h.revision
        where c.entity_type = ${entityType}::text and c.at > clock_timestamp() - interval '10 s'`,
  );
  return rows.map(({ id }) => id);
}
