import { ApiError } from '../../base/errors.js';
import { inSteps } from '../../base/in-steps.js';
import { readSlices } from '../../base/read-slices.js';
import { idleIdentities, type IdleIdentity } from '../../data/rows/identity/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { originOf, removeIn } from '../../kernel/write/write.js';

const MAX_STEP = 100;

/**
 * Deletes the identities that had no API session for as many hours as they say themselves, or as many days as the signer
 * says whose first login created them. One that can not be deleted stays.
 */
export async function removeIdleIdentities(
  ctx: RequestContext,
  onRefused: (identityId: string, error: ApiError) => void,
): Promise<void> {
  await inSteps(MAX_STEP, () => idleIdentities.storeUsesBySessions(ctx.store, MAX_STEP));
  // One that is refused stays idle, and does not hold up those behind it.
  const slices = readSlices<IdleIdentity>(MAX_STEP, (last) =>
    idleIdentities.idle(ctx.store, { after: last?.id ?? '', limit: MAX_STEP }),
  );
  for await (const idle of slices) {
    for (const identity of idle) {
      await removeIdentity(ctx, identity).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        onRefused(identity.id, error);
      });
    }
  }
}

function removeIdentity(ctx: RequestContext, { id, idleHours }: IdleIdentity): Promise<void> {
  const { Identity } = ctx.catalog.resources;
  const idleTime = idleHours === null ? 'as long as its signer says' : hoursText(idleHours);
  const reason = `it had no API session for ${idleTime}`;
  const origin = { ...originOf(ctx), reason, overridesRules: true };
  return ctx.store.write(origin, async (tx) => {
    const identity = await tx.lockRow(Identity, id);
    // Somebody may have just logged in.
    if (identity && (await idleIdentities.isIdle(tx, id))) await removeIn(ctx, tx, Identity, id);
  });
}

const hoursText = (hours: number): string => (hours === 1 ? 'an hour' : `${String(hours)} hours`);
