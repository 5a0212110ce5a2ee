import { readSlices } from '../../../base/read-slices.js';
import { raw, sql, type Sql } from '../../../base/sql.js';
import type { PolicyKind } from '../../../kernel/policy/index.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import { clock } from '../clock/index.js';
import { services, type EntityName } from '../service/index.js';

/*
 * Service policies. Statements, not models: membership by roles, any number of ids as one parameter, and the clock of
 * the database.
 */

type PolicyRow = TableRow<'ServicePolicy'>;

/** The use of a service by an identity. */
interface ServiceUse {
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: PolicyRow['type'];
}

/**
 * Whether one of these policies grants the use. Locks the policy until the commit: a transaction
 * that removes the access waits, and then finds the new session.
 * @param isMember the condition that the policy `p` has the identity `i` and the service `s`
 */
export async function holdGranting(
  tx: Rows,
  policyIds: readonly string[],
  { identityId, serviceId, type }: ServiceUse,
  isMember: Sql,
): Promise<boolean> {
  const [policy] = await tx.query(
    sql`select p.id from service s, identity i, service_policy p
        where s.id = ${serviceId}::text and i.id = ${identityId}::text
          and p.id = any(${policyIds}::text[]) and p.type = ${type}::text and p.is_in_force
          and ${isMember}
        limit 1 for key share`,
  );
  return policy !== undefined;
}

const namesSql = (ids: readonly string[]): Sql<EntityName> =>
  sql<EntityName>`select id, name from service_policy where id = any(${[...ids]}::text[])`;

/** The names of service policies, in the order of their ids. */
export const names = (rows: Rows, ids: readonly string[]): Promise<EntityName[]> =>
  rows.query(sql<EntityName>`${namesSql(ids)} order by id`);

/** The names of a service and of service policies. */
export const namesWithService = (
  rows: Rows,
  serviceId: string,
  policyIds: readonly string[],
): Promise<EntityName[]> =>
  rows.query(sql<EntityName>`${services.namesSql([serviceId])} union all ${namesSql(policyIds)}`);

/** The kinds of entities that an explanation of access names; ids are only unique within a kind. */
export type ExplainedKind = PolicyKind | 'edgeRouter';

export type ExplainedIds = Readonly<Record<ExplainedKind, readonly string[]>>;

interface ExplainedName extends EntityName {
  readonly kind: ExplainedKind;
}

/** The names of the policies and routers of an explanation, in one statement. */
export const namesInExplanation = (rows: Rows, ids: ExplainedIds): Promise<ExplainedName[]> =>
  rows.query(
    sql<ExplainedName>`select 'servicePolicy' as kind, id, name from service_policy where id = any(${ids.servicePolicy}::text[])
      union all select 'edgeRouterPolicy', id, name from edge_router_policy where id = any(${ids.edgeRouterPolicy}::text[])
      union all select 'serviceEdgeRouterPolicy', id, name from service_edge_router_policy where id = any(${ids.serviceEdgeRouterPolicy}::text[])
      union all select 'edgeRouter', id, name from router where id = any(${ids.edgeRouter}::text[])`,
  );

/** A service policy whose next change has come. */
export type DuePolicy = Pick<PolicyRow, 'id' | 'isInForce'>;

interface DueQuestion {
  /** The ids of policies to leave out. */
  readonly except: readonly string[];
  readonly maxPolicies: number;
}

/** Gives due policies: those that are not in force before the others, then those that have waited longest. */
export const due = (rows: Rows, { except, maxPolicies }: DueQuestion): Promise<DuePolicy[]> =>
  rows.query(
    sql<DuePolicy>`select id, is_in_force as "isInForce" from service_policy
      where next_change_at <= ${clock.NOW} and ${isNoneOf(except)}
      order by is_in_force, next_change_at limit ${maxPolicies}::int`,
  );

/** Milliseconds until the next policy begins or ends; null without one. */
export async function millisUntilDue(
  rows: Rows,
  except: readonly string[],
): Promise<number | null> {
  const [row] = await rows.query(
    sql<{
      millis: number | null;
    }>`select extract(epoch from min(next_change_at) - ${clock.NOW})::float8 * 1000 as millis
      from service_policy where next_change_at is not null and ${isNoneOf(except)}`,
  );
  return row?.millis ?? null;
}

const isNoneOf = (ids: readonly string[]): Sql => sql`id <> all(${[...ids]}::text[])`;

/** A service policy that begins or ends at a time to come. */
export type ComingPolicy = Pick<
  PolicyRow,
  'id' | 'validFrom' | 'validUntil' | 'weeklyWindows' | 'timeZone' | 'isInForce'
> & { readonly nextChangeAt: NonNullable<PolicyRow['nextChangeAt']> };

const MAX_COMING = 2_000;

/**
 * Gives, in slices, the policies that begin or end, until a time to come or whenever. One that an access rule keeps from
 * beginning stays so.
 */
export const coming = (
  rows: Rows,
  at: Date | 'whenever',
): AsyncGenerator<readonly ComingPolicy[]> =>
  readSlices<ComingPolicy>(MAX_COMING, (last) =>
    rows.query(
      sql<ComingPolicy>`select id, valid_from as "validFrom", valid_until as "validUntil", weekly_windows as "weeklyWindows",
          time_zone as "timeZone", is_in_force as "isInForce", next_change_at as "nextChangeAt"
        from service_policy
        where ${at === 'whenever' ? raw('next_change_at is not null') : sql`next_change_at <= ${at}`}
          and (is_in_force or next_change_at > ${clock.JUST_NOW}) and id > ${last?.id ?? ''}::text
        order by id limit ${MAX_COMING}::int`,
    ),
  );
