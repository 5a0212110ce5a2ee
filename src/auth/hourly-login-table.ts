import { sql, type Queryable } from '../base/sql.js';

/**
 * Counts the sessions of the next changes in the log, and stores the place up to which they are
 * counted. Gives the number of these changes.
 */
export async function countNextSessions(tx: Queryable, limit: number): Promise<number> {
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

/** The numbers of sessions and failed logins of an hour. */
export type HourlyLoginRow = {
  readonly hour: Date;
  readonly apiSessions: number;
  readonly sessions: number;
  readonly failedLogins: number;
};

/** The hours in which something happened. */
export const readHourlyLogins = (store: Queryable, since: Date): Promise<HourlyLoginRow[]> =>
  store.query(
    sql<HourlyLoginRow>`select hour, api_sessions::float8 as "apiSessions", sessions::float8 as sessions,
        failed_logins::float8 as "failedLogins"
      from hourly_login where hour >= ${since}::timestamptz`,
  );

/** Deletes the hours that began at a time or before. */
export const deleteHourlyLogins = (store: Queryable, upTo: Date): Promise<unknown> =>
  store.query(sql`delete from hourly_login where hour <= ${upTo}::timestamptz`);
