import { together } from '../../base/together.js';
import { clock } from '../../data/rows/clock/index.js';
import { timedIdentities } from '../../data/rows/identity/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { originOf, patchIn } from '../../kernel/write/write.js';
import { endSessionsOfIdentity } from '../../trust/auth/index.js';
import { timedStateAt } from './identity-times.js';

/** Identities of one step: each may have many sessions to end. */
const MAX_IDENTITIES = 20;

/**
 * Stores that some identities whose time has come begin or end, and ends the sessions of the latter. Several controllers
 * may do so at once. Gives their number.
 */
export async function moveDueIdentities(ctx: RequestContext): Promise<number> {
  const ids = await timedIdentities.due(ctx.store, MAX_IDENTITIES);
  if (ids.length === 0) return 0;
  const reason = 'the times of identities have begun or ended';
  const origin = { ...originOf(ctx), reason, overridesRules: true };
  return ctx.store.write(origin, (tx) => moveIn(ctx, tx, ids));
}

/** Decides anew under the locks: others may have moved, changed or deleted the identities meanwhile. */
async function moveIn(
  ctx: RequestContext,
  tx: Transaction,
  ids: readonly string[],
): Promise<number> {
  const { Identity } = ctx.catalog.resources;
  const identities = await tx.lock(Identity, ids);
  const now = await clock.now(tx);
  const due = identities.filter(({ nextChangeAt }) => nextChangeAt !== null && nextChangeAt <= now);
  await together(
    due.map(async (identity) => {
      const state = timedStateAt(identity, now);
      await patchIn(tx, Identity, identity, state);
      if (state.isOutsideTimes) await endSessionsOfIdentity(ctx, tx, identity.id);
    }),
  );
  return due.length;
}
