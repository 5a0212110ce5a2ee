import { sql, TRUE, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected, TableRow } from '../../prisma/models.js';

/* Where services are hosted. */

export type Precedence = TableRow<'Terminator'>['precedence'];

/** The bindings of terminators that clients of routers host, and tunnelers in routers. */
export type HostedBinding = 'edge' | 'tunnel';
const HOSTED_BINDINGS: string[] = ['edge', 'tunnel'] satisfies HostedBinding[];

/** Whether a terminator belongs to an identity that hosts its service. */
export const isHosted = ({ binding, hostId }: { binding: string; hostId: string }): boolean =>
  hostId !== '' && HOSTED_BINDINGS.includes(binding);

const TERMINATOR = {
  ...{ id: true, serviceId: true, routerId: true, hostId: true },
  ...{ identity: true, precedence: true, cost: true },
} as const;

/** A terminator with what events tell of it. */
export type StoredTerminator = Selected<'Terminator', typeof TERMINATOR>;

/** The terminators at a router. */
export const at = (rows: Rows, routerId: string): Promise<StoredTerminator[]> =>
  rows.readModel((models) =>
    models.terminator.findMany({
      where: { routerId },
      select: TERMINATOR,
      orderBy: { id: 'asc' },
    }),
  );

const HOSTED = { id: true, binding: true, address: true, revision: true } as const;

export type HostedTerminator = Selected<'Terminator', typeof HOSTED>;

/** The terminators that clients of a router host, unchanged since a time. */
export const hostedAt = (rows: Rows, routerId: string, before: Date): Promise<HostedTerminator[]> =>
  rows.readModel((models) =>
    models.terminator.findMany({
      where: { routerId, binding: { in: HOSTED_BINDINGS }, updatedAt: { lt: before } },
      select: HOSTED,
      orderBy: { id: 'asc' },
    }),
  );

/** Those of any number of terminators that are at a router. */
export const someAt = (
  rows: Rows,
  routerId: string,
  ids: readonly string[],
): Promise<HostedTerminator[]> =>
  rows.readModel((models) =>
    models.terminator.findMany({
      where: { routerId, id: { in: [...ids] } },
      select: HOSTED,
      orderBy: { id: 'asc' },
    }),
  );

/** The ids of the terminators at a router that have a binding. */
export async function idsAt(
  rows: Rows,
  routerId: string,
  binding: HostedBinding,
): Promise<Set<string>> {
  const atRouter = await rows.readModel((models) =>
    models.terminator.findMany({ where: { routerId, binding }, select: { id: true } }),
  );
  return new Set(atRouter.map(({ id }) => id));
}

/** The terminators of a service at one router, of one precedence. */
export type TerminatorCount = Pick<
  TableRow<'Terminator'>,
  'serviceId' | 'routerId' | 'precedence'
> & { readonly count: number };

/** Counts the terminators of any number of services. */
export const countsOf = (rows: Rows, serviceIds: readonly string[]): Promise<TerminatorCount[]> =>
  rows.query(
    sql<TerminatorCount>`select service_id as "serviceId", router_id as "routerId", precedence, count(*)::int as count
      from terminator where service_id = any(${[...new Set(serviceIds)]}::text[])
      group by service_id, router_id, precedence`,
  );

/** The ids of the services that have a terminator: each comes once from the database. */
export async function hostedServices(rows: Rows): Promise<string[]> {
  const services = await rows.readModel((models) =>
    models.terminator.groupBy({ by: ['serviceId'] }),
  );
  return services.map(({ serviceId }) => serviceId);
}

/** An identity that hosts a service. */
interface Hosting {
  readonly identityId: string;
  readonly serviceId: string;
}

/** A terminator, and where it is. */
type PlacedTerminator = Pick<TableRow<'Terminator'>, 'id' | 'routerId'>;

const hostedBy = (hosts: readonly Hosting[], where: Sql): Sql<PlacedTerminator> =>
  sql<PlacedTerminator>`select t.id, t.router_id as "routerId" from terminator t
    join unnest(${hosts.map(({ identityId }) => identityId)}::text[], ${hosts.map(({ serviceId }) => serviceId)}::text[])
      h (identity_id, service_id) on h.identity_id = t.host_id and h.service_id = t.service_id
    where t.binding = any(${HOSTED_BINDINGS}::text[]) and ${where}`;

/** The terminators by which identities host services. */
export const ofHosts = (rows: Rows, hosts: readonly Hosting[]): Promise<PlacedTerminator[]> =>
  rows.query(hostedBy(hosts, TRUE));

/** The terminators that any number of identities host for services, each without a session to do so. */
export async function unhosted(rows: Rows, hosts: readonly Hosting[]): Promise<string[]> {
  const isUnhosted = sql`not exists (select from session s
    where s.identity_id = t.host_id and s.service_id = t.service_id and s.type = 'Bind')`;
  const terminators = await rows.query(hostedBy(hosts, isUnhosted));
  return terminators.map(({ id }) => id);
}
