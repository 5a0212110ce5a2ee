import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected, TableRow } from '../../prisma/models.js';
import { clock } from '../clock/index.js';
import { prefixOwners, type ReservedPrefix } from '../role-assignment/index.js';

/** The source of the role assignments of a directory. */
export const sourceOf = (directoryId: string): string => `directory:${directoryId}`;

/** Gives those of the prefixes that directories own. */
export async function reservedPrefixes(
  rows: Rows,
  prefixes: readonly string[],
): Promise<ReservedPrefix[]> {
  const owners = await rows.query(
    sql<prefixOwners.PrefixOwner>`select ${prefixOwners.COLUMNS} from directory where ${prefixOwners.ownsOneOf(prefixes)}`,
  );
  return prefixOwners.reservedBy(owners, 'the directory', sourceOf);
}

/** The directory of a token that counts. */
export type TokenOwner = Pick<TableRow<'DirectoryToken'>, 'directoryId'> & {
  readonly tokenId: string;
  /** Whether its last use is to be stored, which is done at most once a minute. */
  readonly isUseDue: boolean;
};

/** Finds the directory of a token by the hash of its secret. Models do not compare with the clock of the database. */
export async function ownerOfToken(rows: Rows, tokenHash: string): Promise<TokenOwner | undefined> {
  const [owner] = await rows.query(
    sql<TokenOwner>`select id as "tokenId", directory_id as "directoryId",
        (last_used_at is null or last_used_at <= ${clock.NOW} - interval '1 minute') as "isUseDue"
      from directory_token where token_hash = ${tokenHash}::text
        and (expires_at is null or expires_at > ${clock.NOW})`,
  );
  return owner;
}

/** Stores the use of a token. It is not logged, since it is no change of the directory. */
export const storeUse = (rows: Rows, tokenId: string): Promise<unknown> =>
  rows.query(
    sql`update directory_token set last_used_at = ${clock.NOW} where id = ${tokenId}::text`,
  );

/** Counts the tokens of a directory, which no other transaction changes meanwhile. */
export const countTokens = (tx: Rows, directoryId: string): Promise<number> =>
  tx.readModel((models) => models.directoryToken.count({ where: { directoryId } }));

const DIRECTORY = {
  ...{ id: true, name: true, kind: true, roleAttributePrefix: true, externalIdSource: true },
  ...{ authPolicyId: true, deletionGraceMinutes: true, newIdentitiesArePending: true },
} as const;

export type DirectoryRow = Selected<'Directory', typeof DIRECTORY>;

export const byId = (rows: Rows, id: string): Promise<DirectoryRow | null> =>
  rows.readModel((models) => models.directory.findUnique({ where: { id }, select: DIRECTORY }));
