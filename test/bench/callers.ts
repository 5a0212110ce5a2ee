import { COMMON, common, id, sorted } from './network.js';

/** Services of a network in which clients are measured. */
export const SERVICES = 10_000;

/** How many of them a caller sees. */
export const BREADTHS = [20, 200, 2_000] as const;
export type Breadth = (typeof BREADTHS)[number];

/** Of each kind. */
const CALLERS = 40;
const CHECK = `substr(md5('check'), 1, 12)`;
const CONFIG_TYPE = 'bench.v1';
const domains = ['one.example.com', 'other.example.com'];

/** What callers tell of their device: the posture check takes either. */
export const DOMAINS = `select unnest(array['${domains.join(`', '`)}']) as key`;

const reach = (breadth: Breadth): string => `reach-${String(breadth)}`;

/** Tokens of callers who see so many services. */
export const tokensOf = (breadth: Breadth, count = CALLERS): string =>
  `select token as key from api_session where id like '${reach(breadth)}-%' order by id limit ${String(count)}`;

export const servicesOf = (breadth: Breadth): string =>
  `select id as key from service where role_attributes @> array['${reach(breadth)}'] order by md5(id)`;

/**
 * Policies for everybody would show everybody all services: they go. Each service has a config, and
 * those that callers see may be bound, and dialled by devices in a known domain.
 */
export const CALLERS_AND_SERVICES: readonly string[] = [
  `delete from service_policy where identity_roles @> '{#all}'`,
  `insert into config_type (${COMMON}) select ${id('type', '1')}, now(), now(), '${CONFIG_TYPE}'`,
  `insert into config (${COMMON}, config_type_id, data)
    select ${common('config')}, ${id('type', '1')}, jsonb_build_object('port', n, 'protocols', array['tcp'],
      'addresses', array['service-' || n || '.example.com']) from generate_series(1, ${String(SERVICES)}) n`,
  `update service s set configs = array[${id('config')}] from generate_series(1, ${String(SERVICES)}) n
    where s.id = ${id('service')}`,
  `insert into posture_check (${COMMON}, type_id, role_attributes, domains)
    select ${CHECK}, now(), now(), 'known domain', 'DOMAIN', array['device'], array['${domains.join(`', '`)}']`,
  ...BREADTHS.flatMap(callers),
];

function callers(breadth: Breadth): string[] {
  const name = reach(breadth);
  const series = `from generate_series(1, ${String(CALLERS)}) n`;
  const policy = (type: string, checks: string): string =>
    `insert into service_policy (${COMMON}, type, semantic, identity_roles, service_roles, posture_check_roles)
      select ${id(`${type}-${name}`, '1')}, now(), now(), '${type} ${name}', '${type}', 'AnyOf', array['#${name}'],
        array['#${name}'], array[${checks}]::text[]`;
  return [
    `update service s set role_attributes = ${sorted(`'${name}'`).replace('unnest(', 'unnest(s.role_attributes || ')}
      from generate_series(1, ${String(SERVICES)}, ${String(SERVICES / breadth)}) n where s.id = ${id('service')}`,
    `insert into identity (${COMMON}, type_id, auth_policy_id, role_attributes)
      select ${common(name)}, 'Default', 'default', array['${name}'] ${series}`,
    `insert into api_session (id, created_at, updated_at, token, identity_id, authenticator_id, ip_address, config_types, last_activity_at)
      select '${name}-' || n, now(), now(), md5('${name}' || n)::uuid, ${id(name)}, 'internal', '127.0.0.1',
        array[${id('type', '1')}], now() + interval '1 hour' ${series}`,
    `insert into identity_posture (identity_id, data, revision)
      select ${id(name)}, jsonb_build_object('processes', '[]'::jsonb, 'domain', jsonb_build_object('postureCheckId', ${CHECK},
        'lastUpdatedAt', 1, 'domain', '${domains[0] ?? ''}')), 1 ${series}`,
    policy('Dial', `'#device'`),
    policy('Bind', ''),
  ];
}
