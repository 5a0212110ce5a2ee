import { Arg, Ctx, ID, Int, Query, Resolver } from 'type-graphql';
import { explainAccess, type AccessExplanation, type AccessFacts } from '../../analysis/index.js';
import type { RequestContext } from '../../kernel/context.js';
import { invalidField, notFound } from '../../kernel/errors.js';
import { Needs } from '../../kernel/needs.js';
import { may, permit } from '../../kernel/permissions.js';
import { idOf } from '../../kernel/row.js';
import { sql } from '../../kernel/sql.js';
import type { ServicePolicyType } from '../../policy/index.js';
import { judgeFor, type Judge, type PostureCheckRecord } from '../../posture/index.js';
import { POLICY, POSTURE, POSTURE_CHECKS, PRESENCE } from '../../resources/index.js';
import { Access, type AccessCheck, type AccessRouter } from './access-types.js';

/** Everything that an answer shows. */
const READ = [
  'identity',
  'service',
  'service-policy',
  'router',
  'edge-router-policy',
  'service-edge-router-policy',
  'posture-check',
];

const MOST_MISSES = 100;

@Resolver()
export class AccessResolver {
  @Needs(may('identity', 'read'))
  @Query(() => Access, {
    description:
      'Why an identity may dial or bind a service, what is in the way, and what is nearest to granting it.',
  })
  async access(
    @Arg('identityId', () => ID, { description: 'Id of the identity.' }) identityId: string,
    @Arg('serviceId', () => ID, { description: 'Id of the service.' }) serviceId: string,
    @Arg('type', () => String, { description: '`Dial` or `Bind`.' }) type: string,
    @Ctx() ctx: RequestContext,
    @Arg('misses', () => Int, {
      defaultValue: 10,
      description: 'How many nearest misses to list, at most 100.',
    })
    misses: number,
  ): Promise<Access> {
    for (const entity of READ) permit(ctx, may(entity, 'read'));
    if (misses < 0 || misses > MOST_MISSES) {
      throw invalidField('misses', `must be from 0 to ${String(MOST_MISSES)}`, misses);
    }
    const model = ctx.modules.get(POLICY);
    const known = await readFacts(ctx, identityId, serviceId);
    const explained = explainAccess(model, identityId, serviceId, typeOf(type), known.facts, {
      misses,
    });
    if (!explained) {
      const isIdentity = model.entity('identity', identityId) !== undefined;
      throw isIdentity ? notFound('service', serviceId) : notFound('identity', identityId);
    }
    return shown(explained, await namesOf(ctx, explained), known.judges);
  }
}

function typeOf(type: string): ServicePolicyType {
  if (type === 'Dial' || type === 'Bind') return type;
  throw invalidField('type', 'must be Dial or Bind', type);
}

interface Known {
  readonly facts: AccessFacts;
  /** Live API sessions with how posture stands in them, and the checks by id. */
  readonly judges: Judged;
}

interface Judged {
  readonly bySession: ReadonlyMap<string, Judge>;
  readonly checks: ReadonlyMap<string, PostureCheckRecord>;
}

async function readFacts(
  ctx: RequestContext,
  identityId: string,
  serviceId: string,
): Promise<Known> {
  const now = ctx.now();
  const [row] = await ctx.store.query(
    sql`select exists (select from terminator where service_id = ${serviceId}::text) as is_hosted,
      exists (select from identity where id = ${identityId}::text and disabled_at is not null
        and (disabled_until is null or disabled_until > ${now}::timestamptz)) as is_disabled,
      array(select id from router where is_edge and disabled) as disabled_routers`,
  );
  const disabled = new Set(row?.disabled_routers as string[]);
  const presence = ctx.modules.get(PRESENCE);
  const { data, sessions } = await ctx.modules.get(POSTURE).of(identityId);
  const judge = (session: Parameters<typeof judgeFor>[0]['session']): Judge =>
    judgeFor({ data, session }, now.getTime());
  const bySession = new Map([...sessions].map(([id, session]) => [id, judge(session)]));
  const records = [...ctx.modules.get(POSTURE_CHECKS).all()];
  const checks = new Map(records.map((check) => [check.id, check]));
  return {
    judges: { bySession, checks },
    facts: {
      isRouterOnline: (id) => presence.router(id) !== undefined && !disabled.has(id),
      isRouterDisabled: (id) => disabled.has(id),
      isIdentityDisabled: () => row?.is_disabled === true,
      hasTerminators: () => row?.is_hosted === true,
      apiSessionsOf: () => [...bySession.keys()],
      isPassing: (session, id) => {
        const check = checks.get(id);
        return check === undefined || (bySession.get(session)?.(check).isPassing ?? false);
      },
    },
  };
}

/** Of the entity whose id follows the letter of its kind. */
type Names = (key: string) => { readonly id: string; readonly name: string };

async function namesOf(ctx: RequestContext, explained: AccessExplanation): Promise<Names> {
  const { paths, routers, nearestMisses } = explained;
  const sides = [...routers.identitySide, ...routers.serviceSide];
  const services = [...paths, ...nearestMisses.misses].map(({ policyId }) => policyId);
  const edges = sides.flatMap((router) => router.edgeRouterPolicyIds);
  const serviceEdges = sides.flatMap((router) => router.serviceEdgeRouterPolicyIds);
  const rows = await ctx.store.query(
    sql`select 'p' || id as id, name from service_policy where id = any(${services}::text[])
      union all select 'e' || id, name from edge_router_policy where id = any(${edges}::text[])
      union all select 's' || id, name from service_edge_router_policy where id = any(${serviceEdges}::text[])
      union all select 'r' || id, name from router where id = any(${sides.map((r) => r.routerId)}::text[])`,
  );
  const names = new Map(rows.map((row) => [idOf(row), String(row.name)]));
  // Ids are unique within a kind alone.
  return (key) => ({ id: key.slice(1), name: names.get(key) ?? '' });
}

function shown(explained: AccessExplanation, named: Names, judges: Judged): Access {
  const { allowed, paths, routers, obstacles, nearestMisses } = explained;
  const router = (side: AccessExplanation['routers']['common'][number]): AccessRouter => ({
    ...named(`r${side.routerId}`),
    isOnline: side.isOnline,
    isDisabled: side.isDisabled,
    edgeRouterPolicies: side.edgeRouterPolicyIds.map((id) => named(`e${id}`)),
    serviceEdgeRouterPolicies: side.serviceEdgeRouterPolicyIds.map((id) => named(`s${id}`)),
  });
  return {
    allowed,
    paths: paths.map(({ policyId, postureCheckIds, ...path }) => ({
      ...path,
      policy: named(`p${policyId}`),
      postureChecks: postureCheckIds.flatMap((id) => judgedCheck(id, judges)),
    })),
    routers: {
      identitySide: routers.identitySide.map(router),
      serviceSide: routers.serviceSide.map(router),
      common: routers.common.map(router),
    },
    obstacles,
    nearestMisses: {
      totalCount: nearestMisses.totalCount,
      nodes: nearestMisses.misses.map(({ policyId, ...miss }) => ({
        ...miss,
        policy: named(`p${policyId}`),
      })),
    },
  };
}

function judgedCheck(id: string, { bySession, checks }: Judged): AccessCheck[] {
  const check = checks.get(id);
  if (!check) return [];
  const verdicts = [...bySession].map(([apiSessionId, judge]) => {
    const { isPassing, failure } = judge(check);
    return { apiSessionId, isPassing, failure: failure ?? null };
  });
  return [{ id, name: check.name, typeId: check.typeId, verdicts }];
}
