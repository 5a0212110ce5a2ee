import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected } from '../../prisma/models.js';

/* The numbers of sessions and failed logins of each hour. */

/**
 * Counts the sessions of the next changes in the log, and stores the place up to which they are
 * counted. Gives the number of these changes. One statement writes what it reads.
 */
export async function countNextSessions(tx: Rows, limit: number): Promise<number> {
  const [row] = await tx.query(
    sql<{ counted: number }>`with slice as (
        select c.id, c.at, c.entity_type, c.operation from change c
        where c.id > coalesce((select max(logins_counted_id) from change_log), '')
          and c.id < (select change_horizon())
        order by c.id limit ${limit}::int
      ), counts as (
        insert into hourly_login (hour, api_sessions, sessions)
        select date_trunc('hour', at, 'UTC'), count(*) filter (where entity_type = 'ApiSession'),
          count(*) filter (where entity_type = 'Session')
        from slice where operation = 'create' and entity_type in ('ApiSession', 'Session') group by 1
        on conflict (hour) do update set api_sessions = hourly_login.api_sessions + excluded.api_sessions,
          sessions = hourly_login.sessions + excluded.sessions
      ), place as (
        insert into change_log (logins_counted_id) select max(id) from slice having count(*) > 0
        on conflict (is_single) do update set logins_counted_id = excluded.logins_counted_id
      ) select count(*)::int as counted from slice`,
  );
  return row?.counted ?? 0;
}

const COUNTS = { hour: true, apiSessions: true, sessions: true, failedLogins: true } as const;

/** The numbers of sessions and failed logins of an hour. */
export type HourlyLogins = Selected<'HourlyLogin', typeof COUNTS>;

/** The hours in which something happened. */
export const since = (rows: Rows, hour: Date): Promise<HourlyLogins[]> =>
  rows.readModel((models) =>
    models.hourlyLogin.findMany({ where: { hour: { gte: hour } }, select: COUNTS }),
  );

/** Deletes the hours that began at a time or before. */
export const removeUpTo = (rows: Rows, hour: Date): Promise<unknown> =>
  rows.writeModel((models) => models.hourlyLogin.deleteMany({ where: { hour: { lte: hour } } }));
