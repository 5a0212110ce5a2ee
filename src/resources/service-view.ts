import {
  attribute,
  bool,
  int,
  objects,
  oneOf,
  text,
  textSet,
  type Compute,
} from '../kernel/attribute.js';
import type { RequestContext } from '../kernel/context.js';
import { idOf, isObject, textsOf, type Row } from '../kernel/row.js';
import { FALSE, raw, sql, type Sql } from '../kernel/sql.js';
import { unionPredicate } from '../policy/index.js';
import { POLICY } from './modules.js';

/** How a service looks to the identity that asks, or to the one named by `asIdentity`. */

const viewerOf = (ctx: RequestContext, options: Row): string =>
  typeof options.asIdentity === 'string' ? options.asIdentity : (ctx.caller?.identityId ?? '');

/** What a caller without permission to read all services may see: what it may dial or bind. */
export function visibleServices(ctx: RequestContext, alias: string): Sql {
  if (!ctx.caller) return FALSE;
  const access = ctx.modules.get(POLICY).accessibleServices(ctx.caller.identityId);
  return unionPredicate(access.sides, alias);
}

/** `Bind` before `Dial`; `Invalid` when neither, never empty: clients read the first entry. */
export const permissions: Compute = {
  needs: [],
  values: (rows, ctx, options) => {
    const granted = ctx.modules.get(POLICY).permissionsFor(viewerOf(ctx, options), rows.map(idOf));
    return rows.map((row) => {
      const found = granted.get(idOf(row)) ?? [];
      return found.length > 0 ? found : ['Invalid'];
    });
  },
};

/** Config type name -> data, with the overrides of the viewer; `{}` when no types were asked for. */
export const configByType: Compute = {
  needs: ['configs'],
  values: async (rows, ctx, options) => {
    const asked =
      options.configTypes === undefined
        ? (ctx.caller?.configTypes ?? [])
        : textsOf(options.configTypes).flatMap((t) => t.split(','));
    if (asked.length === 0) return rows.map(() => ({}));
    const found = await ctx.store.query(configStatement(rows, viewerOf(ctx, options), asked));
    return rows.map((row) =>
      Object.fromEntries(
        found.filter((f) => f.service === row.id).map((f) => [String(f.type), f.data]),
      ),
    );
  },
};

/** Overrides come last in each service, so that they win. */
function configStatement(rows: readonly Row[], viewer: string, asked: readonly string[]): Sql {
  const all = asked.includes('all');
  const services = rows.map(idOf);
  const wanted = all
    ? raw('true')
    : sql`(t.id = any(${asked}::text[]) or t.name = any(${asked}::text[]))`;
  return sql`select s.id as service, t.name as type, c.data from (
      select s.id, unnest(s.configs) as config_id, 0 as rank from service s where s.id = any(${services}::text[])
      union all
      select o.service_id, o.config_id, 1 from service_config_override o
       where o.identity_id = ${viewer}::text and o.service_id = any(${services}::text[])
    ) s join config c on c.id = s.config_id join config_type t on t.id = c.config_type_id
    where ${wanted} order by s.id, s.rank`;
}

/** A process that a posture query asks about. */
export class PostureQueryProcess {
  @attribute(text(), { description: 'Operating system.', nullable: true })
  osType!: string;

  @attribute(text(), { description: 'Where the program lies.', nullable: true })
  path!: string;
}

/** One posture check as clients see it. */
export class PostureQuery {
  @attribute(text(), { description: 'Id of the posture check.' })
  id!: string;

  @attribute(text(), { description: 'When the check was made (RFC 3339).' })
  createdAt!: string;

  @attribute(text(), { description: 'When the check was changed (RFC 3339).' })
  updatedAt!: string;

  @attribute(
    oneOf('PostureCheckTypeId', ['OS', 'PROCESS', 'DOMAIN', 'MAC', 'MFA', 'PROCESS_MULTI']),
    {
      description: 'The kind of check.',
    },
  )
  queryType!: string;

  @attribute(bool(), { description: 'Whether it passes for the viewer now.' })
  isPassing!: boolean;

  @attribute(int(), { description: 'Seconds that a pass lasts; -1: no end.' })
  timeout!: number;

  @attribute(int(), { description: 'Seconds left; -1: no end.' })
  timeoutRemaining!: number;

  @attribute(objects(() => PostureQueryProcess), {
    description: 'Processes to look for.',
    nullable: true,
    omitEmpty: true,
  })
  processes!: PostureQueryProcess[] | null;
}

/** One policy that lets the viewer in, with its checks. */
export class PostureQuerySet {
  @attribute(text(), { description: 'Id of the service policy.' })
  policyId!: string;

  @attribute(oneOf('DialBind', ['Dial', 'Bind', 'Invalid']), { description: 'What it grants.' })
  policyType!: string;

  @attribute(bool(), { description: 'Whether all checks pass.' })
  isPassing!: boolean;

  @attribute(objects(() => PostureQuery), { description: 'Its checks.' })
  postureQueries!: PostureQuery[];
}

/** A list of the grants in their documented order. */
export const permissionsType = textSet();

/**
 * One entry per policy that links viewer and service. Without any posture check in the network one
 * synthetic entry per permission, which clients rely on. A check without posture data fails.
 */
export const postureQueries: Compute = {
  needs: [],
  values: async (rows, ctx, options) => {
    const index = ctx.modules.get(POLICY);
    const viewer = viewerOf(ctx, options);
    const linking = rows.map((row) => index.linkingPolicies(viewer, idOf(row)));
    if (index.count('postureCheck') === 0) {
      return rows.map((row) =>
        index.permissions(viewer, idOf(row)).map((type) => ({
          policyId: `dummy ${type.toLowerCase()} policy: no posture checks defined`,
          policyType: type,
          isPassing: true,
          postureQueries: [],
        })),
      );
    }
    const checksOf = (id: string): string[] =>
      index.idsOf('postureCheck', index.members('servicePolicy', id, 'postureChecks')).sort();
    const ids = new Set(linking.flat().flatMap((p) => checksOf(p.id)));
    const checks = await readChecks(ctx, [...ids]);
    return linking.map((policies) =>
      policies.map((policy) => {
        const queries = checksOf(policy.id).flatMap((id) => checks.get(id) ?? []);
        return {
          policyId: policy.id,
          policyType: policy.type,
          isPassing: queries.every((q) => q.isPassing),
          postureQueries: queries,
        };
      }),
    );
  },
};

async function readChecks(
  ctx: RequestContext,
  ids: readonly string[],
): Promise<Map<string, PostureQuery>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.store.query(
    sql`select id, type_id, created_at, updated_at, timeout_seconds, process, processes from posture_check where id = any(${ids}::text[])`,
  );
  return new Map(rows.map((row) => [idOf(row), queryOf(row)]));
}

function queryOf(row: Row): PostureQuery {
  const many: unknown[] = Array.isArray(row.processes) ? row.processes : [];
  const processes = [row.process, ...many];
  const timeout =
    typeof row.timeout_seconds === 'number' && row.timeout_seconds > 0 ? row.timeout_seconds : -1;
  return {
    id: idOf(row),
    createdAt: (row.created_at as Date).toISOString(),
    updatedAt: (row.updated_at as Date).toISOString(),
    queryType: String(row.type_id),
    isPassing: false,
    timeout,
    timeoutRemaining: timeout === -1 ? -1 : 0,
    processes: processes.some(isObject)
      ? (processes.filter(isObject) as unknown as PostureQueryProcess[])
      : null,
  };
}
