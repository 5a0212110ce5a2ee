import { sql, type Queryable } from '../base/sql.js';
import type { ExternalIdClaim } from './rules/index.js';

/** An authority of others by which identities may log in. */
export type LoginAuthorityRow = {
  readonly id: string;
  readonly cert_pem: string;
  readonly external_id_claim: ExternalIdClaim | null;
  readonly trusted_for_management: boolean;
};

/** An authority lets identities log in once it is verified and while that is switched on. */
export const loginAuthorities = (store: Queryable): Promise<LoginAuthorityRow[]> =>
  store.query(
    sql<LoginAuthorityRow>`select id, cert_pem, external_id_claim, trusted_for_management from certificate_authority where is_verified and is_auth_enabled order by id`,
  );
