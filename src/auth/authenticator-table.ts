import { raw, sql, type Queryable, type Sql } from '../base/sql.js';
import { hasSenders, lastLoginFrom } from './authenticator-sender-table.js';
import { isDisabledSql } from './identity-table.js';
import type { AuthPolicySettings } from './rules/index.js';

/** A password authenticator with the relevant columns of its identity and auth policy. */
export type PasswordRow = AuthPolicySettings & {
  readonly id: string;
  readonly identity_id: string;
  readonly auth_policy_id: string;
  readonly password_hash: string | null;
  readonly failed_attempts: number;
  readonly stranger_attempts: number;
  readonly is_disabled: boolean;
  readonly are_strangers_barred: boolean;
  readonly last_login_at: Date | null;
  readonly has_senders: boolean;
};

const ID = raw('a.id');

/** The password authenticator of a username, with the state for a login from `sender`. */
export async function findPassword(
  store: Queryable,
  { username, sender }: { readonly username: string; readonly sender: string },
  now: Date,
): Promise<PasswordRow | undefined> {
  const [row] = await store.query(
    sql<PasswordRow>`select a.id, a.identity_id, i.auth_policy_id, a.password_hash, a.failed_attempts, a.stranger_attempts, p."primary", p.secondary,
        ${isDisabledSql('i', now)} as is_disabled,
        coalesce(a.strangers_barred_until > ${now}::timestamptz, false) as are_strangers_barred,
        ${lastLoginFrom(sender, now, ID)} as last_login_at, ${hasSenders(now, ID)} as has_senders
      from authenticator a
      join identity i on i.id = a.identity_id
      join auth_policy p on p.id = i.auth_policy_id
      where a.method = 'updb' and a.username = ${username}::text`,
  );
  return row;
}

/**
 * The counter of consecutive failures: strangers and owner of an authenticator have separate ones.
 */
export interface CountedLogin {
  readonly id: string;
  readonly isStranger: boolean;
}

const counterOf = ({ isStranger }: CountedLogin): Sql =>
  raw(isStranger ? 'stranger_attempts' : 'failed_attempts');

/**
 * Counts a failure and gives the number of consecutive ones; undefined for a deleted authenticator.
 */
export async function countFailedAttempt(
  store: Queryable,
  login: CountedLogin,
): Promise<number | undefined> {
  const counter = counterOf(login);
  const [updated] = await store.query(
    sql<{
      attempts: number;
    }>`update authenticator set ${counter} = ${counter} + 1 where id = ${login.id}::text returning ${counter} as attempts`,
  );
  return updated?.attempts;
}

/** Resets the counter. */
export const resetFailedAttempts = (store: Queryable, login: CountedLogin): Promise<unknown> =>
  store.query(sql`update authenticator set ${counterOf(login)} = 0 where id = ${login.id}::text`);

/** Resets the counters of all passwords of an identity, and allows strangers again. */
export const resetAllAttempts = (tx: Queryable, identityId: string): Promise<unknown> =>
  tx.query(
    sql`update authenticator set failed_attempts = 0, stranger_attempts = 0, strangers_barred_until = null
      where identity_id = ${identityId}::text returning id`,
  );

export const barStrangers = (store: Queryable, id: string, until: Date): Promise<unknown> =>
  store.query(
    sql`update authenticator set strangers_barred_until = ${until}::timestamptz where id = ${id}::text`,
  );
