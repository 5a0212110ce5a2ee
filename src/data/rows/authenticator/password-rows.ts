import { raw, sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import { loginRulesSql, type LoginRules } from '../identity/index.js';
import { hasSenders, lastLoginFrom } from './login-sender-rows.js';

/* Authenticators with a username and a password. */

/** A password with the state for a login from a sender. */
export interface LoginPassword
  extends
    LoginRules,
    Pick<
      TableRow<'Authenticator'>,
      'id' | 'identityId' | 'passwordHash' | 'failedAttempts' | 'strangerAttempts'
    > {
  readonly areStrangersBarred: boolean;
  readonly lastLoginAt: Date | null;
  readonly hasSenders: boolean;
}

const ID = raw('a.id');

/**
 * The password of a username, with the state for a login from `sender`. A statement, since each login
 * reads four tables.
 */
export async function find(
  rows: Rows,
  { username, sender }: { readonly username: string; readonly sender: string },
  now: Date,
): Promise<LoginPassword | undefined> {
  const [password] = await rows.query(
    sql<LoginPassword>`select a.id, a.identity_id as "identityId", a.password_hash as "passwordHash",
        a.failed_attempts as "failedAttempts", a.stranger_attempts as "strangerAttempts",
        coalesce(a.strangers_barred_until > ${now}::timestamptz, false) as "areStrangersBarred",
        ${lastLoginFrom(sender, now, ID)} as "lastLoginAt", ${hasSenders(now, ID)} as "hasSenders",
        ${loginRulesSql(now)}
      from authenticator a
      join identity i on i.id = a.identity_id
      join auth_policy p on p.id = i.auth_policy_id
      where a.method = 'updb' and a.username = ${username}::text`,
  );
  return password;
}

/** The counter of consecutive failures: strangers and the owner of a password have separate ones. */
interface CountedLogin {
  readonly id: string;
  readonly isStranger: boolean;
}

/** Counts a failure and gives the number of consecutive ones; undefined for a deleted authenticator. */
export async function countFailure(
  rows: Rows,
  { id, isStranger }: CountedLogin,
): Promise<number | undefined> {
  const [counted] = await rows.writeModel((models) =>
    models.authenticator.updateManyAndReturn({
      where: { id },
      data: isStranger
        ? { strangerAttempts: { increment: 1 } }
        : { failedAttempts: { increment: 1 } },
      select: { strangerAttempts: true, failedAttempts: true },
    }),
  );
  return isStranger ? counted?.strangerAttempts : counted?.failedAttempts;
}

export const resetFailures = (rows: Rows, { id, isStranger }: CountedLogin): Promise<unknown> =>
  rows.writeModel((models) =>
    models.authenticator.updateMany({
      where: { id },
      data: isStranger ? { strangerAttempts: 0 } : { failedAttempts: 0 },
    }),
  );

/** Resets the counters of all passwords of an identity, and allows strangers again. */
export const resetAllFailures = (rows: Rows, identityId: string): Promise<unknown> =>
  rows.writeModel((models) =>
    models.authenticator.updateMany({
      where: { identityId },
      data: { failedAttempts: 0, strangerAttempts: 0, strangersBarredUntil: null },
    }),
  );

export const barStrangers = (
  rows: Rows,
  id: string,
  strangersBarredUntil: Date,
): Promise<unknown> =>
  rows.writeModel((models) =>
    models.authenticator.updateMany({ where: { id }, data: { strangersBarredUntil } }),
  );
