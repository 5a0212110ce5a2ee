import { inSteps } from '../../base/in-steps.js';
import { accessRequests } from '../../data/rows/access-request/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { deleteIn, originOf } from '../../kernel/write/write.js';

const MAX_STEP = 500;

/** Deletes requests that were settled more than this time ago: the change log is as old. */
export async function removeSettledRequests(ctx: RequestContext, keepMs: number): Promise<void> {
  const resource = ctx.catalog.resources.AccessRequest;
  await inSteps(MAX_STEP, async () => {
    const ids = await accessRequests.settledBefore(ctx.store, keepMs, MAX_STEP);
    if (ids.length === 0) return 0;
    await ctx.store.write(originOf(ctx), async (tx) => {
      await deleteIn(ctx, tx, resource, await tx.lock(resource, ids));
    });
    return ids.length;
  });
}
