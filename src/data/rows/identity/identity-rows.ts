import { sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import { jsonValue } from '../../prisma/model-values.js';
import type { Selected, TableRow } from '../../prisma/models.js';
import { isDisabledSql } from './login-rules.js';

type IdentityRow = TableRow<'Identity'>;

type Rights = Pick<IdentityRow, 'isAdmin' | 'permissions'>;

/** The condition that an identity has rights in the management of the network. */
export const HAS_RIGHTS = { NOT: { isAdmin: false, permissions: { isEmpty: true } } } as const;

export const isNameTaken = async (rows: Rows, name: string): Promise<boolean> =>
  (await rows.readModel((models) =>
    models.identity.findUnique({ where: { name }, select: { id: true } }),
  )) !== null;

/**
 * Finds an identity by id or else by name; `visible` is a condition on the alias `e`, which models can
 * not take.
 */
export async function findIdByIdOrName(
  rows: Rows,
  idOrName: string,
  visible: Sql,
): Promise<string | undefined> {
  const [identity] = await rows.query(
    sql<{ id: string }>`select e.id from identity e
          where (e.id = ${idOrName}::text or e.name = ${idOrName}::text) and ${visible}
          order by e.id = ${idOrName}::text desc limit 1`,
  );
  return identity?.id;
}

/** An identity that logs in, with what its client has said of itself before. */
export type HeldIdentity = Rights &
  Pick<IdentityRow, 'isMfaEnabled' | 'envInfo' | 'sdkInfo' | 'lastUsedAt'>;

/** The columns of an identity `i` that logs in. */
export const HELD_IDENTITY: Sql = sql`i.is_mfa_enabled as "isMfaEnabled", i.is_admin as "isAdmin", i.permissions,
  i.env_info as "envInfo", i.sdk_info as "sdkInfo", i.last_used_at as "lastUsedAt"`;

/**
 * Locks an identity against being disabled, deleted or given rights until the commit; undefined if
 * it is disabled or deleted already. Models have no locks.
 */
export async function holdEnabled(
  tx: Rows,
  id: string,
  now: Date,
): Promise<HeldIdentity | undefined> {
  const [identity] = await tx.query(
    sql<HeldIdentity>`select ${HELD_IDENTITY} from identity i
      where id = ${id}::text and not ${isDisabledSql('i', now)} for share`,
  );
  return identity;
}

const DISABLING = {
  ...{ validFrom: true, validUntil: true, disabledAt: true, disabledUntil: true },
} as const;

/** All times by which an identity is disabled, now or at a time to come. */
export const disablingTimesOf = (
  rows: Rows,
  id: string,
): Promise<Selected<'Identity', typeof DISABLING> | null> =>
  rows.readModel((models) => models.identity.findUnique({ where: { id }, select: DISABLING }));

type KnownRights = Rights & Pick<IdentityRow, 'id'>;

/** The rights of identities by id. A statement takes any number of ids. */
export const rightsOf = (rows: Rows, ids: readonly string[]): Promise<KnownRights[]> =>
  rows.query(
    sql<KnownRights>`select id, is_admin as "isAdmin", permissions from identity
      where id = any(${[...new Set(ids)]}::text[])`,
  );

/** The rights of identities under an auth policy, without those that have no rights. */
export const rightsUnderPolicy = (rows: Rows, authPolicyId: string): Promise<Rights[]> =>
  rows.readModel((models) =>
    models.identity.findMany({
      where: { authPolicyId, ...HAS_RIGHTS },
      select: { isAdmin: true, permissions: true },
    }),
  );

/** The names that other systems have for an identity. */
export type IdentityKeys = Pick<IdentityRow, 'id' | 'externalId'>;

/** How one of them names an identity. */
export type IdentityKey = { readonly id: string } | { readonly externalId: string };

/** Finds an identity by its id or its external id. */
export const byKey = (rows: Rows, key: IdentityKey): Promise<IdentityKeys | null> =>
  rows.readModel((models) =>
    models.identity.findUnique({ where: key, select: { id: true, externalId: true } }),
  );

/** Counts the identities with role attributes written on them that begin so. Models can not look into lists. */
export async function countByAttributePrefix(rows: Rows, prefix: string): Promise<number> {
  const [row] = await rows.query(
    sql<{ count: number }>`select count(*)::int as count from identity
      where exists (select 1 from unnest(role_attributes) a where starts_with(a, ${prefix}::text))`,
  );
  return row?.count ?? 0;
}

const ADMIN = { id: true, authPolicy: { select: { secondary: true } } } as const;

/** The administrators who have not set up one-time codes, by id, with the factors that they need. */
export const adminsWithoutMfa = (rows: Rows): Promise<Selected<'Identity', typeof ADMIN>[]> =>
  rows.readModel((models) =>
    models.identity.findMany({
      where: { isAdmin: true, isMfaEnabled: false },
      select: ADMIN,
      orderBy: { id: 'asc' },
    }),
  );

/** The signer or the authority whose first login created an identity. */
export type IdentityCreator =
  { readonly createdBySignerId: string } | { readonly createdByAuthorityId: string };

/** Counts the identities that first logins created. */
export const countCreatedBy = (rows: Rows, creator: IdentityCreator): Promise<number> =>
  rows.readModel((models) => models.identity.count({ where: creator }));

/** Stores the environment and the SDK of an identity's client. */
export const storeClientInfo = (
  rows: Rows,
  id: string,
  { envInfo, sdkInfo }: { readonly envInfo: object; readonly sdkInfo: object },
): Promise<unknown> =>
  rows.writeModel((models) =>
    models.identity.updateMany({
      where: { id },
      data: { envInfo: jsonValue(envInfo), sdkInfo: jsonValue(sdkInfo) },
    }),
  );
