import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import { jsonValue } from '../../prisma/model-values.js';
import type { TableRow } from '../../prisma/models.js';

/* Requests for a service that posture refused, in the order of their numbers. */

type Failure = TableRow<'ServiceRequestFailure'>['failure'];

/** Stores a failure and gives its number. */
export async function insert(tx: Rows, identityId: string, failed: Failure): Promise<number> {
  const { seq } = await tx.writeModel((models) =>
    models.serviceRequestFailure.create({
      data: { identityId, failure: jsonValue(failed) },
      select: { seq: true },
    }),
  );
  return Number(seq);
}

/*
 * Statements, not models: any number of ids is one parameter, the database compares JSON, and a
 * deletion depends on what it reads.
 */

type StoredFailure = Pick<TableRow<'ServiceRequestFailure'>, 'identityId' | 'failure'>;

/** The failures of identities, oldest first. */
export const ofIdentities = (
  rows: Rows,
  identityIds: readonly string[],
): Promise<StoredFailure[]> =>
  rows.query(
    sql<StoredFailure>`select identity_id as "identityId", failure from service_request_failure
      where identity_id = any(${[...identityIds]}::text[]) order by seq`,
  );

/** Whether the last failure of the same request is equal, except for its time. */
export async function repeatsLast(tx: Rows, identityId: string, failed: Failure): Promise<boolean> {
  const { apiSessionId, serviceId, sessionType } = failed;
  const [last] = await tx.query(
    sql<{
      isSame: boolean;
    }>`select failure - 'when' = ${JSON.stringify(failed)}::jsonb - 'when' as "isSame" from service_request_failure
        where identity_id = ${identityId}::text and failure->>'apiSessionId' = ${apiSessionId}::text
          and failure->>'serviceId' = ${serviceId}::text and failure->>'sessionType' = ${sessionType}::text
        order by seq desc limit 1`,
  );
  return last?.isSame === true;
}

/** Deletes the oldest failures of an identity, except the last `kept` ones. */
export const removeOld = (tx: Rows, identityId: string, kept: number): Promise<unknown> =>
  tx.query(
    sql`delete from service_request_failure where identity_id = ${identityId}::text and seq <=
        (select seq from service_request_failure where identity_id = ${identityId}::text order by seq desc offset ${kept}::int limit 1) returning seq`,
  );
