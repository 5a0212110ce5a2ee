import { inSteps } from '../../base/in-steps.js';
import { together } from '../../base/together.js';
import { clock } from '../../data/rows/clock/index.js';
import { timedIdentities } from '../../data/rows/identity/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { originOf, patchIn } from '../../kernel/write/write.js';
import { isSwitchedOff } from './disabled-identity.js';

const MAX_STEP = 200;

/**
 * Stores that identities are enabled whose time of being disabled is over by the clock of the database. They can log in
 * before as well; routers learn of it by the change. Several controllers may do so at once.
 */
export async function enableOverdue(ctx: RequestContext): Promise<void> {
  const resource = ctx.catalog.resources.Identity;
  const origin = { ...originOf(ctx), reason: 'the time is over', overridesRules: true };
  await inSteps(MAX_STEP, async () => {
    const ids = await timedIdentities.overdue(ctx.store, MAX_STEP);
    if (ids.length === 0) return 0;
    await ctx.store.write(origin, async (tx) => {
      const locked = await tx.lock(resource, ids);
      const now = await clock.now(tx);
      // Another request may have disabled it again.
      const overdue = locked.filter((one) => one.disabledAt !== null && !isSwitchedOff(one, now));
      const enabled = { disabledAt: null, disabledUntil: null };
      await together(overdue.map((identity) => patchIn(tx, resource, identity, enabled)));
    });
    return ids.length;
  });
}
