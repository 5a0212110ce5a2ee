import { sql, type Queryable } from '../base/sql.js';

/** Gives the administrators with one factor: neither they nor their auth policy require a second. */
export async function adminsWithoutSecondFactor(store: Queryable): Promise<string[]> {
  const rows = await store.query(
    sql<{ id: string }>`select i.id from identity i join auth_policy p on p.id = i.auth_policy_id
        where i.is_admin and not i.is_mfa_enabled
          and (p.secondary ->> 'requireTotp') is distinct from 'true'
          and (p.secondary ->> 'requireExtJwtSigner') is null
        order by i.id`,
  );
  return rows.map(({ id }) => id);
}
