import { createHash, randomBytes } from 'node:crypto';
import { invalidField } from '../../base/errors.js';
import { clock } from '../../data/rows/clock/index.js';
import { directories } from '../../data/rows/directory/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { createIn, currentRow } from '../../kernel/write/write.js';

/** One in use, one that replaces it, and some to spare. */
const MAX_TOKENS = 10;

const SECRET_BYTES = 32;

/** Lets people and scanners of secrets see what a text is. */
const MARK = 'ogdir_';

export interface NewDirectoryToken {
  readonly directoryId: string;
  readonly note: string | null;
  readonly expiresAt: Date | null;
}

/** A new token with its secret, which is never shown again. */
export interface IssuedDirectoryToken {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: Date | null;
}

/**
 * Issues a token of a directory.
 * @throws ApiError COULD_NOT_VALIDATE on `expiresAt` or `directoryId`, NOT_FOUND for an unknown directory
 */
export async function issueTokenIn(
  ctx: RequestContext,
  tx: Transaction,
  { directoryId, note, expiresAt }: NewDirectoryToken,
): Promise<IssuedDirectoryToken> {
  const { Directory, DirectoryToken } = ctx.catalog.resources;
  if (expiresAt && expiresAt <= (await clock.now(tx))) {
    throw invalidField('expiresAt', 'must be in the future', expiresAt);
  }
  await currentRow(tx, Directory, directoryId);
  if ((await directories.countTokens(tx, directoryId)) >= MAX_TOKENS) {
    const reason = `the directory has ${String(MAX_TOKENS)} tokens: delete one first`;
    throw invalidField('directoryId', reason, directoryId);
  }
  const token = MARK + randomBytes(SECRET_BYTES).toString('base64url');
  const values = { directoryId, note, expiresAt, tokenHash: hashOf(token) };
  return { id: await createIn(ctx, tx, DirectoryToken, values), token, expiresAt };
}

/** The secret is random, so that a plain hash does not help to guess it. */
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Gives the id of the directory whose token this is; undefined for a text that is none, or has expired. */
export async function directoryOfToken(
  { store }: RequestContext,
  token: string,
): Promise<string | undefined> {
  if (!token.startsWith(MARK)) return undefined;
  const owner = await directories.ownerOfToken(store, hashOf(token));
  if (owner?.isUseDue) await directories.storeUse(store, owner.tokenId);
  return owner?.directoryId;
}
