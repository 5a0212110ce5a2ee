import pg from 'pg';
import { migrate } from '../../src/data/store/migrate.js';

/** How many of each there are. */
export interface NetworkSize {
  readonly identities: number;
  readonly services: number;
  readonly routers: number;
  readonly servicePolicies: number;
  readonly edgeRouterPolicies: number;
  readonly serviceEdgeRouterPolicies: number;
}

/** A network in the proportions of the large one: 100,000 identities, 2,000 services and so on. */
export const sizeFor = (identities: number): NetworkSize => ({
  identities,
  services: Math.max(25, Math.round(identities / 50)),
  routers: Math.max(10, Math.round(identities / 200)),
  servicePolicies: Math.max(25, Math.round(identities / 400)),
  edgeRouterPolicies: Math.max(25, Math.round(identities / 400)),
  serviceEdgeRouterPolicies: Math.max(10, Math.round(identities / 1000)),
});

/** For a network that is created through the doors. */
export const EMPTY: NetworkSize = {
  identities: 0,
  services: 0,
  routers: 0,
  servicePolicies: 0,
  edgeRouterPolicies: 0,
  serviceEdgeRouterPolicies: 0,
};

/** Random-looking, and the same in every run. */
export const id = (kind: string, n = 'n'): string => `substr(md5('${kind}' || ${n}), 1, 12)`;

/** One of `pool` numbers by chance, which is the same in every run. */
const pick = (pool: number, salt: string): string =>
  `(abs(hashtext('${salt}' || n)::bigint) % ${String(pool)})`;

export const sorted = (...entries: string[]): string =>
  `array(select distinct a collate "C" from unnest(array[${entries.join(', ')}]) a order by 1)`;

export const COMMON = 'id, created_at, updated_at, name';
export const common = (kind: string): string =>
  `${id(kind)}, timestamptz '2026-01-01' + n * interval '1 s', timestamptz '2026-01-01' + n * interval '1 s', '${kind}-' || lpad(n::text, 7, '0')`;

const team = (salt: string): string => `'team-' || ${pick(50, `team${salt}`)}`;
const site = (salt: string): string => `'site-' || ${pick(20, `site${salt}`)}`;
const app = (salt: string): string => `'app-' || ${pick(40, `app${salt}`)}`;
const region = (salt: string): string => `'region-' || ${pick(8, `region${salt}`)}`;

/** Role lists in the mix of real networks: by attribute in both semantics, by id, and for everybody. */
const roles = (
  entity: string,
  count: string,
  attribute: (salt: string) => string,
  second: (salt: string) => string,
): string => `case n % 10
    when 0 then array['#all']
    when 1 then ${sorted(...['a', 'b', 'c'].map((s) => `'@' || ${id(entity, `(1 + ${pick(1_000_000, s)} % ${count})`)}`))}
    when 2 then ${sorted(`'#' || ${attribute('x')}`, `'#' || ${second('x')}`)}
    else ${sorted(`'#' || ${attribute('x')}`, `'#' || ${attribute('y')}`)} end`;

const semantic = `case when n % 10 = 2 then 'AllOf' else 'AnyOf' end`;

/** All rows straight into the tables: the controller finds a network that has grown for years. */
function inserts(size: NetworkSize): string[] {
  const from = (count: number): string => `from generate_series(1, ${String(count)}) n`;
  const of = { identity: String(size.identities), service: String(size.services) };
  const identityRoles = roles('identity', of.identity, team, site);
  const serviceRoles = roles('service', of.service, app, region);
  const routerRoles = `case n % 5 when 0 then array['#all'] else ${sorted(`'#' || ${region('x')}`)} end`;
  return [
    `insert into identity (${COMMON}, type_id, auth_policy_id, role_attributes)
      select ${common('identity')}, 'Default', 'default',
        ${sorted(team(''), site(''), `'os-' || ${pick(4, 'os')}`, `'staff'`)} ${from(size.identities)}`,
    `insert into authenticator (id, created_at, updated_at, identity_id, method, fingerprint, cert_pem)
      select ${id('authenticator')}, now(), now(), ${id('identity')}, 'cert', md5('print' || n), repeat('certificate ', 60)
        ${from(size.identities)} where n % 10 > 0`,
    `insert into enrollment (id, created_at, updated_at, identity_id, method, token, jwt, expires_at)
      select ${id('enrollment')}, now(), now(), ${id('identity')}, 'ott', gen_random_uuid(), repeat('jwt', 200), now() + interval '3 h'
        ${from(size.identities)} where n % 10 = 0`,
    `insert into service (${COMMON}, role_attributes, encryption_required)
      select ${common('service')}, ${sorted(app(''), region(''), `'published'`)}, true ${from(size.services)}`,
    `insert into router (${COMMON}, is_edge, is_verified, role_attributes)
      select ${common('router')}, true, true, ${sorted(region(''), `'public'`)} ${from(size.routers)}`,
    `insert into service_policy (${COMMON}, type, semantic, identity_roles, service_roles)
      select ${common('service-policy')}, case n % 3 when 0 then 'Bind' else 'Dial' end, ${semantic},
        ${identityRoles}, ${serviceRoles} ${from(size.servicePolicies)}`,
    `insert into edge_router_policy (${COMMON}, semantic, identity_roles, edge_router_roles)
      select ${common('edge-router-policy')}, ${semantic}, ${identityRoles}, ${routerRoles} ${from(size.edgeRouterPolicies)}`,
    `insert into service_edge_router_policy (${COMMON}, semantic, service_roles, edge_router_roles)
      select ${common('service-edge-router-policy')}, ${semantic}, ${serviceRoles}, ${routerRoles} ${from(size.serviceEdgeRouterPolicies)}`,
  ];
}

/** Makes the tables in an empty database and fills them; `more` comes on top. */
export async function fillNetwork(
  url: string,
  size: NetworkSize,
  more: readonly string[] = [],
): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    await migrate(pool);
  } finally {
    await pool.end();
  }
  await fillTables(url, size, more);
}

/** Fills the tables of a database beside what is there. */
export async function fillTables(
  url: string,
  size: NetworkSize,
  more: readonly string[] = [],
): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    // What the rows refer to comes with the first start of a controller.
    await pool.query('set session_replication_role = replica');
    for (const statement of [...inserts(size), ...more]) await pool.query(statement);
    await pool.query('set session_replication_role = origin');
    await pool.query('vacuum analyze');
  } finally {
    await pool.end();
  }
}
