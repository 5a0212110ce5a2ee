import type { ExternalIdClaim } from '../auth/index.js';
import { sql, type Queryable } from '../base/sql.js';

/** The columns of an external certificate authority that enrollment needs. */
export type AuthorityRow = {
  readonly id: string;
  readonly name: string;
  readonly cert_pem: string;
  readonly is_verified: boolean;
  readonly is_ott_ca_enrollment_enabled: boolean;
  readonly is_auto_ca_enrollment_enabled: boolean;
  readonly identity_roles: string[];
  readonly identity_name_format: string;
  readonly external_id_claim: ExternalIdClaim | null;
};

/** Reads all authorities, or the one with the id. */
export const readAuthorities = (tx: Queryable, id?: string): Promise<AuthorityRow[]> =>
  tx.query(
    sql<AuthorityRow>`select id, name, cert_pem, is_verified, is_ott_ca_enrollment_enabled, is_auto_ca_enrollment_enabled,
        identity_roles, identity_name_format, external_id_claim
      from certificate_authority where ${id ?? null}::text is null or id = ${id ?? null}::text order by id`,
  );

export async function isAuthority(store: Queryable, id: string): Promise<boolean> {
  const rows = await store.query(sql`select id from certificate_authority where id = ${id}::text`);
  return rows.length > 0;
}
