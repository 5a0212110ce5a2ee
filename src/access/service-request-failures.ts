import type { RequestContext } from '../kernel/request/context.js';
import { originOf } from '../kernel/write/write.js';
import type { FailedServiceRequest } from '../posture/index.js';
import {
  deleteOldFailures,
  failuresOf,
  insertFailure,
  repeatsLastFailure,
} from './service-request-failure-table.js';

/** How many are kept of an identity. */
const KEPT = 100;

/** The last requests for services that posture refused to each identity, newest last. */
export async function failedServiceRequests(
  ctx: RequestContext,
  identityIds: readonly string[],
): Promise<FailedServiceRequest[][]> {
  const rows = await failuresOf(ctx.store, identityIds);
  return identityIds.map((id) =>
    rows.filter((row) => row.identity_id === id).map((row) => row.failure),
  );
}

/**
 * Keeps a refusal. The first of its kind is a record of the change log too, so that the client looks
 * at its services again; the same once more tells it nothing new.
 */
export async function recordFailure(
  ctx: RequestContext,
  identityId: string,
  failed: FailedServiceRequest,
): Promise<void> {
  await ctx.store.write(originOf(ctx), async (tx) => {
    const isRepeated = await repeatsLastFailure(tx, identityId, failed);
    const revision = await insertFailure(tx, identityId, failed);
    await deleteOldFailures(tx, identityId, KEPT);
    if (revision === undefined || isRepeated) return;
    tx.record({
      resource: 'ServiceRequestFailure',
      id: identityId,
      operation: 'create',
      revision,
      before: null,
      after: null,
    });
  });
}
