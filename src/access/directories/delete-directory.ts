import { readSlices } from '../../base/read-slices.js';
import { directoryGroups, directoryUsers } from '../../data/rows/directory/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { currentRow, originOf, removeIn } from '../../kernel/write/write.js';

/** Deletions of one transaction. */
const SLICE = 100;

/** The users and groups that were deleted with a directory. */
export interface DeletedWithDirectory {
  readonly userCount: number;
  readonly groupCount: number;
}

/**
 * Deletes a directory with its users and groups. A user whom the provider has deleted is deleted with the identity in any
 * case. Many users go in several transactions; after an error the next call goes on where this one has ended.
 */
export async function deleteDirectory(
  ctx: RequestContext,
  directoryId: string,
  deletesIdentities: boolean,
): Promise<DeletedWithDirectory> {
  await deleteTokens(ctx, directoryId);
  // Users come first: a group without members is deleted at once.
  const userCount = await deleteEach(ctx, directoryUsers.idsAfter, directoryId, (tx, id) =>
    deleteUserIn(ctx, tx, id, deletesIdentities),
  );
  const groupCount = await deleteEach(ctx, directoryGroups.after, directoryId, async (tx, id) => {
    const { DirectoryGroup } = ctx.catalog.resources;
    if (await tx.lockRow(DirectoryGroup, id)) await removeIn(ctx, tx, DirectoryGroup, id);
  });
  const { Directory } = ctx.catalog.resources;
  await ctx.store.write(originOf(ctx), (tx) => removeIn(ctx, tx, Directory, directoryId));
  return { userCount, groupCount };
}

/** Before all else: the provider must not write what has just been deleted. */
const deleteTokens = (ctx: RequestContext, directoryId: string): Promise<void> =>
  ctx.store.write(originOf(ctx), async (tx) => {
    const { Directory, DirectoryToken } = ctx.catalog.resources;
    await currentRow(tx, Directory, directoryId);
    for (const { id } of await tx.find(DirectoryToken, { directoryId })) {
      await removeIn(ctx, tx, DirectoryToken, id);
    }
  });

type ReadSlice = typeof directoryUsers.idsAfter;

/** Deletes all entities of a directory; gives their number. */
async function deleteEach(
  ctx: RequestContext,
  read: ReadSlice,
  directoryId: string,
  deleteIn: (tx: Transaction, id: string) => Promise<void>,
): Promise<number> {
  let count = 0;
  const slices = readSlices<{ readonly id: string }>(SLICE, (last) =>
    read(ctx.store, directoryId, last?.id ?? '', SLICE),
  );
  for await (const slice of slices) {
    await ctx.store.write(originOf(ctx), async (tx) => {
      for (const { id } of slice) await deleteIn(tx, id);
    });
    count += slice.length;
  }
  return count;
}

async function deleteUserIn(
  ctx: RequestContext,
  tx: Transaction,
  id: string,
  deletesIdentities: boolean,
): Promise<void> {
  const { DirectoryUser, Identity } = ctx.catalog.resources;
  const user = await tx.lockRow(DirectoryUser, id);
  if (!user) return;
  if (deletesIdentities || user.deletedAt !== null) {
    await removeIn(ctx, tx, Identity, user.identityId);
  } else {
    await removeIn(ctx, tx, DirectoryUser, id);
  }
}
