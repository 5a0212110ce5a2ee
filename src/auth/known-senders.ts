import type { RequestContext } from '../kernel/request/context.js';
import { sql, type Sql } from '../base/sql.js';

/*
 * From where a password was right: addresses, and /64 networks of IPv6. Failures from elsewhere,
 * which anybody can cause, do not bar the owner of the password there.
 */

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

const isKept = (now: Date): Sql =>
  sql`s.last_login_at > ${new Date(now.getTime() - KEPT_DAYS * DAY)}::timestamptz`;

/** Remembers where a login came from; once a day is enough. */
export async function rememberSender(
  { store, now }: RequestContext,
  authenticatorId: string,
  sender: string,
  lastLoginAt: Date | null,
): Promise<void> {
  const at = now();
  if (lastLoginAt && at.getTime() - lastLoginAt.getTime() < DAY) return;
  await store.query(
    sql`insert into authenticator_sender (authenticator_id, sender, last_login_at)
      select id, ${sender}::text, ${at}::timestamptz from authenticator where id = ${authenticatorId}::text
      on conflict (authenticator_id, sender) do update set last_login_at = excluded.last_login_at`,
  );
  await store.query(
    sql`delete from authenticator_sender s where s.authenticator_id = ${authenticatorId}::text
      and (not ${isKept(at)} or s.sender in (select o.sender from authenticator_sender o
        where o.authenticator_id = ${authenticatorId}::text order by o.last_login_at desc, o.sender offset ${MOST_KEPT}::int))`,
  );
}
