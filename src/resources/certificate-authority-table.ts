import { sql, type Queryable } from '../base/sql.js';

/** An authority with its certificate. */
type AuthorityCertificateRow = { id: string; fingerprint: string; cert_pem: string };

export const authorityCertificates = (tx: Queryable): Promise<AuthorityCertificateRow[]> =>
  tx.query(
    sql<AuthorityCertificateRow>`select id, fingerprint, cert_pem from certificate_authority order by id`,
  );
