import { sql } from '../../base/sql.js';
import type { Change, Cursor, Transaction } from '../../kernel/request/store-port.js';

type LatestState = Pick<Change, 'resource' | 'id' | 'after'>;

/**
 * The latest change of each entity of these resources after a position in the log. It includes
 * committed transactions that the feed has not delivered yet.
 */
export async function recentChanges(
  tx: Transaction,
  after: Cursor,
  resources: readonly string[],
): Promise<LatestState[]> {
  return tx.query(
    sql<LatestState>`select distinct on (c.entity_type, c.entity_id)
        c.entity_type as resource, c.entity_id as id, c.after from change c
      where c.id > ${after}::text and c.entity_type = any(${[...resources]}::text[])
      order by c.entity_type, c.entity_id, c.revision desc`,
  );
}
