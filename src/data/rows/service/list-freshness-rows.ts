import { sql, type Sql } from '../../../base/sql.js';
import type { Cursor, Rows } from '../../../kernel/request/store-port.js';
import type { Selected, TableRow } from '../../prisma/models.js';

/*
 * When the list of services of each identity last changed, and the position in the change log up to
 * which these times are complete.
 */

const CHANGE = { identityId: true, changedAt: true } as const;

/** The stored times of the last change of each identity's services. */
export const times = (rows: Rows): Promise<Selected<'ServiceFreshness', typeof CHANGE>[]> =>
  rows.readModel((models) => models.serviceFreshness.findMany({ select: CHANGE }));

/*
 * Statements, not models: the database computes columns and compares times, and any number of times
 * is one parameter.
 */

/** The begin of the recorded times, and the position. */
type FreshnessState = Pick<TableRow<'ServiceFreshnessState'>, 'beganAt' | 'position'>;

/** Reads the stored state; the first call stores one that begins now. */
export async function beginOrRead(rows: Rows, here: Cursor, now: Date): Promise<FreshnessState> {
  const [state] = await rows.query(
    sql<FreshnessState>`insert into service_freshness_state (began_at, epoch, xid, seq)
        select ${now}::timestamptz, p.epoch, p.xid, p.seq from (${positionColumns(here)}) p
        on conflict (is_single) do update set is_single = true
        returning began_at as "beganAt", position`,
  );
  // The statement inserts or updates a row, so it always returns one.
  if (!state) throw new Error('the state of service freshness was not stored');
  return state;
}

/** Restarts the recording of times, never earlier than before. */
export const restart = (rows: Rows, here: Cursor, began: Date): Promise<unknown> =>
  rows.query(
    sql`update service_freshness_state s set epoch = p.epoch, xid = p.xid, seq = p.seq,
          began_at = greatest(began_at, ${began}::timestamptz)
        from (${positionColumns(here)}) p`,
  );

/** Stores times, in milliseconds, of identities with an API session; times never go back. */
export const storeTimes = (
  rows: Rows,
  ids: readonly string[],
  millis: readonly number[],
): Promise<unknown> =>
  rows.query(
    sql`insert into service_freshness (identity_id, changed_at)
          select i.id, to_timestamp(v.at / 1000.0) from unnest(${ids}::text[], ${millis}::double precision[]) v(id, at)
            join identity i on i.id = v.id where exists (select from api_session s where s.identity_id = v.id)
          on conflict (identity_id) do update set changed_at = excluded.changed_at
            where service_freshness.changed_at < excluded.changed_at`,
  );

/** Stores the position, which never goes back. */
export const storePosition = (rows: Rows, position: Cursor): Promise<unknown> =>
  rows.query(
    sql`update service_freshness_state s set epoch = p.epoch, xid = p.xid, seq = p.seq
        from (${positionColumns(position)}) p where s.position < ${position}::text`,
  );

/** The columns that controllers of the previous release read. */
const positionColumns = (cursor: Cursor): Sql =>
  sql`select ('x' || lpad(substr(c, 1, 4), 8, '0'))::bit(32)::int as epoch, ('x' || substr(c, 5, 16))::bit(64)::bigint as xid,
    ('x' || substr(c, 21, 16))::bit(64)::bigint as seq from (select ${cursor}::text as c) as v`;
