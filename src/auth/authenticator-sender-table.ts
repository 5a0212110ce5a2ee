import { sql, type Queryable, type Sql } from '../base/sql.js';

const DAY = 86_400_000;
const KEPT_DAYS = 30;
/** Of one password: owners have few places, and those who guess have none. */
const MOST_KEPT = 50;

/** The last login from a sender, null where there is none that counts. */
export const lastLoginFrom = (sender: string, now: Date, authenticatorId: Sql): Sql =>
  sql`(select max(s.last_login_at) from authenticator_sender s
    where s.authenticator_id = ${authenticatorId} and s.sender = ${sender}::text and ${isKept(now)})`;

/** Whether there is any sender that counts. */
export const hasSenders = (now: Date, authenticatorId: Sql): Sql =>
  sql`exists (select from authenticator_sender s where s.authenticator_id = ${authenticatorId} and ${isKept(now)})`;

/** A sender counts for a month after its last login. */
const isKept = (now: Date): Sql =>
  sql`s.last_login_at > ${new Date(now.getTime() - KEPT_DAYS * DAY)}::timestamptz`;

/** Stores a login from a sender. */
export const storeSender = (
  store: Queryable,
  authenticatorId: string,
  sender: string,
  at: Date,
): Promise<unknown> =>
  store.query(
    sql`insert into authenticator_sender (authenticator_id, sender, last_login_at)
      select id, ${sender}::text, ${at}::timestamptz from authenticator where id = ${authenticatorId}::text
      on conflict (authenticator_id, sender) do update set last_login_at = excluded.last_login_at`,
  );

/** Deletes the senders that no longer count, and the oldest of too many. */
export const deleteOldSenders = (
  store: Queryable,
  authenticatorId: string,
  now: Date,
): Promise<unknown> =>
  store.query(
    sql`delete from authenticator_sender s where s.authenticator_id = ${authenticatorId}::text
      and (not ${isKept(now)} or s.sender in (select o.sender from authenticator_sender o
        where o.authenticator_id = ${authenticatorId}::text order by o.last_login_at desc, o.sender offset ${MOST_KEPT}::int))`,
  );
