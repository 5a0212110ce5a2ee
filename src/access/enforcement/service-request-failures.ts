import { requestFailures } from '../../data/rows/service/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { originOf } from '../../kernel/write/write.js';
import type { FailedServiceRequest } from '../../trust/posture/index.js';

/** Number of failures that are stored for an identity. */
const MAX_STORED_FAILURES = 100;

/** The last refused service requests of each identity, newest last. */
export async function failedServiceRequests(
  ctx: RequestContext,
  identityIds: readonly string[],
): Promise<FailedServiceRequest[][]> {
  const rows = await requestFailures.ofIdentities(ctx.store, identityIds);
  return identityIds.map((id) =>
    rows.filter((row) => row.identityId === id).map((row) => row.failure),
  );
}

/**
 * Stores a refusal. The first of its kind is also recorded in the change log, so that the client
 * reads its services again; a repeated one is not.
 */
export async function recordFailure(
  ctx: RequestContext,
  identityId: string,
  failed: FailedServiceRequest,
): Promise<void> {
  await ctx.store.write(originOf(ctx), async (tx) => {
    const isRepeated = await requestFailures.repeatsLast(tx, identityId, failed);
    const revision = await requestFailures.insert(tx, identityId, failed);
    await requestFailures.removeOld(tx, identityId, MAX_STORED_FAILURES);
    if (isRepeated) return;
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
