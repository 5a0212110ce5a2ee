import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected, TableRow } from '../../prisma/models.js';
import {
  ownsOneOf,
  PREFIX_OWNER,
  reservedBy,
  type PrefixOwner,
  type ReservedPrefix,
} from '../role-assignment/index.js';

/** The source of the role assignments of a directory. */
export const sourceOf = (directoryId: string): string => `directory:${directoryId}`;

/** Gives those of the prefixes that directories own. */
export async function reservedPrefixes(
  rows: Rows,
  prefixes: readonly string[],
): Promise<ReservedPrefix[]> {
  const owners = await rows.query(
    sql<PrefixOwner>`select ${PREFIX_OWNER} from directory where ${ownsOneOf(prefixes)}`,
  );
  return reservedBy(owners, 'the directory', sourceOf);
}

/** The directory of a token that counts. */
export type TokenOwner = Pick<TableRow<'DirectoryToken'>, 'directoryId' | 'lastUsedAt'> & {
  readonly tokenId: string;
};

/** Finds the directory of a token by the hash of its secret. */
export async function ownerOfToken(
  rows: Rows,
  tokenHash: string,
  now: Date,
): Promise<TokenOwner | undefined> {
  const token = await rows.readModel((models) =>
    models.directoryToken.findUnique({
      where: { tokenHash },
      select: { id: true, directoryId: true, expiresAt: true, lastUsedAt: true },
    }),
  );
  if (!token || (token.expiresAt !== null && token.expiresAt <= now)) return undefined;
  const { id, directoryId, lastUsedAt } = token;
  return { tokenId: id, directoryId, lastUsedAt };
}

/** Stores the use of a token. It is not logged, since it is no change of the directory. */
export const storeUse = (rows: Rows, tokenId: string, now: Date): Promise<unknown> =>
  rows.writeModel((models) =>
    models.directoryToken.updateMany({ where: { id: tokenId }, data: { lastUsedAt: now } }),
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
