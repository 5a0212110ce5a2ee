import { sql, type Queryable, type Sql } from '../base/sql.js';
import type { RowOf } from '../kernel/declare/rows.js';
import { CLIENT_FINGERPRINTS } from '../data/api-session/index.js';

/** The bindings of terminators that clients of routers host, and tunnelers in routers. */
export type HostedBinding = 'edge' | 'tunnel';
const HOSTED_BINDINGS: readonly string[] = ['edge', 'tunnel'] satisfies HostedBinding[];

/** Whether a terminator belongs to an identity that hosts its service. */
export const isHosted = ({ binding, hostId }: { binding: string; hostId: string }): boolean =>
  hostId !== '' && HOSTED_BINDINGS.includes(binding);

/** Bytes in base64 by their numbers, as routers send and get them. */
export type StoredPeerData = Readonly<Record<string, string>>;

/** The attributes of a terminator that decide about circuits to it. */
export interface TerminatorRow {
  readonly id: string;
  readonly routerId: string;
  readonly binding: string;
  readonly address: string;
  readonly hostId: string;
  readonly cost: number;
  readonly precedence: RowOf<'Terminator'>['precedence'];
  readonly peerData: StoredPeerData;
}

const TERMINATOR: Sql = sql`jsonb_build_object('id', t.id, 'routerId', t.router_id, 'binding', t.binding,
  'address', t.address, 'hostId', t.host_id, 'cost', t.cost, 'precedence', t.precedence, 'peerData', t.peer_data)`;

/** The proofs of a client to its router, as the router reports them. */
export interface ProvedClient {
  /** The API session of its connection; empty where a router names certificates alone. */
  readonly apiSessionToken: string;
  /** The certificates that it showed: SHA-1 in lower-case hex. */
  readonly fingerprints: readonly string[];
}

/** The token of a session for a service, and the client that sends it; null: the router itself. */
export interface PresentedToken {
  readonly token: string;
  readonly client: ProvedClient | null;
}

/**
 * Whether a row `v` of the table `session` has the token and belongs to its sender. The token of
 * somebody else is like an unknown one.
 */
function isPresented({ token, client }: PresentedToken): Sql {
  const hasToken = sql`v.token = ${token}::text`;
  if (!client) return hasToken;
  const { apiSessionToken, fingerprints } = client;
  const isClient =
    apiSessionToken === ''
      ? sql`${CLIENT_FINGERPRINTS} && ${[...fingerprints]}::text[]`
      : sql`s.token = ${apiSessionToken}::text`;
  return sql`${hasToken} and exists (select from api_session s where s.id = v.api_session_id and ${isClient})`;
}

/** A session for a service, with what is asked of those who dial it. */
export type DialRow = {
  readonly id: string;
  readonly identity_id: string;
  readonly service_id: string;
  readonly type: 'Dial' | 'Bind';
  readonly encryption_required: boolean;
  readonly terminator_strategy: string;
  readonly terminators: TerminatorRow[];
};

/** Gives the session of a token, and the terminators of its service for this instance. */
export async function dialFacts(
  store: Queryable,
  presented: PresentedToken,
  instanceId: string,
): Promise<DialRow | undefined> {
  const [row] = await store.query(
    sql<DialRow>`select v.id, v.identity_id, v.service_id, v.type, e.encryption_required, e.terminator_strategy,
        array(select ${TERMINATOR} from terminator t
          where t.service_id = v.service_id and t.identity = ${instanceId}::text order by t.id) as terminators
      from session v join service e on e.id = v.service_id where ${isPresented(presented)}`,
  );
  return row;
}

export type SessionRow = Pick<DialRow, 'id' | 'identity_id' | 'service_id' | 'type'>;

/** A session, and what is stored of the terminator that its identity wants to host. */
export type BindRow = SessionRow & {
  /** There is a terminator with this id. */
  readonly is_stored: boolean;
  /** Another identity hosts this instance of the service. */
  readonly is_hosted_by_other: boolean;
};

/** Gives the session of a token, and what is stored of a terminator for it. */
export async function bindFacts(
  store: Queryable,
  presented: PresentedToken,
  { id, instanceId }: { readonly id: string; readonly instanceId: string },
): Promise<BindRow | undefined> {
  const [row] = await store.query(
    sql<BindRow>`select v.id, v.identity_id, v.service_id, v.type,
        exists (select from terminator t where t.id = ${id}::text) as is_stored,
        ${instanceId}::text <> '' and exists (select from terminator t where t.service_id = v.service_id
          and t.identity = ${instanceId}::text and t.host_id <> v.identity_id) as is_hosted_by_other
      from session v where ${isPresented(presented)}`,
  );
  return row;
}

/** The ids of all terminators at a router. */
export async function terminatorsOf(store: Queryable, routerId: string): Promise<string[]> {
  const rows = await store.query(
    sql<{ id: string }>`select id from terminator where router_id = ${routerId}::text order by id`,
  );
  return rows.map(({ id }) => id);
}

export type HostedRow = {
  readonly id: string;
  readonly binding: string;
  readonly address: string;
  readonly revision: number;
};

/** The terminators that clients of a router host, older than a time. */
export const hostedAt = (store: Queryable, routerId: string, before: Date): Promise<HostedRow[]> =>
  store.query(
    sql<HostedRow>`select id, binding, address, revision from terminator
      where router_id = ${routerId}::text and binding = any(${[...HOSTED_BINDINGS]}::text[])
        and updated_at < ${before}::timestamptz order by id`,
  );

/** The terminators that identities host for services, each without a session to do so. */
export async function unhosted(
  store: Queryable,
  hosts: readonly { readonly identityId: string; readonly serviceId: string }[],
): Promise<string[]> {
  const rows = await store.query(
    sql<{ id: string }>`select t.id from terminator t
      join unnest(${hosts.map(({ identityId }) => identityId)}::text[], ${hosts.map(({ serviceId }) => serviceId)}::text[])
        h (identity_id, service_id) on h.identity_id = t.host_id and h.service_id = t.service_id
      where t.binding = any(${[...HOSTED_BINDINGS]}::text[]) and not exists (select from session s
        where s.identity_id = t.host_id and s.service_id = t.service_id and s.type = 'Bind')`,
  );
  return rows.map(({ id }) => id);
}
