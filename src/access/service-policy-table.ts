import { sql, type Queryable } from '../base/sql.js';
import { memberOf, type ServicePolicyType } from '../policy/index.js';

/** The use of a service by an identity. */
interface Use {
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: ServicePolicyType;
}

/**
 * Whether one of these policies grants the use. Locks the policy until the commit: a transaction
 * that removes the access waits, and then finds the new session.
 */
export async function holdGrantingPolicy(
  tx: Queryable,
  policyIds: readonly string[],
  { identityId, serviceId, type }: Use,
): Promise<boolean> {
  const [policy] = await tx.query(
    sql`select p.id from service s, identity i, service_policy p
        where s.id = ${serviceId}::text and i.id = ${identityId}::text
          and p.id = any(${policyIds}::text[]) and p.type = ${type}::text
          and ${memberOf('p', 'identity_roles', 'i')} and ${memberOf('p', 'service_roles', 's')}
        limit 1 for key share`,
  );
  return policy !== undefined;
}

type NameRow = { readonly id: string; readonly name: string };

/** The names of a service and of service policies. */
export const namesOfServiceAndPolicies = (
  store: Queryable,
  serviceId: string,
  policyIds: readonly string[],
): Promise<NameRow[]> =>
  store.query(
    sql<NameRow>`select id, name from service where id = ${serviceId}::text
      union all select id, name from service_policy where id = any(${[...policyIds]}::text[])`,
  );

/** The policies and routers that an explanation of access mentions. */
interface ExplainedIds {
  readonly servicePolicies: readonly string[];
  readonly edgeRouterPolicies: readonly string[];
  readonly serviceEdgeRouterPolicies: readonly string[];
  readonly routers: readonly string[];
}

/**
 * Their names. Each id has a letter for its kind as a prefix, since ids are only unique within a
 * kind.
 */
export const namesInExplanation = (store: Queryable, ids: ExplainedIds): Promise<NameRow[]> =>
  store.query(
    sql<NameRow>`select 'p' || id as id, name from service_policy where id = any(${ids.servicePolicies}::text[])
      union all select 'e' || id, name from edge_router_policy where id = any(${ids.edgeRouterPolicies}::text[])
      union all select 's' || id, name from service_edge_router_policy where id = any(${ids.serviceEdgeRouterPolicies}::text[])
      union all select 'r' || id, name from router where id = any(${ids.routers}::text[])`,
  );
