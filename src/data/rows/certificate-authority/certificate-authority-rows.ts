import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import { NO_JSON } from '../../prisma/model-values.js';
import type { Selected, TableRow } from '../../prisma/models.js';
import { CLAIM_RULES } from '../external-jwt-signer/index.js';
import { prefixOwners, type ReservedPrefix } from '../role-assignment/index.js';
import { sourceOfAuthority } from './authority-source.js';

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
  ...CLAIM_RULES,
  ...{ certPem: true, isVerified: true, isAuthEnabled: true, externalIdClaim: true },
  ...{ bundleEndpoint: true, bundleRoots: true, svidPathTemplate: true },
  ...{ identityRoles: true, idleHoursBeforeDeletion: true },
} as const;

const HAS_BUNDLE = { bundleEndpoint: { not: NO_JSON } };

/** An authority of logins. */
export type LoginAuthority = WithClaim<Selected<'CertificateAuthority', typeof LOGIN>>;

/**
 * The authorities that decide logins: those that are verified and enabled for them. Those of trust domains are there
 * in any state, since no other authority speaks for their trust domain.
 */
export async function ofLogins(rows: Rows): Promise<LoginAuthority[]> {
  const where = { OR: [{ isVerified: true, isAuthEnabled: true }, HAS_BUNDLE] };
  const authorities = await rows.readModel((models) =>
    models.certificateAuthority.findMany({ where, select: LOGIN, orderBy: BY_ID }),
  );
  return authorities.map(withClaim);
}

const PEMS = { certPem: true, bundleRoots: true } as const;

/** The certificates of the verified authorities. */
export const verifiedPems = (
  rows: Rows,
): Promise<Selected<'CertificateAuthority', typeof PEMS>[]> =>
  rows.readModel((models) =>
    models.certificateAuthority.findMany({
      where: { isVerified: true },
      select: PEMS,
      orderBy: BY_ID,
    }),
  );

const BUNDLE = {
  ...{ id: true, bundleEndpoint: true, bundleRoots: true, bundleState: true },
} as const;

type BundleRow = Selected<'CertificateAuthority', typeof BUNDLE>;

/** An authority whose certificates come from the bundle of a trust domain. */
export type BundleAuthority = BundleRow & {
  readonly bundleEndpoint: NonNullable<BundleRow['bundleEndpoint']>;
};

export async function withBundles(rows: Rows): Promise<BundleAuthority[]> {
  const authorities = await rows.readModel((models) =>
    models.certificateAuthority.findMany({ where: HAS_BUNDLE, select: BUNDLE, orderBy: BY_ID }),
  );
  return authorities.filter((row): row is BundleAuthority => row.bundleEndpoint !== null);
}

/** Stores the outcome of a download that changes no certificate. */
export const storeBundleState = (
  tx: Rows,
  id: string,
  { sequence, downloadedAt, nextAt, error }: NonNullable<BundleRow['bundleState']>,
): Promise<unknown> =>
  tx.writeModel((models) =>
    models.certificateAuthority.updateMany({
      where: { id },
      data: { bundleState: { sequence, downloadedAt, nextAt, error } },
    }),
  );

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

/** Locks an authority against changes until the commit; false if it changed since it was read. Models have no locks. */
export async function holdUnchanged(
  tx: Rows,
  { id, revision }: Pick<LoginAuthority, 'id' | 'revision'>,
): Promise<boolean> {
  const authorities = await tx.query(
    sql<{ id: string }>`select id from certificate_authority
      where id = ${id}::text and revision = ${revision}::int for share`,
  );
  return authorities.length > 0;
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

/** The authorities with certificates of their own. */
export const certificates = (
  rows: Rows,
): Promise<Selected<'CertificateAuthority', typeof CERTIFICATE>[]> =>
  rows.readModel((models) =>
    models.certificateAuthority.findMany({
      where: { certPem: { not: '' } },
      select: CERTIFICATE,
      orderBy: BY_ID,
    }),
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
 * them and their open invitation. Models count along relations alone, and
 * the schema has none here: both name authorities that may be deleted.
 */
export const unverified = (rows: Rows): Promise<UsedAuthority[]> =>
  rows.query(
    sql<UsedAuthority>`select c.id, (select count(*)::int from authenticator a where a.ca_id = c.id)
          + (select count(*)::int from enrollment e where e.ca_id = c.id)
          + c.is_auto_ca_enrollment_enabled::int as uses
        from certificate_authority c where not c.is_verified`,
  );

/** Gives those of the prefixes of role attributes that authorities own. */
export async function reservedPrefixes(
  rows: Rows,
  prefixes: readonly string[],
): Promise<ReservedPrefix[]> {
  const owners = await rows.query(
    sql<prefixOwners.PrefixOwner>`select ${prefixOwners.COLUMNS} from certificate_authority where ${prefixOwners.ownsOneOf(prefixes)}`,
  );
  return prefixOwners.reservedBy(owners, 'the certificate authority', sourceOfAuthority);
}

/** Counts the authorities that give identities role attributes that begin so. Models can not look into lists. */
export async function countByAttributePrefix(rows: Rows, prefix: string): Promise<number> {
  const [row] = await rows.query(
    sql<{ count: number }>`select count(*)::int as count from certificate_authority
      where exists (select 1 from unnest(identity_roles) a where starts_with(a, ${prefix}::text))`,
  );
  return row?.count ?? 0;
}
