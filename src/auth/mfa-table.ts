import { sql, type Queryable } from '../base/sql.js';

/** The second factor of an identity; its secrets are sealed. */
export type MfaRow = {
  readonly id: string;
  readonly identity_id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly is_verified: boolean;
  readonly secret: string;
  readonly recovery_codes: string;
  readonly last_step: number;
};

export async function findMfa(store: Queryable, identityId: string): Promise<MfaRow | undefined> {
  const [row] = await store.query(
    sql<MfaRow>`select m.id, m.identity_id, i.name, m.created_at, m.updated_at, m.is_verified, m.secret, m.recovery_codes, m.last_step::float8 as last_step
    from mfa m join identity i on i.id = m.identity_id where m.identity_id = ${identityId}::text`,
  );
  return row;
}

/** A second factor that its owner has not confirmed yet; its secrets are sealed. */
interface PendingMfa {
  readonly identityId: string;
  readonly id: string;
  readonly secret: string;
  readonly recoveryCodes: string;
}

/** Stores a factor and replaces an earlier one. */
export const putMfa = (
  tx: Queryable,
  { identityId, id, secret, recoveryCodes }: PendingMfa,
  at: Date,
): Promise<unknown> =>
  tx.query(
    sql`insert into mfa (identity_id, id, created_at, updated_at, secret, recovery_codes)
        values (${identityId}::text, ${id}::text, ${at}::timestamptz, ${at}::timestamptz,
          ${secret}::text, ${recoveryCodes}::text)
        on conflict (identity_id) do update set id = excluded.id, created_at = excluded.created_at,
          updated_at = excluded.updated_at, secret = excluded.secret, recovery_codes = excluded.recovery_codes, last_step = 0
        returning id`,
  );

export const verifyMfa = (tx: Queryable, identityId: string, at: Date): Promise<unknown> =>
  tx.query(
    sql`update mfa set is_verified = true, updated_at = ${at}::timestamptz where identity_id = ${identityId}::text returning id`,
  );

/** Stores the time step of the last used one-time code. */
export const storeLastStep = (tx: Queryable, identityId: string, step: number): Promise<unknown> =>
  tx.query(
    sql`update mfa set last_step = ${step}::bigint where identity_id = ${identityId}::text returning id`,
  );

/** Stores sealed recovery codes and replaces all earlier ones. */
export const storeRecoveryCodes = (
  tx: Queryable,
  identityId: string,
  codes: string,
  at: Date,
): Promise<unknown> =>
  tx.query(
    sql`update mfa set recovery_codes = ${codes}::text,
      updated_at = ${at}::timestamptz where identity_id = ${identityId}::text returning id`,
  );

export const deleteMfa = (tx: Queryable, identityId: string): Promise<unknown> =>
  tx.query(sql`delete from mfa where identity_id = ${identityId}::text returning id`);
