import { sql, type Queryable } from '../base/sql.js';

/** An entity in memory, with its revision. */
interface CachedRevision {
  readonly id: string;
  readonly revision: number;
}

/** Gives those of these entities that have a newer change within the last ten seconds. */
export async function idsOfRecentChanges(
  store: Queryable,
  entityType: string,
  cachedEntities: readonly CachedRevision[],
): Promise<string[]> {
  const ids = cachedEntities.map(({ id }) => id);
  const revisions = cachedEntities.map(({ revision }) => revision);
  const rows = await store.query(
    sql<{ id: string }>`select distinct c.entity_id as id from change c
        join unnest(${ids}::text[], ${revisions}::int[]) as h(id, revision) on c.entity_id = h.id and c.revision > h.revision
        where c.entity_type = ${entityType}::text and c.at > clock_timestamp() - interval '10 s'`,
  );
  return rows.map(({ id }) => id);
}
