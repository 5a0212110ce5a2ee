import { and, column, raw, sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import { isListed } from './access-offer-rows.js';

/*
 * Requests for access. Statements, not models: membership by roles, and the state of a request, which depends on its
 * role assignment, are conditions that filters share.
 */

const SOURCE = 'access-request:';

/** The source of the role assignment that a request has got. */
export const sourceOf = (requestId: string): string => `${SOURCE}${requestId}`;

/** The id of the request from which a source comes; undefined for other sources. */
export const requestOf = (source: string): string | undefined =>
  source.startsWith(SOURCE) ? source.slice(SOURCE.length) : undefined;

/** Whether the role assignment of the request of a row has not ended. */
const isAssigned = (alias: string): Sql =>
  sql`exists (select from role_assignment a where a.identity_id = ${column(alias, 'identity_id')}
    and a.source = ${raw(`'${SOURCE}'`)} || ${column(alias, 'id')} and a.state <> 'ENDED')`;

/** The state of the request of a row: the end of a grant is that of its role assignment. */
export const stateSql = (alias: string): Sql =>
  sql`(case when ${column(alias, 'decision')} = 'GRANTED' and not ${isAssigned(alias)} then 'ENDED'
    else ${column(alias, 'decision')} end)`;

/** Whether an identity is an approver of the request of a row. */
export const isDecidedBy = (alias: string, identityId: string): Sql =>
  sql`exists (select from access_offer o where o.id = ${column(alias, 'offer_id')}
    and ${isListed('o', 'approver_roles', identityId)})`;

/** Whether the request of a row is open, and one that an identity may decide on: never an own one. */
export const awaits = (alias: string, { identityId, isAdmin }: Decider): Sql =>
  and(
    sql`${column(alias, 'decision')} = 'OPEN'`,
    sql`${column(alias, 'identity_id')} <> ${identityId}::text`,
    ...(isAdmin ? [] : [isDecidedBy(alias, identityId)]),
  );

/** Gives those of the requests that wait for an identity. */
export async function awaiting(
  rows: Rows,
  ids: readonly string[],
  decider: Decider,
): Promise<ReadonlySet<string>> {
  const open = await rows.query(
    sql<{ id: string }>`select r.id from access_request r
      where r.id = any(${[...ids]}::text[]) and ${awaits('r', decider)}`,
  );
  return new Set(open.map(({ id }) => id));
}

/** A request that waits for an identity. */
export async function awaited(
  rows: Rows,
  id: string,
  decider: Decider,
): Promise<AwaitedRequest | undefined> {
  const [request] = await rows.query(
    sql<AwaitedRequest>`select r.identity_id as "identityId", r.role_attribute as "roleAttribute"
      from access_request r where r.id = ${id}::text and ${awaits('r', decider)}`,
  );
  return request;
}

type AwaitedRequest = Pick<TableRow<'AccessRequest'>, 'identityId' | 'roleAttribute'>;

interface Decider {
  readonly identityId: string;
  readonly isAdmin: boolean;
}

/** Counts the open requests of an identity for an offer, and the grants that have not ended. */
export async function countActive(
  tx: Rows,
  { offerId, identityId }: { readonly offerId: string; readonly identityId: string },
): Promise<number> {
  const [row] = await tx.query(
    sql<{ count: number }>`select count(*)::int as count from access_request r
      where r.identity_id = ${identityId}::text and r.offer_id = ${offerId}::text
        and ${stateSql('r')} in ('OPEN', 'GRANTED')`,
  );
  return row?.count ?? 0;
}

/** Whether nobody has reviewed the request of a row, which an offer for emergencies has granted. */
const isUnreviewed = (alias: string): Sql =>
  sql`(${column(alias, 'approval')} = 'BREAK_GLASS' and ${column(alias, 'reviewed_at')} is null)`;

/** A use of an offer for emergencies. */
export type EmergencyUse = Pick<
  TableRow<'AccessRequest'>,
  'id' | 'identityId' | 'identityName' | 'offerName' | 'roleAttribute'
>;

/** Gives the uses of offers for emergencies that nobody has reviewed. They have one condition with those that are kept. */
export const unreviewed = (rows: Rows): Promise<EmergencyUse[]> =>
  rows.query(
    sql<EmergencyUse>`select r.id, r.identity_id as "identityId", r.identity_name as "identityName",
        r.offer_name as "offerName", r.role_attribute as "roleAttribute"
      from access_request r where ${isUnreviewed('r')} order by r.id`,
  );

/** Gives the ids of requests that were decided, and ended, before this many milliseconds. */
export async function settledBefore(rows: Rows, millis: number, limit: number): Promise<string[]> {
  const settled = await rows.query(
    sql<{ id: string }>`select r.id from access_request r
      where ${stateSql('r')} not in ('OPEN', 'GRANTED') and not ${isUnreviewed('r')}
        and greatest(r.updated_at, r.granted_until) < clock_timestamp() - make_interval(secs => ${millis / 1000}::float8)
      order by r.id limit ${limit}::int`,
  );
  return settled.map(({ id }) => id);
}
