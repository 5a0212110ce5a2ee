import { FALSE, join, raw, sql, TRUE, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';

/** The kinds of things with an end that the database stores. */
export type StoredExpiryKind =
  | 'SERVER_CERTIFICATE'
  | 'ROUTER_CERTIFICATE'
  | 'IDENTITY_CERTIFICATE'
  | 'CERTIFICATE_AUTHORITY'
  | 'JWT_SIGNER'
  | 'ENROLLMENT';

export interface ExpiryWindow {
  /** Both ends belong to it. */
  readonly from: Date;
  readonly to: Date;
}

export interface Expiry {
  readonly kind: StoredExpiryKind;
  readonly entityType: string | null;
  readonly entityId: string | null;
  readonly entityName: string | null;
  readonly notAfter: Date;
  /** The number of all in the window. */
  readonly total: number;
}

interface Source {
  readonly from: Sql;
  readonly time: Sql;
  readonly type: Sql;
  readonly id: Sql;
}

const own = (type: string, from: Sql): Source => ({
  from,
  time: raw('not_after'),
  type: raw(`'${type}'`),
  id: raw('id'),
});

const ROUTER_TYPE = raw(`case when is_edge then 'EdgeRouter' else 'TransitRouter' end`);

const SOURCES: Readonly<Record<StoredExpiryKind, Source>> = {
  SERVER_CERTIFICATE: own('Controller', raw('controller')),
  ROUTER_CERTIFICATE: { ...own('', raw('router')), type: ROUTER_TYPE },
  // Passwords have no end.
  IDENTITY_CERTIFICATE: { ...own('Identity', raw('authenticator')), id: raw('identity_id') },
  CERTIFICATE_AUTHORITY: own('CertificateAuthority', raw('certificate_authority')),
  JWT_SIGNER: own('ExternalJwtSigner', raw('external_jwt_signer')),
  ENROLLMENT: {
    from: raw('enrollment'),
    time: raw('expires_at'),
    type: raw(`case when identity_id is not null then 'Identity'
      when edge_router_id is not null then 'EdgeRouter'
      when transit_router_id is not null then 'TransitRouter' end`),
    id: raw('coalesce(identity_id, edge_router_id, transit_router_id)'),
  },
};

/** Types of entities with the tables that hold their names. */
const NAMED: Readonly<Record<string, Sql>> = {
  Controller: raw('controller'),
  EdgeRouter: raw('router'),
  TransitRouter: raw('router'),
  Identity: raw('identity'),
  CertificateAuthority: raw('certificate_authority'),
  ExternalJwtSigner: raw('external_jwt_signer'),
};

interface ExpiryQuery extends ExpiryWindow {
  readonly kinds: readonly StoredExpiryKind[];
  /** The types of entities whose names are shown. */
  readonly named: ReadonlySet<string>;
  readonly limit: number;
}

/**
 * Reads the things that end in a window, the first of all kinds in the order of time. One statement
 * gives them and their total.
 */
export function within(rows: Rows, query: ExpiryQuery): Promise<Expiry[]> {
  const { kinds, named, limit } = query;
  const sources = kinds.map((kind) => ({ kind, source: SOURCES[kind] }));
  const firsts = sources.map(
    ({ kind, source }) =>
      sql`(select ${kind}::text collate "C" as kind, ${source.type} as type, ${source.id} as id, ${source.time} as time
        from ${source.from} where ${inWindow(source, query)} order by ${source.time}, id limit ${limit}::int)`,
  );
  const counts = sources.map(
    ({ source }) => sql`(select count(*) from ${source.from} where ${inWindow(source, query)})`,
  );
  const names = Object.entries(NAMED).map(
    ([type, table]) =>
      sql`when ${named.has(type) ? TRUE : FALSE} and f.type = ${raw(`'${type}'`)}
        then (select name from ${table} n where n.id = f.id)`,
  );
  return rows.query(
    sql<Expiry>`select f.kind, f.type as "entityType", f.id as "entityId", f.time as "notAfter",
        case ${join(names, ' ')} end as "entityName", (${join(counts, ' + ')})::int as total
      from (select * from (${join(firsts, ' union all ')}) a order by time, kind, id limit ${limit}::int) f
      order by f.time, f.kind, f.id`,
  );
}

const inWindow = ({ time }: Source, { from, to }: ExpiryWindow): Sql =>
  sql`${time} >= ${from}::timestamptz and ${time} <= ${to}::timestamptz`;
