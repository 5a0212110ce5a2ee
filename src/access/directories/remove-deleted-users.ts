import { ApiError } from '../../base/errors.js';
import { readSlices } from '../../base/read-slices.js';
import { directoryUsers } from '../../data/rows/directory/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { originOf, removeIn } from '../../kernel/write/write.js';

const MAX_STEP = 100;

/** Deletes the identities of users whose time of grace is over. One that can not be deleted stays disabled. */
export async function removeDeletedUsers(
  ctx: RequestContext,
  onRefused: (identityId: string, error: ApiError) => void,
): Promise<void> {
  // One that is refused stays due, and does not hold up those behind it.
  const slices = readSlices<{ id: string }>(MAX_STEP, (last) =>
    directoryUsers.due(ctx.store, { after: last?.id ?? '', limit: MAX_STEP }),
  );
  for await (const users of slices) {
    for (const { id } of users) {
      await removeUser(ctx, id).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        onRefused(id, error);
      });
    }
  }
}

function removeUser(ctx: RequestContext, id: string): Promise<void> {
  const { Identity, DirectoryUser } = ctx.catalog.resources;
  const origin = {
    ...originOf(ctx),
    reason: 'the directory deleted the user',
    overridesRules: true,
  };
  return ctx.store.write(origin, async (tx) => {
    // The provider may have created the user anew.
    const user = await tx.lockRow(DirectoryUser, id);
    if (user && user.deletedAt !== null) await removeIn(ctx, tx, Identity, user.identityId);
  });
}
