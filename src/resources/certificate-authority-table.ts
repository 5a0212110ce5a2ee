import { sql, type Queryable } from '../base/sql.js';

/** An authority with its certificate. */
type AuthorityCertificateRow = { id: string; fingerprint: string; cert_pem: string };

export const authorityCertificates = (tx: Queryable): Promise<AuthorityCertificateRow[]> =>
  tx.query(
    sql<AuthorityCertificateRow>`select id, fingerprint, cert_pem from certificate_authority order by id`,
  );

/** An authority, and whether it enrolls by one-time tokens. */
type EnrollingAuthorityRow = { id: string; is_verified: boolean; is_enabled: boolean };

export const authoritiesToEnroll = (
  store: Queryable,
  ids: readonly string[],
): Promise<EnrollingAuthorityRow[]> =>
  store.query(
    sql<EnrollingAuthorityRow>`select id, is_verified, is_ott_ca_enrollment_enabled as is_enabled
      from certificate_authority where id = any(${[...new Set(ids)]}::text[])`,
  );
