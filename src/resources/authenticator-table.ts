import { sql, type Queryable } from '../base/sql.js';

export type CertificateRow = { readonly id: string; readonly cert_pem: string };

/** Gives the next certificates by id of external authorities that no row names yet. */
export const nextUnassignedCertificates = (
  tx: Queryable,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<CertificateRow[]> =>
  tx.query(
    sql<CertificateRow>`select id, cert_pem from authenticator
        where method = 'cert' and cert_pem is not null and ca_id is null and not is_issued_by_network and id > ${after}::text
        order by id limit ${limit}::int`,
  );
