import type { ChangeLog, Cursor, LoggedChange, Operation } from '../kernel/request/store-port.js';
import type { Row } from '../base/row.js';
import { databaseError, type Database } from './database.js';

/*
 * A transaction gets its xid before it commits, so a late commit may lie before what was read already.
 * Readers therefore stop below the oldest transaction still running.
 */
const CHANGES = `select c.id as cursor, c.entity_type, c.entity_id, c.operation, c.revision, c.before, c.after,
    c.at, c.actor_id, c.api_session_id, c.address, c.request_id, c.import_id, c.reason,
    (select json_build_object('id', i.id, 'name', i.name) from identity i where i.id = c.actor_id) as actor,
    coalesce(pg_column_size(c.before), 0) + coalesce(pg_column_size(c.after), 0) as size
  from change c`;

const FROM_THE_START = `${CHANGES} where c.id < (select change_horizon()) and $1::text = ''
  order by c.id limit $2::int`;

/** Whether all of it is there is looked at in the same state of the database. */
const FOLLOWING = `${CHANGES} where (select change_is_kept($1::text)) and c.id > $1::text
  and c.id < (select change_horizon()) order by c.id limit $2::int`;

/** The log as it is stored. */
export class StoredChangeLog implements ChangeLog {
  constructor(private readonly database: Database) {}

  async horizon(): Promise<Cursor> {
    const [row] = await this.read('select change_horizon() as horizon', []);
    return `${String(row?.horizon)}0000000000000000`;
  }

  async following(cursor: Cursor, limit: number): Promise<readonly LoggedChange[]> {
    const text = cursor === '' ? FROM_THE_START : FOLLOWING;
    return (await this.read(text, [cursor, limit])).map(changeOf);
  }

  private async read(text: string, values: unknown[]): Promise<Row[]> {
    try {
      return (await this.database.pool.query<Row>(text, values)).rows;
    } catch (error) {
      throw databaseError(error);
    }
  }
}

const BATCH = 1_000;

/** The changes after one place in the log up to another, in slices. */
export async function* changesBetween(
  log: ChangeLog,
  after: Cursor,
  upTo: Cursor,
): AsyncGenerator<readonly LoggedChange[]> {
  for (let place = after; place < upTo;) {
    const changes = await log.following(place, BATCH);
    const wanted = changes.filter(({ cursor }) => cursor <= upTo);
    if (wanted.length > 0) yield wanted;
    if (changes.length < BATCH) return;
    place = changes.at(-1)?.cursor ?? upTo;
  }
}

const changeOf = (row: Row): LoggedChange => ({
  cursor: String(row.cursor),
  resource: String(row.entity_type),
  id: String(row.entity_id),
  operation: row.operation as Operation,
  revision: Number(row.revision),
  before: row.before as Row | null,
  after: row.after as Row | null,
  at: row.at as Date,
  actorId: row.actor_id as string | null,
  apiSessionId: row.api_session_id as string | null,
  address: row.address as string | null,
  requestId: row.request_id as string | null,
  importId: row.import_id as string | null,
  reason: row.reason as string | null,
  actor: row.actor as LoggedChange['actor'],
  size: Number(row.size),
});
