import { raw, sql, type Queryable, type Sql } from '../base/sql.js';
import { hasSenders, lastLoginFrom } from './authenticator-sender-table.js';
import { isDisabledSql } from './identity-table.js';
import type { AuthPolicySettings } from './rules/index.js';

/** A password authenticator with what counts of its identity and of the auth policy of that. */
export type PasswordRow = AuthPolicySettings & {
  readonly id: string;
  readonly identity_id: string;
  readonly password_hash: string | null;
  readonly failed_attempts: number;
  readonly stranger_attempts: number;
  readonly is_disabled: boolean;
  readonly are_strangers_barred: boolean;
  readonly last_login_at: Date | null;
  readonly has_senders: boolean;
};

const ID = raw('a.id');

/** The password authenticator of a username, as a login from `sender` finds it. */
export async function findPassword(
  store: Queryable,
  { username, sender }: { readonly username: string; readonly sender: string },
  now: Date,
): Promise<PasswordRow | undefined> {
  const [row] = await store.query(
    sql<PasswordRow>`select a.id, a.identity_id, a.password_hash, a.failed_attempts, a.stranger_attempts, p."primary", p.secondary,
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

/** Whose failures in a row are counted: those of strangers apart from those of the owner. */
export interface CountedLogin {
  readonly id: string;
  readonly isStranger: boolean;
}

const counterOf = ({ isStranger }: CountedLogin): Sql =>
  raw(isStranger ? 'stranger_attempts' : 'failed_attempts');

/** Gives the failures in a row with this one; undefined for an authenticator that is gone. */
export async function countFailedAttempt(
  store: Queryable,
  login: CountedLogin,
): Promise<number | undefined> {
  const counter = counterOf(login);
  const [counted] = await store.query(
    sql<{
      attempts: number;
    }>`update authenticator set ${counter} = ${counter} + 1 where id = ${login.id}::text returning ${counter} as attempts`,
  );
  return counted?.attempts;
}

/** Begins to count anew. */
export const resetFailedAttempts = (store: Queryable, login: CountedLogin): Promise<unknown> =>
  store.query(sql`update authenticator set ${counterOf(login)} = 0 where id = ${login.id}::text`);

/** Begins to count anew for all passwords of an identity, and lets strangers try again. */
export const resetAllAttempts = (tx: Queryable, identityId: string): Promise<unknown> =>
  tx.query(
    sql`update authenticator set failed_attempts = 0, stranger_attempts = 0, strangers_barred_until = null
      where identity_id = ${identityId}::text returning id`,
  );

export const barStrangers = (store: Queryable, id: string, until: Date): Promise<unknown> =>
  store.query(
    sql`update authenticator set strangers_barred_until = ${until}::timestamptz where id = ${id}::text`,
  );
