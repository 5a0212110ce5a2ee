import { and, sql, TRUE, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { AccessKey } from '../access-use/index.js';
import type { AccessReviewLine, Decision } from './review-line.js';

declare module '../../prisma/models.js' {
  interface ColumnShapes {
    readonly AccessReviewLine: AccessReviewLine;
  }
}

/** Access with the policies that grant it, in byte order of their ids. */
interface GrantedAccess extends AccessKey {
  readonly policyIds: readonly string[];
}

/** Gives the access that is to be lost. */
export const revoked = (rows: Rows, reviewId: string): Promise<AccessKey[]> =>
  rows.readModel((models) =>
    models.accessReviewLine.findMany({
      where: { reviewId, decision: 'REVOKE' },
      select: { identityId: true, serviceId: true, type: true },
    }),
  );

/*
 * Statements, not models: they write any number of lines at once, a place is a comparison of three
 * columns with three values, the total has the condition of the page, and two counts are one row.
 */

/** The lines of a list; an absent member does not restrict them. */
export interface LineSelection {
  readonly reviewId: string;
  readonly identityId?: string | null | undefined;
  readonly serviceId?: string | null | undefined;
  readonly decision?: Decision | null | undefined;
}

/** The reason of a line: ids of policies, separated by spaces. Many lines have the same one. */
const reasonOf = ({ policyIds }: GrantedAccess): string => policyIds.join(' ');

/**
 * Inserts lines with the names and last uses of this moment, by one statement over their tables. An
 * entity that another transaction has just deleted is named by its id.
 */
export async function insert(
  tx: Rows,
  reviewId: string,
  pairs: readonly GrantedAccess[],
): Promise<void> {
  const reasons = [...new Set(pairs.map(reasonOf))];
  const numbers = new Map(reasons.map((reason, i) => [reason, i + 1]));
  await tx.query(
    sql`insert into access_review_line (review_id, identity_id, service_id, type, identity_name,
        service_name, policies, last_used_at)
      with reason as materialized (${namedReasons(reasons)})
      select ${reviewId}::text, p.identity_id, p.service_id, p.type, coalesce(i.name, p.identity_id),
        coalesce(s.name, p.service_id), r.policies, u.used_at
      from unnest(${pairs.map(({ identityId }) => identityId)}::text[], ${pairs.map(({ serviceId }) => serviceId)}::text[],
        ${pairs.map(({ type }) => type)}::text[], ${pairs.map((pair) => numbers.get(reasonOf(pair)))}::int[])
        p (identity_id, service_id, type, reason)
      join reason r on r.number = p.reason
      left join identity i on i.id = p.identity_id left join service s on s.id = p.service_id
      left join access_use u on u.identity_id = p.identity_id and u.service_id = p.service_id and u.type = p.type`,
  );
}

/** The policies of each reason. Materialised: they would be put together for each line that has the reason. */
const namedReasons = (reasons: readonly string[]): Sql =>
  sql`select g.number, (
      select jsonb_agg(jsonb_build_object('policyId', n.id, 'policyName', coalesce(sp.name, n.id)) order by n.place)
      from unnest(string_to_array(g.ids, ' ')) with ordinality n (id, place)
      left join service_policy sp on sp.id = n.id) as policies
    from unnest(${[...reasons]}::text[]) with ordinality g (ids, number)`;

const selected = ({ reviewId, identityId, serviceId, decision }: LineSelection): Sql =>
  and(
    sql`l.review_id = ${reviewId}::text`,
    (identityId ?? undefined) === undefined ? TRUE : sql`l.identity_id = ${identityId}::text`,
    (serviceId ?? undefined) === undefined ? TRUE : sql`l.service_id = ${serviceId}::text`,
    (decision ?? undefined) === undefined ? TRUE : sql`l.decision = ${decision}::text`,
  );

/** Gives the lines after a pair, in the order of their ids. */
export const next = (
  rows: Rows,
  selection: LineSelection,
  { after, limit, offset }: LinePlace,
): Promise<AccessReviewLine[]> =>
  rows.query(
    sql<AccessReviewLine>`select l.identity_id as "identityId", l.service_id as "serviceId", l.type,
        l.identity_name as "identityName", l.service_name as "serviceName", l.policies,
        l.last_used_at as "lastUsedAt", l.decision, l.comment,
        l.assignments_until as "assignmentsUntil", l.decided_by_id as "decidedById",
        l.decided_by_name as "decidedByName", l.decided_at as "decidedAt"
      from access_review_line l where ${and(selected(selection), after ? isAfter(after) : TRUE)}
      order by l.identity_id, l.service_id, l.type limit ${limit}::int offset ${offset}::bigint`,
  );

export interface LinePlace {
  readonly after: AccessKey | undefined;
  readonly limit: number;
  readonly offset: number;
}

const isAfter = ({ identityId, serviceId, type }: AccessKey): Sql =>
  sql`(l.identity_id, l.service_id, l.type) > (${identityId}::text, ${serviceId}::text, ${type}::text)`;

export async function count(rows: Rows, selection: LineSelection): Promise<number> {
  const [row] = await rows.query(
    sql<{
      total: number;
    }>`select count(*)::int as total from access_review_line l where ${selected(selection)}`,
  );
  return row?.total ?? 0;
}

/** A decision to store; without a new comment the line keeps its own. */
export interface StoredDecision extends AccessKey {
  readonly decision: Decision;
  readonly comment: string | null;
  readonly keepsComment: boolean;
  /** The end that it gives role assignments; null: none. */
  readonly assignmentsUntil: Date | null;
}

/** A line that is decided, with its reason. */
export type DecidedLine = AccessKey & Pick<AccessReviewLine, 'policies'>;

/** The author and the time of decisions. */
export interface Decider {
  readonly id: string | null;
  readonly at: Date;
}

/** Stores decisions; gives the lines that exist. */
export const decide = (
  tx: Rows,
  reviewId: string,
  decisions: readonly StoredDecision[],
  { id, at }: Decider,
): Promise<DecidedLine[]> =>
  tx.query(
    sql<DecidedLine>`update access_review_line l set decision = d.decision,
        comment = case when d.keeps_comment then l.comment else d.comment end,
        assignments_until = coalesce(d.assignments_until, l.assignments_until),
        decided_by_id = case when d.is_decided then ${id}::text end,
        decided_by_name = case when d.is_decided then (select name from identity where id = ${id}::text) end,
        decided_at = case when d.is_decided then ${at}::timestamptz end
      from (select *, u.decision <> 'UNDECIDED' as is_decided
        from unnest(${decisions.map(({ identityId }) => identityId)}::text[], ${decisions.map(({ serviceId }) => serviceId)}::text[],
          ${decisions.map(({ type }) => type)}::text[], ${decisions.map(({ decision }) => decision)}::text[],
          ${decisions.map(({ comment }) => comment)}::text[], ${decisions.map(({ keepsComment }) => keepsComment)}::boolean[],
          ${decisions.map(({ assignmentsUntil }) => assignmentsUntil)}::timestamptz[])
          u (identity_id, service_id, type, decision, comment, keeps_comment, assignments_until)) d
      where l.review_id = ${reviewId}::text and l.identity_id = d.identity_id
        and l.service_id = d.service_id and l.type = d.type
      returning l.identity_id as "identityId", l.service_id as "serviceId", l.type, l.policies`,
  );

export type DecisionCounts = { readonly keepCount: number; readonly revokeCount: number };

/** Counts the decisions of a review. */
export async function countDecisions(tx: Rows, reviewId: string): Promise<DecisionCounts> {
  const [row] = await tx.query(
    sql<DecisionCounts>`select (count(*) filter (where decision = 'KEEP'))::int as "keepCount",
        (count(*) filter (where decision = 'REVOKE'))::int as "revokeCount"
      from access_review_line where review_id = ${reviewId}::text`,
  );
  return row ?? { keepCount: 0, revokeCount: 0 };
}
