import { sql, type Queryable } from '../base/sql.js';
import type { RowOf } from '../kernel/declare/rows.js';

export type Precedence = RowOf<'Terminator'>['precedence'];

/** The terminators of a service at one router, of one precedence. */
export type TerminatorCount = {
  readonly service_id: string;
  readonly router_id: string;
  readonly precedence: Precedence;
  readonly count: number;
};

/** Counts the terminators of services. */
export const terminatorCounts = (
  store: Queryable,
  serviceIds: readonly string[],
): Promise<TerminatorCount[]> =>
  store.query(
    sql<TerminatorCount>`select service_id, router_id, precedence, count(*)::int as count from terminator
      where service_id = any(${[...new Set(serviceIds)]}::text[]) group by service_id, router_id, precedence`,
  );

export type StoredTerminator = {
  readonly id: string;
  readonly serviceId: string;
  readonly routerId: string;
  readonly hostId: string;
  readonly identity: string;
  readonly precedence: Precedence;
  readonly cost: number;
};

/** The terminators at a router. */
export const terminatorsAt = (store: Queryable, routerId: string): Promise<StoredTerminator[]> =>
  store.query(
    sql<StoredTerminator>`select id, service_id as "serviceId", router_id as "routerId", host_id as "hostId",
        identity, precedence, cost
      from terminator where router_id = ${routerId}::text order by id`,
  );
