import { roleAssignments } from '../../data/rows/role-assignment/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { deleteIn, originOf } from '../../kernel/write/write.js';

const MAX_STEP = 500;

/** Deletes assignments that ended more than this time ago. */
export async function removeEndedAssignments(ctx: RequestContext, keepMs: number): Promise<void> {
  const resource = ctx.catalog.resources.RoleAssignment;
  for (let count = MAX_STEP; count === MAX_STEP;) {
    const ids = await roleAssignments.endedBefore(ctx.store, keepMs, MAX_STEP);
    count = ids.length;
    if (count === 0) return;
    await ctx.store.write(originOf(ctx), async (tx) => {
      const rows = await tx.lock(resource, ids);
      await deleteIn(
        ctx,
        tx,
        resource,
        rows.filter(({ state }) => state === 'ENDED'),
      );
    });
  }
}
