import { ATTRIBUTES_OF } from './floor-statements.js';

/** SQL written by hand for what clients ask: parameter 1 begins with the token of the caller. */

/** The caller, who is in policies by attributes alone. */
const ME = `me as materialized (select s.id as api_session_id, i.id, s.config_types, p.data->'domain'->>'domain' as domain,
    array['#all', '@' || i.id] || array(select '#' || a from unnest(i.role_attributes) a) as held
  from api_session s join identity i on i.id = s.identity_id left join identity_posture p on p.identity_id = i.id
  where s.token = split_part($1, ' ', 1))`;

const iso = (at: string): string =>
  `to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const CHECKS = `select json_agg(json_build_object('_links', json_build_object('self', json_build_object('href', './posture-checks/' || c.id)),
    'tags', '{}'::json, 'id', c.id, 'queryType', c.type_id, 'isPassing', me.domain = any(c.domains), 'timeout', -1,
    'timeoutRemaining', -1, 'createdAt', ${iso('c.created_at')}, 'updatedAt', ${iso('c.updated_at')}) order by c.id)
  from posture_check c where c.role_attributes && ${ATTRIBUTES_OF('p.posture_check_roles')}`;

const PASSING = `not exists (select from posture_check c
  where c.role_attributes && ${ATTRIBUTES_OF('p.posture_check_roles')} and not me.domain = any(c.domains))`;

/** A page of the caller's services; what is said of a policy is made once, not for each of them. */
export const clientServices = (limit: number): string => `with ${ME},
  granted as materialized (select p.id, p.type, ${ATTRIBUTES_OF('p.service_roles')} as attributes,
      json_build_object('policyId', p.id, 'policyType', p.type, 'isPassing', ${PASSING},
        'postureQueries', coalesce((${CHECKS}), '[]')) as queries
    from me, service_policy p where p.identity_roles && me.held),
  seen as materialized (select s.*, count(*) over ()::int as total from service s
    where s.role_attributes && (select array_agg(a) from granted, unnest(attributes) a) order by s.id limit ${String(limit)})
  select s.id, s.created_at as "createdAt", s.updated_at as "updatedAt", s.tags, s.name,
    s.role_attributes as "roleAttributes", s.configs, s.encryption_required as "encryptionRequired",
    s.max_idle_time_millis as "maxIdleTimeMillis", s.terminator_strategy as "terminatorStrategy", s.total,
    (select coalesce(json_object_agg(t.name, c.data), '{}') from config c join config_type t on t.id = c.config_type_id
      where c.id = any(s.configs) and t.id = any(me.config_types)) as config,
    array(select distinct p.type from granted p where p.attributes && s.role_attributes order by 1) as permissions,
    (select json_agg(p.queries order by p.id) from granted p where p.attributes && s.role_attributes) as "postureQueries"
  from me, seen s order by s.id`;

export const SERVICE_UPDATES = `select greatest(s.created_at, b.began_at, f.changed_at) as "lastChangeAt"
  from api_session s cross join service_freshness_state b left join service_freshness f on f.identity_id = s.identity_id
  where s.token = $1`;

/** Of an epoch that no controller follows: they would work on changes of the floor. */
const LOGGED = `insert into change (epoch, at, entity_type, entity_id, operation, revision, after, actor_id, api_session_id)`;

/** Whether a policy lets the one side use router `h`. */
const mayUse = (policy: string, side: string, roles: string): string =>
  `exists (select from ${policy} p where p.${roles} && ${side}.held and p.edge_router_roles && h.held
    and (p.semantic = 'AnyOf' or p.${roles} <@ ${side}.held and p.edge_router_roles <@ h.held))`;

/** The routers that caller and service share, as sessions show them: none of them is online. */
const ROUTERS = `select coalesce(json_agg(json_build_object('name', r.name, 'hostname', '', 'isOnline', false,
    'supportedProtocols', '{}'::json, 'urls', '{}'::json, 'syncStatus', 'SYNC_NEW', 'cost', r.cost,
    'noTraversal', r.no_traversal, 'disabled', r.disabled, 'appData', r.app_data) order by r.id), '[]')
  from (select r.* from router r,
      lateral (select array['#all', '@' || r.id] || array(select '#' || a from unnest(r.role_attributes) a) as held) h
    where ${mayUse('edge_router_policy', 'me', 'identity_roles')}
      and ${mayUse('service_edge_router_policy', 'asked', 'service_roles')}
    order by r.id limit 25) r`;

/** One transaction: the session and its change record; parameter 1 is `<token> <service>`. */
export const OPEN_SESSION = `with ${ME},
  asked as materialized (select s.id, s.name,
      array['#all', '@' || s.id] || array(select '#' || a from unnest(s.role_attributes) a) as held
    from service s where s.id = split_part($1, ' ', 2)),
  opened as (insert into session (id, created_at, updated_at, token, api_session_id, identity_id, service_id, type)
    select gen_random_uuid(), now(), now(), gen_random_uuid(), me.api_session_id, me.id, asked.id, 'Dial' from me, asked
    returning *),
  logged as (${LOGGED}
    select 0, now(), 'Session', o.id, 'create', 1, to_jsonb(o) - 'token', o.identity_id, o.api_session_id from opened o)
  select o.id, o.created_at as "createdAt", o.updated_at as "updatedAt", o.token, o.api_session_id as "apiSessionId",
    o.identity_id as "identityId", o.service_id as "serviceId", o.type, asked.name as "serviceName", (${ROUTERS}) as "edgeRouters"
  from me, opened o, asked`;

/** One transaction: the data and their change record; parameter 1 is `<token> <domain>`. */
export const SUBMIT_POSTURE = `with ${ME},
  stored as (insert into identity_posture as p (identity_id, data, revision)
    select id, jsonb_build_object('processes', '[]'::jsonb, 'domain', jsonb_build_object('postureCheckId', 'any',
      'lastUpdatedAt', floor(extract(epoch from now()) * 1000), 'domain', split_part($1, ' ', 2))), 1 from me
    on conflict (identity_id) do update set data = p.data || excluded.data, revision = p.revision + 1
    returning identity_id, revision)
  ${LOGGED}
    select 0, now(), 'PostureData', identity_id, 'update', revision, null, identity_id, null from stored returning entity_id`;
