import { column, sql, type Queryable, type Sql } from '../base/sql.js';
import type { AuthPolicySettings, Rights } from './rules/index.js';

/** The rule of `isDisabled` in SQL, for a row of the table `identity`. */
export function isDisabledSql(alias: string, now: Date): Sql {
  const until = column(alias, 'disabled_until');
  return sql`(${column(alias, 'disabled_at')} is not null and (${until} is null or ${until} > ${now}::timestamptz))`;
}

const disabledColumn = (now: Date): Sql => sql`${isDisabledSql('i', now)} as disabled`;

/** An identity with the rules of its auth policy. */
export type PolicedIdentityRow = Rights &
  AuthPolicySettings & {
    readonly id: string;
    readonly auth_policy_id: string;
    readonly disabled: boolean;
  };

/**
 * Finds the identity that a token of an external signer names, by its id or its external id. A login
 * and a second factor both ask here.
 */
export async function findClaimedIdentity(
  store: Queryable,
  { useExternalId }: { readonly useExternalId: boolean },
  claim: string,
  now: Date,
): Promise<PolicedIdentityRow | undefined> {
  // PostgreSQL refuses NUL in texts and in parameters.
  if (claim.includes('\0')) return undefined;
  const key = claimedColumn(useExternalId);
  const [row] = await store.query(
    sql<PolicedIdentityRow>`select i.id, i.auth_policy_id, i.is_admin as "isAdmin", i.permissions, p."primary", p.secondary,
        ${disabledColumn(now)}
      from identity i join auth_policy p on p.id = i.auth_policy_id where ${key} = ${claim}::text`,
  );
  return row;
}

const claimedColumn = (useExternalId: boolean): Sql =>
  useExternalId ? sql`i.external_id` : sql`i.id`;

/**
 * The ids of at most two identities with a claim in other upper or lower case. It reads all
 * identities, but only a valid token of a signer leads here.
 */
export async function identitiesInOtherCase(
  store: Queryable,
  { useExternalId }: { readonly useExternalId: boolean },
  claim: string,
): Promise<string[]> {
  if (claim.includes('\0')) return [];
  const rows = await store.query(
    sql<{ id: string }>`select i.id from identity i
      where lower(${claimedColumn(useExternalId)}) = lower(${claim}::text collate "C") order by i.id limit 2`,
  );
  return rows.map(({ id }) => id);
}

/** The identity of a certificate, with the rules of its auth policy. */
export type CertifiedIdentityRow = AuthPolicySettings & {
  readonly identity_id: string;
  readonly authenticator_id: string;
  readonly auth_policy_id: string;
  readonly is_issued_by_network: boolean;
  /** The flag of its authenticator, if it has one. */
  readonly resolved_to_root?: boolean;
  readonly disabled: boolean;
};

/** The authenticator id for logins by an external id: such identities have no authenticator. */
const INTERNAL = 'internal';

/** Finds the identity with an external id. */
export async function findIdentityByExternalId(
  store: Queryable,
  externalId: string,
  now: Date,
): Promise<(CertifiedIdentityRow & Rights) | undefined> {
  const [row] = await store.query(
    sql<
      CertifiedIdentityRow & Rights
    >`select i.id as identity_id, i.auth_policy_id, ${INTERNAL}::text as authenticator_id, false as is_issued_by_network,
        i.is_admin as "isAdmin", i.permissions, p."primary", p.secondary, ${disabledColumn(now)}
      from identity i join auth_policy p on p.id = i.auth_policy_id where i.external_id = ${externalId}::text`,
  );
  return row;
}

/** Finds the identity with an authenticator for the certificate with this fingerprint. */
export async function findIdentityByFingerprint(
  store: Queryable,
  fingerprint: string,
  now: Date,
): Promise<CertifiedIdentityRow | undefined> {
  const [row] = await store.query(
    sql<CertifiedIdentityRow>`select i.id as identity_id, i.auth_policy_id, a.id as authenticator_id, a.is_issued_by_network, a.last_auth_resolved_to_root as resolved_to_root, p."primary", p.secondary, ${disabledColumn(now)}
      from authenticator a join identity i on i.id = a.identity_id join auth_policy p on p.id = i.auth_policy_id
      where a.method = 'cert' and a.fingerprint = ${fingerprint}::text`,
  );
  return row;
}

type EnabledIdentityRow = Rights & { readonly is_mfa_enabled: boolean };

/**
 * Locks an identity against being disabled, deleted or given rights until the commit; undefined if
 * it is disabled or deleted already.
 */
export async function holdEnabledIdentity(
  tx: Queryable,
  id: string,
  now: Date,
): Promise<EnabledIdentityRow | undefined> {
  const [row] = await tx.query(
    sql<EnabledIdentityRow>`select is_mfa_enabled, is_admin as "isAdmin", permissions from identity i where id = ${id}::text
          and not ${isDisabledSql('i', now)} for share`,
  );
  return row;
}

/** The rights of identities by id. */
export const rightsOfIdentities = (
  store: Queryable,
  ids: readonly string[],
): Promise<({ id: string } & Rights)[]> =>
  store.query(
    sql<{ id: string } & Rights>`select id, is_admin as "isAdmin", permissions from identity
      where id = any(${[...new Set(ids)]}::text[])`,
  );

/** The rights of identities under an auth policy, without those that have no rights. */
export const rightsUnderAuthPolicy = (tx: Queryable, authPolicyId: string): Promise<Rights[]> =>
  tx.query(
    sql<Rights>`select is_admin as "isAdmin", permissions from identity
      where auth_policy_id = ${authPolicyId}::text and (is_admin or permissions <> '{}')`,
  );

/** Stores the environment and the SDK of an identity's client. */
export const storeClientInfo = (
  store: Queryable,
  id: string,
  { envInfo, sdkInfo }: { readonly envInfo: object; readonly sdkInfo: object },
): Promise<unknown> =>
  store.query(
    sql`update identity set env_info = ${JSON.stringify(envInfo)}::jsonb, sdk_info = ${JSON.stringify(sdkInfo)}::jsonb
        where id = ${id}::text`,
  );
