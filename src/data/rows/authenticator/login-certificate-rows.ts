import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import { loginRulesSql, type LoginRules } from '../identity/index.js';

type AuthenticatorRow = TableRow<'Authenticator'>;

/** A certificate with which an identity logs in, and the rules for that. */
export interface LoginCertificate
  extends
    LoginRules,
    Pick<AuthenticatorRow, 'identityId' | 'isIssuedByNetwork' | 'lastAuthResolvedToRoot'> {
  readonly authenticatorId: string;
}

/** Finds the certificate with a fingerprint. A statement, since each login reads three tables. */
export async function find(
  rows: Rows,
  fingerprint: string,
  now: Date,
): Promise<LoginCertificate | undefined> {
  const [certificate] = await rows.query(
    sql<LoginCertificate>`select a.id as "authenticatorId", a.identity_id as "identityId",
        a.is_issued_by_network as "isIssuedByNetwork", a.last_auth_resolved_to_root as "lastAuthResolvedToRoot",
        ${loginRulesSql(now)}
      from authenticator a join identity i on i.id = a.identity_id join auth_policy p on p.id = i.auth_policy_id
      where a.method = 'cert' and a.fingerprint = ${fingerprint}::text`,
  );
  return certificate;
}

type StoredCertificate = Pick<AuthenticatorRow, 'id'> & {
  readonly certPem: NonNullable<AuthenticatorRow['certPem']>;
};

/** Gives the next certificates by id of external authorities that no row names yet. */
export async function nextUnassigned(
  rows: Rows,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<StoredCertificate[]> {
  const where = {
    ...{ method: 'cert', certPem: { not: null }, caId: null, isIssuedByNetwork: false },
    id: { gt: after },
  };
  const certificates = await rows.readModel((models) =>
    models.authenticator.findMany({
      where,
      select: { id: true, certPem: true },
      orderBy: { id: 'asc' },
      take: limit,
    }),
  );
  return certificates.flatMap(({ id, certPem }) => (certPem === null ? [] : [{ id, certPem }]));
}
