import { sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';

/*
 * The senders of the logins by a password. Statements, not models: each write depends on rows that it
 * reads.
 */

const DAY = 86_400_000;
const RETENTION_DAYS = 30;
/** Limit of senders for one password: an owner logs in from few places. */
const MAX_SENDERS = 50;

/** The last recent login from a sender, or null. */
export const lastLoginFrom = (sender: string, now: Date, authenticatorId: Sql): Sql =>
  sql`(select max(s.last_login_at) from authenticator_sender s
    where s.authenticator_id = ${authenticatorId} and s.sender = ${sender}::text and ${isRecent(now)})`;

/** Whether there is a recent sender. */
export const hasSenders = (now: Date, authenticatorId: Sql): Sql =>
  sql`exists (select from authenticator_sender s where s.authenticator_id = ${authenticatorId} and ${isRecent(now)})`;

/** A sender is recent for a month after its last login. */
const isRecent = (now: Date): Sql =>
  sql`s.last_login_at > ${new Date(now.getTime() - RETENTION_DAYS * DAY)}::timestamptz`;

/** Stores a login from a sender, if the authenticator still exists. */
export const put = (
  rows: Rows,
  authenticatorId: string,
  sender: string,
  at: Date,
): Promise<unknown> =>
  rows.query(
    sql`insert into authenticator_sender (authenticator_id, sender, last_login_at)
      select id, ${sender}::text, ${at}::timestamptz from authenticator where id = ${authenticatorId}::text
      on conflict (authenticator_id, sender) do update set last_login_at = excluded.last_login_at`,
  );

/** Deletes old senders, and the oldest ones above the limit. */
export const removeOld = (rows: Rows, authenticatorId: string, now: Date): Promise<unknown> =>
  rows.query(
    sql`delete from authenticator_sender s where s.authenticator_id = ${authenticatorId}::text
      and (not ${isRecent(now)} or s.sender in (select o.sender from authenticator_sender o
        where o.authenticator_id = ${authenticatorId}::text order by o.last_login_at desc, o.sender offset ${MAX_SENDERS}::int))`,
  );
