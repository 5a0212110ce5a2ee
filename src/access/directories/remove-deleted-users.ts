import { ApiError } from '../../base/errors.js';
import { directoryUsers } from '../../data/rows/directory/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { originOf, removeIn } from '../../kernel/write/write.js';

const MAX_STEP = 100;

/** Deletes the identities of users whose time of grace is over. One that can not be deleted stays disabled. */
export async function removeDeletedUsers(
  ctx: RequestContext,
  onRefused: (identityId: string, error: ApiError) => void,
): Promise<void> {
  const { Identity, DirectoryUser } = ctx.catalog.resources;
  const origin = {
    ...originOf(ctx),
    reason: 'the directory deleted the user',
    overridesRules: true,
  };
  for (const id of await directoryUsers.due(ctx.store, ctx.now(), MAX_STEP)) {
    try {
      await ctx.store.write(origin, async (tx) => {
        // The provider may have created the user anew.
        const user = await tx.lockRow(DirectoryUser, id);
        if (user && user.deletedAt !== null) await removeIn(ctx, tx, Identity, user.identityId);
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      onRefused(id, error);
    }
  }
}
