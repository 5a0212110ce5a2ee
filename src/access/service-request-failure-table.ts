import { sql, type Queryable } from '../base/sql.js';
import type { FailedServiceRequest } from '../posture/index.js';

type FailureRow = { readonly identity_id: string; readonly failure: FailedServiceRequest };

/** The failures of identities, oldest first. */
export const failuresOf = (
  store: Queryable,
  identityIds: readonly string[],
): Promise<FailureRow[]> =>
  store.query(
    sql<FailureRow>`select identity_id, failure from service_request_failure
      where identity_id = any(${[...identityIds]}::text[]) order by seq`,
  );

/** Whether the last failure of the same request is equal, except for its time. */
export async function repeatsLastFailure(
  tx: Queryable,
  identityId: string,
  failed: FailedServiceRequest,
): Promise<boolean> {
  const { apiSessionId, serviceId, sessionType } = failed;
  const [last] = await tx.query(
    sql<{
      is_same: boolean;
    }>`select failure - 'when' = ${JSON.stringify(failed)}::jsonb - 'when' as is_same from service_request_failure
        where identity_id = ${identityId}::text and failure->>'apiSessionId' = ${apiSessionId}::text
          and failure->>'serviceId' = ${serviceId}::text and failure->>'sessionType' = ${sessionType}::text
        order by seq desc limit 1`,
  );
  return last?.is_same === true;
}

/** Stores a failure and gives its number. */
export async function insertFailure(
  tx: Queryable,
  identityId: string,
  failed: FailedServiceRequest,
): Promise<number | undefined> {
  const [stored] = await tx.query(
    sql<{ seq: number }>`insert into service_request_failure (identity_id, failure)
        values (${identityId}::text, ${JSON.stringify(failed)}::jsonb) returning seq::float8 as seq`,
  );
  return stored?.seq;
}

/** Deletes the oldest failures of an identity, except the last `kept` ones. */
export const deleteOldFailures = (
  tx: Queryable,
  identityId: string,
  kept: number,
): Promise<unknown> =>
  tx.query(
    sql`delete from service_request_failure where identity_id = ${identityId}::text and seq <=
        (select seq from service_request_failure where identity_id = ${identityId}::text order by seq desc offset ${kept}::int limit 1) returning seq`,
  );
