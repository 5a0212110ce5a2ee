import type { RequestContext } from '../kernel/request/context.js';
import { sql } from '../base/sql.js';
import { originOf } from '../kernel/write/write.js';
import type { FailedServiceRequest } from '../posture/index.js';

/** How many are kept of an identity. */
const KEPT = 100;

/** The last requests for services that posture refused to each identity, newest last. */
export async function failedServiceRequests(
  ctx: RequestContext,
  identityIds: readonly string[],
): Promise<FailedServiceRequest[][]> {
  const rows = await ctx.store.query(
    sql<{
      identity_id: string;
      failure: FailedServiceRequest;
    }>`select identity_id, failure from service_request_failure
      where identity_id = any(${[...identityIds]}::text[]) order by seq`,
  );
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
  const { apiSessionId, serviceId, sessionType } = failed;
  await ctx.store.write(originOf(ctx), async (tx) => {
    const [last] = await tx.query(
      sql<{
        is_same: boolean;
      }>`select failure - 'when' = ${JSON.stringify(failed)}::jsonb - 'when' as is_same from service_request_failure
        where identity_id = ${identityId}::text and failure->>'apiSessionId' = ${apiSessionId}::text
          and failure->>'serviceId' = ${serviceId}::text and failure->>'sessionType' = ${sessionType}::text
        order by seq desc limit 1`,
    );
    const [stored] = await tx.query(
      sql<{ seq: number }>`insert into service_request_failure (identity_id, failure)
        values (${identityId}::text, ${JSON.stringify(failed)}::jsonb) returning seq::float8 as seq`,
    );
    await tx.query(
      sql`delete from service_request_failure where identity_id = ${identityId}::text and seq <=
        (select seq from service_request_failure where identity_id = ${identityId}::text order by seq desc offset ${KEPT}::int limit 1) returning seq`,
    );
    if (!stored || last?.is_same) return;
    tx.record({
      resource: 'ServiceRequestFailure',
      id: identityId,
      operation: 'create',
      revision: stored.seq,
      before: null,
      after: null,
    });
  });
}
