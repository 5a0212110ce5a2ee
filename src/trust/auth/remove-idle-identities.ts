import { ApiError } from '../../base/errors.js';
import { inSteps } from '../../base/in-steps.js';
import { readSlices } from '../../base/read-slices.js';
import { createdIdentities } from '../../data/rows/identity/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { originOf, removeIn } from '../../kernel/write/write.js';

const MAX_STEP = 100;

/**
 * Deletes the identities that first logins created and that had no API session for as long as their signer says. One
 * that can not be deleted stays.
 */
export async function removeIdleIdentities(
  ctx: RequestContext,
  onRefused: (identityId: string, error: ApiError) => void,
): Promise<void> {
  await inSteps(MAX_STEP, () => createdIdentities.storeUsesBySessions(ctx.store, MAX_STEP));
  // One that is refused stays idle, and does not hold up those behind it.
  const slices = readSlices<{ id: string }>(MAX_STEP, (last) =>
    createdIdentities.idle(ctx.store, { after: last?.id ?? '', limit: MAX_STEP }),
  );
  for await (const idle of slices) {
    for (const { id } of idle) {
      await removeIdentity(ctx, id).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        onRefused(id, error);
      });
    }
  }
}

function removeIdentity(ctx: RequestContext, id: string): Promise<void> {
  const { Identity } = ctx.catalog.resources;
  const reason = 'it had no API session for as long as its signer says';
  const origin = { ...originOf(ctx), reason, overridesRules: true };
  return ctx.store.write(origin, async (tx) => {
    const identity = await tx.lockRow(Identity, id);
    // Somebody may have just logged in.
    if (identity && (await createdIdentities.isIdle(tx, id))) await removeIn(ctx, tx, Identity, id);
  });
}
