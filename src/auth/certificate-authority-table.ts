import { sql, type Queryable } from '../base/sql.js';
import type { ExternalIdClaim } from './rules/index.js';

/** A third-party authority whose certificates allow a login. */
export type LoginAuthorityRow = {
  readonly id: string;
  readonly cert_pem: string;
  readonly external_id_claim: ExternalIdClaim | null;
  readonly trusted_for_management: boolean;
};

/** The authorities that are verified and enabled for logins. */
export const loginAuthorities = (store: Queryable): Promise<LoginAuthorityRow[]> =>
  store.query(
    sql<LoginAuthorityRow>`select id, cert_pem, external_id_claim, trusted_for_management from certificate_authority where is_verified and is_auth_enabled order by id`,
  );
