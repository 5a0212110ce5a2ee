/** SQL written by hand for one answer each: what the floor runs. */

const IDENTITY_COLUMNS = `e.id, e.created_at as "createdAt", e.updated_at as "updatedAt", e.tags, e.name,
  e.type_id as "typeId", e.is_admin as "isAdmin", e.is_default_admin as "isDefaultAdmin",
  e.is_mfa_enabled as "isMfaEnabled", e.role_attributes as "roleAttributes", e.external_id as "externalId",
  e.auth_policy_id as "authPolicyId", e.default_hosting_cost as "defaultHostingCost",
  e.default_hosting_precedence as "defaultHostingPrecedence",
  e.service_hosting_costs as "serviceHostingCosts",
  e.service_hosting_precedences as "serviceHostingPrecedences", e.app_data as "appData", e.permissions,
  e.disabled_at as "disabledAt", e.disabled_until as "disabledUntil", e.env_info as "envInfo",
  e.sdk_info as "sdkInfo", e.interfaces, t.name as "typeName", p.name as "authPolicyName",
  (select coalesce(json_object_agg(a.method, json_strip_nulls(json_build_object('id', a.id, 'fingerprint', a.fingerprint,
    'username', a.username))), '{}') from authenticator a where a.identity_id = e.id) as authenticators,
  (select coalesce(json_object_agg(n.method, json_build_object('id', n.id, 'token', n.token, 'jwt', n.jwt,
    'expiresAt', to_char(n.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))), '{}')
    from enrollment n where n.identity_id = e.id) as enrollment,
  exists (select from api_session s where s.identity_id = e.id) as "hasApiSession"`;

/** The page first, then what belongs to its rows: nothing is joined for rows that are not shown. */
const identities = (page: string, more = ''): string =>
  `select ${IDENTITY_COLUMNS}${more} from (${page}) e
    join identity_type t on t.id = e.type_id join auth_policy p on p.id = e.auth_policy_id order by e.id`;

export const IDENTITY_PAGE = identities('select * from identity order by id limit 25');

export const IDENTITY_DETAIL = identities('select * from identity where id = $1');

/** With its total, which nobody but the database can know. */
export const IDENTITY_FILTERED = identities(
  'select * from identity where strpos(name, $1) > 0 order by id limit 25',
  ', (select count(*)::int from identity where strpos(name, $1) > 0) as total',
);

export const IDENTITY_BY_ATTRIBUTE = identities(
  'select * from identity where role_attributes @> array[$1] order by id limit 25',
  ', (select count(*)::int from identity where role_attributes @> array[$1]) as total',
);

/** For policies by any attribute. The lists say `#team-1` where entities say `team-1`. */
export const ATTRIBUTES_OF = (roles: string): string =>
  `array(select substr(r, 2) from unnest(${roles}) r where r like '#%')`;

export const POLICY_IDENTITIES = `with policy as materialized
    (select ${ATTRIBUTES_OF('identity_roles')} as attributes from service_policy where id = $1)
  ${identities('select i.* from identity i where i.role_attributes && (select attributes from policy) order by i.id limit 25')}`;

const display = (roles: string, table: string): string =>
  `(select coalesce(json_agg(json_build_object('role', r.role, 'name', coalesce('@' || n.name, r.role)) order by r.place), '[]')
    from unnest(e.${roles}) with ordinality r(role, place)
    left join ${table} n on r.role like '@%' and n.id = substr(r.role, 2)
    where r.role like '#%' or n.id is not null)`;

export const SERVICE_POLICY_PAGE = `select e.id, e.created_at as "createdAt", e.updated_at as "updatedAt", e.tags, e.name,
  e.semantic, e.type, e.identity_roles as "identityRoles", ${display('identity_roles', 'identity')} as "identityRolesDisplay",
  e.service_roles as "serviceRoles", ${display('service_roles', 'service')} as "serviceRolesDisplay",
  e.posture_check_roles as "postureCheckRoles", ${display('posture_check_roles', 'posture_check')} as "postureCheckRolesDisplay"
  from service_policy e order by e.id limit 25`;

/** The service policies that an identity is in. */
const policiesOf = (identity: string): string =>
  `select p.type, p.semantic, p.service_roles from service_policy p, ${identity} i,
    lateral (select array['#all', '@' || i.id] || array(select '#' || a from unnest(i.role_attributes) a) as held) h
    where p.identity_roles && h.held and (p.semantic = 'AnyOf' or p.identity_roles <@ h.held)`;

/** Whether a service is on the other side of a policy. */
const SERVICE_IN_POLICY = `p.service_roles && h.held and (p.semantic = 'AnyOf' or p.service_roles <@ h.held)`;
const SERVICE_HELD = `lateral (select array['#all', '@' || s.id] || array(select '#' || a from unnest(s.role_attributes) a) as held) h`;

/** Services that identity $1 may use, with what the caller (the default admin) may do with each. */
export const IDENTITY_SERVICES = `with granted as materialized
    (${policiesOf('(select id, role_attributes from identity where id = $1)')}),
  own as materialized (${policiesOf('(select id, role_attributes from identity where is_default_admin)')})
  select s.id, s.created_at as "createdAt", s.updated_at as "updatedAt", s.tags, s.name,
    s.role_attributes as "roleAttributes", s.configs, s.encryption_required as "encryptionRequired",
    s.max_idle_time_millis as "maxIdleTimeMillis", s.terminator_strategy as "terminatorStrategy",
    array(select distinct p.type from own p where ${SERVICE_IN_POLICY} order by 1) as permissions
  from service s, ${SERVICE_HELD}
  where exists (select from granted p where ${SERVICE_IN_POLICY}) order by s.id limit 25`;

/** Ten members of one side of policy p, each kind of roles by the index that it wants. */
const members = (table: string, roles: string): string => {
  const some = (pattern: string): string =>
    `exists (select from unnest(p.${roles}) r where r like '${pattern}' and r <> '#all')`;
  const page = (where: string): string =>
    `(select m.id, m.name from ${table} m where ${where} order by m.id limit 10)`;
  return `(select coalesce(json_agg(json_build_object('id', x.id, 'name', x.name) order by x.id), '[]') from (
    ${page(`'#all' = any(p.${roles})`)}
    union all ${page(`${some('@%')} and m.id = any(array(select substr(r, 2) from unnest(p.${roles}) r where r like '@%'))`)}
    union all ${page(`p.semantic = 'AnyOf' and ${some('#%')} and m.role_attributes && ${ATTRIBUTES_OF(`p.${roles}`)}`)}
    union all ${page(`p.semantic = 'AllOf' and ${some('#%')} and m.role_attributes @> ${ATTRIBUTES_OF(`p.${roles}`)}`)}
    ) x)`;
};

export const NESTED_PAGE = `select p.id, p.name, p.semantic, ${members('identity', 'identity_roles')} as identities,
  ${members('service', 'service_roles')} as services
  from (select * from service_policy order by id limit 25) p order by p.id`;

export const FLAT_PAGE = `select e.id, e.name, e.created_at as "createdAt", e.role_attributes as "roleAttributes",
  e.is_admin as "isAdmin", json_build_object('id', t.id, 'name', t.name) as type
  from (select * from identity order by id limit 25) e join identity_type t on t.id = e.type_id order by e.id`;

export const SESSION_BY_TOKEN = `select s.id, s.created_at as "since", s.token, s.identity_id as "identityId", s.authenticator_id as "authenticatorId",
  s.config_types as "configTypes", s.last_activity_at as "lastActivityAt", s.is_mfa_required as "isMfaRequired",
  s.is_mfa_complete as "isMfaComplete", i.is_admin as "isAdmin", i.permissions, p.secondary
  from api_session s join identity i on i.id = s.identity_id join auth_policy p on p.id = i.auth_policy_id
  where s.token = $1 and (i.disabled_at is null or i.disabled_until <= now())`;
