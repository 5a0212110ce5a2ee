import { sql, type Sql } from '../../../base/sql.js';
import type { PolicyKind } from '../../../kernel/policy/index.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import { services, type EntityName } from '../service/index.js';

/*
 * Service policies. Statements, not models: membership by roles, and any number of ids as one
 * parameter.
 */

/** The use of a service by an identity. */
interface ServiceUse {
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: TableRow<'ServicePolicy'>['type'];
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
          and p.id = any(${policyIds}::text[]) and p.type = ${type}::text
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
