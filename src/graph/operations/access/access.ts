import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, FieldResolver, ID, Info, Int, Query, Resolver, Root } from 'type-graphql';
import {
  Access,
  accessEffect,
  explainAccess,
  MissingSide,
  type AccessAssignment,
  type AccessExplanation,
  type AccessFacts,
  type AccessModel,
  type AccessQuery,
  type AccessRouter,
  namesAt,
  presentNames,
  type Checks,
  type Names,
  FutureModel,
  placeIn,
  POINT,
  type UsableRouter,
} from '../../../access/analysis/index.js';
import { timedStateAt } from '../../../access/times/index.js';
import { identities } from '../../../data/rows/identity/index.js';
import { roleAssignments } from '../../../data/rows/role-assignment/index.js';
import { services } from '../../../data/rows/service/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { invalidField, notFound } from '../../../base/errors.js';
import { merged } from '../../../base/merged.js';
import { object, objects } from '../../../kernel/declare/attribute.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { AlsoReads, Needs } from '../../../kernel/graph/needs.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { may } from '../../../kernel/declare/permissions.js';
import { requested } from '../../../kernel/read/selection.js';
import { isDisabled } from '../../../trust/auth/index.js';
import { judgeFor, type Judge, type PostureCheckRecord } from '../../../trust/posture/index.js';

import type { PolicyKind, ServicePolicyType } from '../../../kernel/policy/index.js';

import { effectOnce, shownChange } from '../../analysis/finding-page.js';
import { ACCESS_ENTITIES } from '../../analysis/permit-analysis.js';
import type { AnswerAboutPair } from './access-circuits.js';
import { ACCESS } from './access-types.js';
import { Remedy } from './remedy-types.js';

const MAX_MISSES = 100;

@Resolver()
export class AccessResolver {
  @Rest({
    method: 'GET',
    path: '/access',
    operationId: 'explainAccess',
    tag: 'analysis',
    errors: [404, 410],
  })
  @Runs({ lane: 'background' })
  @Needs(may('identity', 'read'))
  @AlsoReads(...ACCESS_ENTITIES)
  @Query(outputType(object(() => Access)), {
    description:
      'Why an identity may dial or bind a service, which obstacles there are, and which policies are nearest to granting it.',
  })
  async access(
    @Arg('identityId', () => ID, { description: 'Id of the identity.' }) identityId: string,
    @Arg('serviceId', () => ID, { description: 'Id of the service.' }) serviceId: string,
    @Arg('type', ACCESS, { description: 'Dialing or hosting.' })
    type: ServicePolicyType,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Arg('misses', () => Int, {
      defaultValue: 10,
      description: 'Number of nearest misses to list, at most 100.',
    })
    misses: number,
    @Arg('at', () => String, {
      nullable: true,
      description: `The point in time: ${POINT}. The answer then leaves out posture, presence and terminators, and about the past disabled identities.`,
    })
    at?: string | null,
  ): Promise<Access> {
    if (misses < 0 || misses > MAX_MISSES) {
      throw invalidField('misses', `must be from 0 to ${String(MAX_MISSES)}`, misses);
    }
    const hasRouters = requested(info).fields.has('routers');
    const question = { identityId, serviceId, type, misses, hasRouters };
    if (at !== null && at !== undefined) return accessAt(ctx, question, at);
    const model = ctx.modules.analyst.model(ctx);
    const currentFacts = await readFacts(ctx, identityId, serviceId);
    const explanation = explain(model, question, currentFacts.facts);
    const nameOf = await presentNames(ctx, explanation);
    const checks = checksBy(currentFacts.judges);
    const assignments = await assignmentsIn(ctx, identityId, explanation);
    return accessView(explanation, { question, model, nameOf, checks, assignments });
  }
}

/** A side of a miss with the data to compute the effect of its remedies. */
type SideWithModel = MissingSide & EffectScope;

interface EffectScope {
  readonly model: AccessModel;
  /** The only pairs that a remedy of the side can alter. */
  readonly among: AccessQuery;
}

@Resolver(() => MissingSide)
export class MissingSideResolver {
  @Needs(may('identity', 'read'))
  @FieldResolver(outputType(objects(() => Remedy)), {
    description: 'Changes of which each one suffices, the smallest first.',
  })
  remedies(
    @Root() { remedies, model, among }: SideWithModel,
    @Ctx() ctx: RequestContext,
  ): readonly Remedy[] {
    const analyst = ctx.modules.analyst;
    return remedies.map(({ kind, size, change, ...members }) => {
      const effect = effectOnce(() => analyst.run(accessEffect(model, [change], among)));
      return {
        attributes: null,
        side: null,
        role: null,
        ...members,
        kind,
        size,
        change: shownChange(change, effect),
      };
    });
  }
}

interface AccessQuestion {
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: ServicePolicyType;
  readonly misses: number;
  /** Whether the answer lists the routers. */
  readonly hasRouters: boolean;
}

/** @throws ApiError NOT_FOUND for an identity or a service that the model does not contain */
function explain(
  model: AccessModel,
  { identityId, serviceId, type, misses, hasRouters }: AccessQuestion,
  facts: AccessFacts,
): AccessExplanation {
  const explanation = explainAccess(model, identityId, serviceId, type, facts, {
    misses,
    hasRouters,
  });
  if (explanation) return explanation;
  const isIdentity = model.entity('identity', identityId) !== undefined;
  throw isIdentity ? notFound('service', serviceId) : notFound('identity', identityId);
}

/** Gives the answer of the policies alone at another time than now. */
async function accessAt(
  ctx: RequestContext,
  question: AccessQuestion,
  at: string,
): Promise<Access> {
  const model = await ctx.modules.analyst.modelAt(ctx, at);
  const time = model instanceof FutureModel ? model.time : undefined;
  const facts = time ? await factsOfFuture(ctx, question.identityId, time) : NO_FACTS;
  const explanation = explain(model, question, facts);
  const { nameOf, checks } = await namesAt(ctx, explanation, placeIn(model));
  const assignments = time ? await assignmentsIn(ctx, question.identityId, explanation, time) : [];
  const isOfPolicies = true;
  return accessView(explanation, { question, model, nameOf, checks, assignments, isOfPolicies });
}

const assignmentsIn = async (
  { store }: RequestContext,
  identityId: string,
  { assignedAttributes }: AccessExplanation,
  at?: Date,
): Promise<readonly AccessAssignment[]> =>
  assignedAttributes.length === 0
    ? []
    : roleAssignments.activeOf(store, identityId, assignedAttributes, at);

/** With these facts, no obstacle arises except from policies. */
const NO_FACTS: AccessFacts = {
  isRouterOnline: () => true,
  isRouterDisabled: () => false,
  isIdentityDisabled: () => false,
  hasTerminators: () => true,
  apiSessionsOf: () => [],
  isPassing: () => true,
};

/** Of a time to come, only the times of identities are decided already. */
async function factsOfFuture(
  { store }: RequestContext,
  identityId: string,
  time: Date,
): Promise<AccessFacts> {
  const state = await identities.disablingTimesOf(store, identityId);
  const isDisabledThen =
    state !== null && isDisabled({ ...state, ...timedStateAt(state, time) }, time);
  return { ...NO_FACTS, isIdentityDisabled: () => isDisabledThen };
}

interface CurrentFacts {
  readonly facts: AccessFacts;
  /** The posture judge of each live API session, and the checks by id. */
  readonly judges: PostureJudges;
}

interface PostureJudges {
  readonly bySession: ReadonlyMap<string, Judge>;
  readonly checks: ReadonlyMap<string, PostureCheckRecord>;
}

async function readFacts(
  ctx: RequestContext,
  identityId: string,
  serviceId: string,
): Promise<CurrentFacts> {
  const now = ctx.now();
  const pair = { identityId, serviceId };
  const stored = await services.accessFacts(ctx.store, pair, now);
  const disabled = new Set(stored?.disabledRouters);
  const presence = ctx.modules.presence;
  const { data, sessions } = await ctx.modules.posture.of(identityId);
  const judge = (session: Parameters<typeof judgeFor>[0]['session']): Judge =>
    judgeFor({ data, session }, now.getTime());
  const bySession = new Map([...sessions].map(([id, session]) => [id, judge(session)]));
  const checks = ctx.modules.postureChecks.byId();
  return {
    judges: { bySession, checks },
    facts: {
      isRouterOnline: (id) => presence.router(id) !== undefined && !disabled.has(id),
      isRouterDisabled: (id) => disabled.has(id),
      isIdentityDisabled: () => stored?.isDisabled ?? false,
      hasTerminators: () => stored?.isHosted ?? false,
      apiSessionsOf: () => [...bySession.keys()],
      isPassing: (session, id) => {
        const check = checks.get(id);
        return check === undefined || (bySession.get(session)?.(check).isPassing ?? false);
      },
    },
  };
}

/** The facts that make an explanation an answer. */
interface AnswerContext {
  readonly question: AccessQuestion;
  readonly model: AccessModel;
  readonly nameOf: Names;
  readonly checks: Checks;
  readonly assignments: readonly AccessAssignment[];
  /** Whether nothing but policies decides: at another time than now. */
  readonly isOfPolicies?: true;
}

function accessView(
  explanation: AccessExplanation,
  { question, model, nameOf, checks, assignments, isOfPolicies }: AnswerContext,
): AnswerAboutPair {
  const { identityId, serviceId, type } = question;
  const { paths, routers, nearestMisses, ...members } = explanation;
  const withName = <P extends { readonly policyId: string }>(policy: P) => ({
    ...policy,
    policyName: nameOf('servicePolicy', policy.policyId),
  });
  const side = (missing: MissingSide | null, among: AccessQuery): SideWithModel | null =>
    missing && merged(missing, { model, among });
  const routersOn = (name: keyof AccessExplanation['routers']): AccessRouter[] =>
    routers[name].map((router) => routerView(router, nameOf, isOfPolicies));
  return {
    ...members,
    assignments,
    pair: { identityId, serviceId, type },
    paths: paths.map(({ postureCheckIds, ...path }) => ({
      ...withName(path),
      postureChecks: postureCheckIds.flatMap((id) => checks(id) ?? []),
    })),
    routers: {
      get identitySide() {
        return routersOn('identitySide');
      },
      get serviceSide() {
        return routersOn('serviceSide');
      },
      get common() {
        return routersOn('common');
      },
    },
    nearestMisses: {
      ...nearestMisses,
      nodes: nearestMisses.nodes.map((miss) => ({
        ...withName(miss),
        identitySide: side(miss.identitySide, { identities: [identityId] }),
        serviceSide: side(miss.serviceSide, { services: [serviceId] }),
      })),
    },
  };
}

/** The policies are computed on demand: routers times policies can be very many. */
function routerView(
  { edgeRouterPolicyIds, serviceEdgeRouterPolicyIds, ...router }: UsableRouter,
  nameOf: Names,
  isOfPolicies?: true,
): AccessRouter {
  const policies = (kind: PolicyKind, ids: readonly string[]) =>
    ids.map((policyId) => ({ policyId, policyName: nameOf(kind, policyId) }));
  return {
    ...router,
    ...(isOfPolicies ? { isOnline: null, isDisabled: null } : {}),
    routerName: nameOf('edgeRouter', router.routerId),
    get edgeRouterPolicies() {
      return policies('edgeRouterPolicy', edgeRouterPolicyIds);
    },
    get serviceEdgeRouterPolicies() {
      return policies('serviceEdgeRouterPolicy', serviceEdgeRouterPolicyIds);
    },
  };
}

const checksBy =
  ({ bySession, checks }: PostureJudges): Checks =>
  (id) => {
    const check = checks.get(id);
    if (!check) return undefined;
    const verdicts = [...bySession].map(([apiSessionId, judge]) => {
      const { isPassing, failure } = judge(check);
      return { apiSessionId, isPassing, failure: failure ?? null };
    });
    return { postureCheckId: id, postureCheckName: check.name, typeId: check.typeId, verdicts };
  };
