import { accessRequests } from '../../data/rows/access-request/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { deleteIn, originOf } from '../../kernel/write/write.js';

const MAX_STEP = 500;

/** Deletes requests that were settled more than this time ago: the change log is as old. */
export async function removeSettledRequests(ctx: RequestContext, keepMs: number): Promise<void> {
  const resource = ctx.catalog.resources.AccessRequest;
  for (let count = MAX_STEP; count === MAX_STEP;) {
    const ids = await accessRequests.settledBefore(ctx.store, keepMs, MAX_STEP);
    count = ids.length;
    if (count === 0) return;
    await ctx.store.write(originOf(ctx), async (tx) => {
      await deleteIn(ctx, tx, resource, await tx.lock(resource, ids));
    });
  }
}
