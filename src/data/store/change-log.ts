import { raw, sql } from '../../base/sql.js';
import type { ChangeLog, Cursor, LoggedChange } from '../../kernel/request/store-port.js';
import type { Database } from './database.js';

/*
 * A transaction gets its xid before it commits, so a late commit can precede changes that were read
 * before. Readers therefore stop below the oldest running transaction.
 */
const CHANGES =
  raw(`select c.id as cursor, c.entity_type as resource, c.entity_id as id, c.operation, c.revision,
    c.before, c.after, c.at, c.actor_id as "actorId", c.api_session_id as "apiSessionId", c.address,
    c.request_id as "requestId", c.import_id as "importId", c.reason,
    (select json_build_object('id', i.id, 'name', i.name) from identity i where i.id = c.actor_id) as actor,
    coalesce(pg_column_size(c.before), 0) + coalesce(pg_column_size(c.after), 0) as size
  from change c`);

/** The change log in the database. */
export class StoredChangeLog implements ChangeLog {
  constructor(private readonly database: Pick<Database, 'query'>) {}

  async horizon(): Promise<Cursor> {
    const [row] = await this.database.query(
      sql<{ horizon: string }>`select change_horizon() as horizon`,
    );
    if (!row) throw new Error('the change log tells no horizon');
    return `${row.horizon}0000000000000000`;
  }

  async following(cursor: Cursor, limit: number): Promise<readonly LoggedChange[]> {
    // The same statement checks that no change is missing, so that both see the same state of the
    // database.
    const from =
      cursor === ''
        ? sql``
        : sql`(select change_is_kept(${cursor}::text)) and c.id > ${cursor}::text and`;
    return this.database.query(
      sql<LoggedChange>`${CHANGES} where ${from} c.id < (select change_horizon()) order by c.id limit ${limit}::int`,
    );
  }
}

const BATCH = 1_000;

/** The changes after one position in the log up to another, in slices. */
export async function* changesBetween(
  log: ChangeLog,
  after: Cursor,
  upTo: Cursor,
): AsyncGenerator<readonly LoggedChange[]> {
  for (let position = after; position < upTo;) {
    const changes = await log.following(position, BATCH);
    const inRange = changes.filter(({ cursor }) => cursor <= upTo);
    if (inRange.length > 0) yield inRange;
    if (changes.length < BATCH) return;
    position = changes.at(-1)?.cursor ?? upTo;
  }
}
