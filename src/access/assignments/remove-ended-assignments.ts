import { inSteps } from '../../base/in-steps.js';
import { roleAssignments } from '../../data/rows/role-assignment/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { deleteIn, originOf } from '../../kernel/write/write.js';

const MAX_STEP = 500;

/** Deletes assignments that ended more than this time ago. */
export async function removeEndedAssignments(ctx: RequestContext, keepMs: number): Promise<void> {
  const resource = ctx.catalog.resources.RoleAssignment;
  await inSteps(MAX_STEP, async () => {
    const ids = await roleAssignments.endedBefore(ctx.store, keepMs, MAX_STEP);
    if (ids.length === 0) return 0;
    await ctx.store.write(originOf(ctx), async (tx) => {
      const rows = await tx.lock(resource, ids);
      await deleteIn(
        ctx,
        tx,
        resource,
        rows.filter(({ state }) => state === 'ENDED'),
      );
    });
    return ids.length;
  });
}
