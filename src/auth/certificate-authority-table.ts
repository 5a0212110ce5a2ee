import { sql, type Queryable } from '../base/sql.js';
import type { ExternalIdClaim } from './rules/index.js';
import type { Vouching } from './external-jwt-signer-table.js';

/** A third-party authority whose certificates allow a login. */
export type LoginAuthorityRow = {
  readonly id: string;
  readonly cert_pem: string;
  readonly external_id_claim: ExternalIdClaim | null;
  readonly trusted_for_management: boolean;
};

/**
 * Locks an authority against changes until the commit; undefined if it is deleted, or not enabled for
 * logins.
 */
export async function holdLoginAuthority(tx: Queryable, id: string): Promise<Vouching | undefined> {
  const [row] = await tx.query(
    sql<Vouching>`select trusted_for_management as "trustedForManagement" from certificate_authority
      where id = ${id}::text and is_verified and is_auth_enabled for share`,
  );
  return row;
}

/** The authorities that are verified and enabled for logins. */
export const loginAuthorities = (store: Queryable): Promise<LoginAuthorityRow[]> =>
  store.query(
    sql<LoginAuthorityRow>`select id, cert_pem, external_id_claim, trusted_for_management from certificate_authority where is_verified and is_auth_enabled order by id`,
  );
