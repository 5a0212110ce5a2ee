import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected, TableRow } from '../../prisma/models.js';
import { prefixOwners, type ReservedPrefix } from '../role-assignment/index.js';
import { CLAIM_RULES } from './claim-rules.js';
import { sourceOfSigner } from './signer-source.js';

/* Issuers of JWTs by which identities log in and prove a second factor. */

const SIGNER = {
  ...CLAIM_RULES,
  ...{ createdAt: true, issuer: true, audience: true, enabled: true, adminClaims: true },
  ...{ certPem: true, kid: true, jwksEndpoint: true, claimsProperty: true, useExternalId: true },
  ...{ externalAuthUrl: true, clientId: true, scopes: true },
} as const;

/** A signer with what the verification of its JWTs, and clients that need one, ask. */
export type KnownSigner = Selected<'ExternalJwtSigner', typeof SIGNER>;

export const all = (rows: Rows): Promise<KnownSigner[]> =>
  rows.readModel((models) =>
    models.externalJwtSigner.findMany({ select: SIGNER, orderBy: { id: 'asc' } }),
  );

/** Gives those of the prefixes of role attributes that signers own. */
export async function reservedPrefixes(
  rows: Rows,
  prefixes: readonly string[],
): Promise<ReservedPrefix[]> {
  const owners = await rows.query(
    sql<prefixOwners.PrefixOwner>`select ${prefixOwners.COLUMNS} from external_jwt_signer where ${prefixOwners.ownsOneOf(prefixes)}`,
  );
  return prefixOwners.reservedBy(owners, 'the external JWT signer', sourceOfSigner);
}

type Trust = Pick<TableRow<'ExternalJwtSigner'>, 'trustedForManagement' | 'adminClaims'>;

/**
 * Locks a signer against changes until the commit; undefined if it is deleted or not enabled. Models
 * have no locks.
 */
export async function holdEnabled(tx: Rows, id: string): Promise<Trust | undefined> {
  const [signer] = await tx.query(
    sql<Trust>`select trusted_for_management as "trustedForManagement", admin_claims as "adminClaims"
      from external_jwt_signer
      where id = ${id}::text and enabled for share`,
  );
  return signer;
}

/** Locks a signer against changes until the commit; false if it changed since it was read. Models have no locks. */
export async function holdUnchanged(
  tx: Rows,
  { id, revision }: Pick<KnownSigner, 'id' | 'revision'>,
): Promise<boolean> {
  const signers = await tx.query(
    sql<{ id: string }>`select id from external_jwt_signer
      where id = ${id}::text and revision = ${revision}::int for share`,
  );
  return signers.length > 0;
}
