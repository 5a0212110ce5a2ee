import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected, TableRow } from '../../prisma/models.js';

/* Authorities of others, whose certificates let identities log in and join. */

type AuthorityRow = TableRow<'CertificateAuthority'>;

type Filled<T> = { readonly [K in keyof T]: NonNullable<T[K]> };

/** How a certificate names an external id. Only inputs have members that are null. */
type ExternalIdClaim = Filled<NonNullable<AuthorityRow['externalIdClaim']>>;

type WithClaim<R> = Omit<R, 'externalIdClaim'> & {
  readonly externalIdClaim: ExternalIdClaim | null;
};

const withClaim = <R extends Pick<AuthorityRow, 'externalIdClaim'>>(row: R): WithClaim<R> => ({
  ...row,
  externalIdClaim: row.externalIdClaim as ExternalIdClaim | null,
});

const BY_ID = { id: 'asc' } as const;

const LOGIN = {
  id: true,
  certPem: true,
  externalIdClaim: true,
  trustedForManagement: true,
} as const;

/** An authority whose certificates allow a login. */
export type LoginAuthority = WithClaim<Selected<'CertificateAuthority', typeof LOGIN>>;

/** The authorities that are verified and enabled for logins. */
export async function enabledForLogin(rows: Rows): Promise<LoginAuthority[]> {
  const where = { isVerified: true, isAuthEnabled: true };
  const authorities = await rows.readModel((models) =>
    models.certificateAuthority.findMany({ where, select: LOGIN, orderBy: BY_ID }),
  );
  return authorities.map(withClaim);
}

/** The certificates of the verified authorities. */
export async function verifiedPems(rows: Rows): Promise<string[]> {
  const authorities = await rows.readModel((models) =>
    models.certificateAuthority.findMany({
      where: { isVerified: true },
      select: { certPem: true },
      orderBy: BY_ID,
    }),
  );
  return authorities.map(({ certPem }) => certPem);
}

type Trust = Pick<AuthorityRow, 'trustedForManagement'>;

/**
 * Locks an authority against changes until the commit; undefined if it is deleted, or not enabled for
 * logins. Models have no locks.
 */
export async function holdForLogin(tx: Rows, id: string): Promise<Trust | undefined> {
  const [authority] = await tx.query(
    sql<Trust>`select trusted_for_management as "trustedForManagement" from certificate_authority
      where id = ${id}::text and is_verified and is_auth_enabled for share`,
  );
  return authority;
}

const ENROLLMENT = {
  ...{ id: true, name: true, certPem: true, isVerified: true, isOttCaEnrollmentEnabled: true },
  ...{ identityRoles: true, identityNameFormat: true, externalIdClaim: true },
  ...{ idleHoursBeforeDeletion: true, newIdentitiesArePending: true },
} as const;

/** An authority whose certificates may enroll. */
export type EnrollingAuthority = WithClaim<Selected<'CertificateAuthority', typeof ENROLLMENT>>;

export async function findToEnroll(
  rows: Rows,
  id: string,
): Promise<EnrollingAuthority | undefined> {
  const authority = await rows.readModel((models) =>
    models.certificateAuthority.findUnique({ where: { id }, select: ENROLLMENT }),
  );
  return authority ? withClaim(authority) : undefined;
}

/** The authorities that are verified and enroll new identities without a token. */
export async function enrollingByThemselves(rows: Rows): Promise<EnrollingAuthority[]> {
  const where = { isVerified: true, isAutoCaEnrollmentEnabled: true };
  const authorities = await rows.readModel((models) =>
    models.certificateAuthority.findMany({ where, select: ENROLLMENT, orderBy: BY_ID }),
  );
  return authorities.map(withClaim);
}

export const exists = async (rows: Rows, id: string): Promise<boolean> =>
  (await rows.readModel((models) =>
    models.certificateAuthority.findUnique({ where: { id }, select: { id: true } }),
  )) !== null;

const CERTIFICATE = { id: true, fingerprint: true, certPem: true } as const;

/** All authorities with their certificates. */
export const certificates = (
  rows: Rows,
): Promise<Selected<'CertificateAuthority', typeof CERTIFICATE>[]> =>
  rows.readModel((models) =>
    models.certificateAuthority.findMany({ select: CERTIFICATE, orderBy: BY_ID }),
  );

type EnrollmentState = Pick<AuthorityRow, 'id' | 'isVerified' | 'isOttCaEnrollmentEnabled'>;

/** Whether authorities enroll by one-time tokens. A statement takes any number of ids. */
export const enrollmentStates = (rows: Rows, ids: readonly string[]): Promise<EnrollmentState[]> =>
  rows.query(
    sql<EnrollmentState>`select id, is_verified as "isVerified",
        is_ott_ca_enrollment_enabled as "isOttCaEnrollmentEnabled"
      from certificate_authority where id = any(${[...new Set(ids)]}::text[])`,
  );

type UsedAuthority = { readonly id: string; readonly uses: number };

/**
 * The authorities that are not verified, with the number of authenticators and enrollments that name
 * them and their open invitation. Models give all rows of relations instead of their number.
 */
export const unverified = (rows: Rows): Promise<UsedAuthority[]> =>
  rows.query(
    sql<UsedAuthority>`select c.id, (select count(*)::int from authenticator a where a.ca_id = c.id)
          + (select count(*)::int from enrollment e where e.ca_id = c.id)
          + c.is_auto_ca_enrollment_enabled::int as uses
        from certificate_authority c where not c.is_verified`,
  );

/** Counts the authorities that give identities role attributes that begin so. Models can not look into lists. */
export async function countByAttributePrefix(rows: Rows, prefix: string): Promise<number> {
  const [row] = await rows.query(
    sql<{ count: number }>`select count(*)::int as count from certificate_authority
      where exists (select 1 from unnest(identity_roles) a where starts_with(a, ${prefix}::text))`,
  );
  return row?.count ?? 0;
}
