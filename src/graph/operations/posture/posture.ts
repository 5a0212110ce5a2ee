import DataLoader from 'dataloader';
import { Arg, Ctx, Field, FieldResolver, InputType, Mutation, Resolver, Root } from 'type-graphql';
import { attribute, described, object, objects } from '../../../kernel/declare/attribute.js';
import type { Caller, RequestContext } from '../../../kernel/request/context.js';
import { perRequest } from '../../../kernel/request/per-request.js';
import { failure } from '../../../base/errors.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { CLIENT, Rest } from '../../../kernel/graph/rest-operation.js';
import { may, orOwn, permit, permits, SESSION } from '../../../kernel/declare/permissions.js';
import type { RowOf } from '../../../kernel/declare/rows.js';
import type { JsonObject } from '../../../base/row.js';
import { originOf } from '../../../kernel/write/write.js';
import {
  affectedServices,
  asksAfter,
  endpointEvents,
  FailedServiceRequest,
  PostureAffectedService,
  postureResponseTypeIds,
  readPostureResponse,
  readPostureResponses,
  responseAttributes,
  viewPostureData,
  type IdentityPosture,
  type PostureResponse,
  type SessionPosture,
} from '../../../trust/posture/index.js';
import { Identity } from '../../../resources/identities/identity.js';
import { services } from '../../../data/rows/service/index.js';
import { failedServiceRequests } from '../../../access/enforcement/index.js';
import { PostureData } from './posture-data-types.js';

const quotedIds = postureResponseTypeIds.map((id) => `\`${id}\``);
const RESPONSE_TYPES = `${quotedIds.slice(0, -1).join(', ')} or ${String(quotedIds.at(-1))}`;

@InputType({
  description: 'Data about a device; `typeId` decides which members count.',
})
class PostureResponseInput {
  @Field(() => String, {
    nullable: true,
    description: 'The posture check that it answers; required.',
  })
  id?: string;

  @Field(() => String, { nullable: true, description: `${RESPONSE_TYPES}; required.` })
  typeId?: string;
}

for (const { name, type, description } of responseAttributes) {
  Field(outputType(type, description), { nullable: true, description })(
    PostureResponseInput.prototype,
    name,
  );
}

@described('The consequences of posture data.')
class PostureOutcome {
  @attribute(objects(() => PostureAffectedService), {
    description: 'Services that need the second factor soon.',
  })
  readonly services!: readonly PostureAffectedService[];
}

type IdentityRoot = Pick<RowOf<'Identity'>, 'id'>;

@Resolver(() => Identity)
export class PostureResolver {
  @Rest(
    {
      on: CLIENT,
      method: 'POST',
      path: '/posture-response',
      operationId: 'createPostureResponse',
      tag: 'posture',
      arguments: { responses: { body: (body) => [readPostureResponse(body)], isEntry: true } },
      needs: ['id', 'typeId'],
      status: 201,
    },
    {
      on: CLIENT,
      method: 'POST',
      path: '/posture-response-bulk',
      operationId: 'createPostureResponseBulk',
      tag: 'posture',
      arguments: { responses: { body: readPostureResponses } },
      needs: ['id', 'typeId'],
      // Generated clients accept only 200 here, although the single form answers 201.
      status: 200,
    },
  )
  @Needs(SESSION)
  @Mutation(outputType(object(() => PostureOutcome)), {
    description: 'Stores data about the device of the caller; one invalid entry refuses all.',
  })
  async submitPosture(
    @Arg('responses', () => [PostureResponseInput], { description: 'One entry per check.' })
    responses: PostureResponseInput[],
    @Ctx() ctx: RequestContext,
  ): Promise<PostureOutcome> {
    const caller = permit(ctx, SESSION);
    const parsedResponses = readPostureResponses(responses);
    const before = await ctx.modules.posture.submit(
      ctx.store,
      originOf(ctx),
      caller,
      parsedResponses,
    );
    return { services: await affectedBy(ctx, caller, parsedResponses, before) };
  }

  @Rest({
    method: 'GET',
    path: '/identities/{id}/posture-data',
    operationId: 'getIdentityPostureData',
  })
  @Needs(orOwn(may('identity', 'read')))
  @FieldResolver(outputType(object(() => PostureData)), {
    description: 'Data about its devices.',
  })
  async postureData(
    @Root() identity: IdentityRoot,
    @Ctx() ctx: RequestContext,
  ): Promise<JsonObject> {
    const { data, sessions } = await loadersOf(ctx).posture.load(ownOrPermitted(ctx, identity));
    const { apiSessionPostureData, ...view } = viewPostureData(data, sessions, ctx.now().getTime());
    return { ...view, apiSessions: Object.values(apiSessionPostureData) };
  }

  @Rest({
    method: 'GET',
    path: '/identities/{id}/failed-service-requests',
    operationId: 'getIdentityFailedServiceRequests',
  })
  @Needs(orOwn(may('identity', 'read')))
  @FieldResolver(outputType(objects(() => FailedServiceRequest)), {
    description: 'The last 100 sessions that posture refused, newest last.',
  })
  failedServiceRequests(
    @Root() identity: IdentityRoot,
    @Ctx() ctx: RequestContext,
  ): Promise<readonly FailedServiceRequest[]> {
    return loadersOf(ctx).failures.load(ownOrPermitted(ctx, identity));
  }
}

interface Loaders {
  readonly posture: DataLoader<string, IdentityPosture>;
  readonly failures: DataLoader<string, readonly FailedServiceRequest[]>;
}

/** One statement of each kind serves all identities of a page. */
const loadersOf = perRequest((ctx): Loaders => {
  const options = { cache: false };
  return {
    posture: new DataLoader((ids) => ctx.modules.posture.ofAll(ids), options),
    failures: new DataLoader((ids) => failedServiceRequests(ctx, ids), options),
  };
});

function ownOrPermitted(ctx: RequestContext, { id }: IdentityRoot): string {
  const isOwn = ctx.caller?.identityId === id;
  if (!isOwn && !permits(ctx.caller, may('identity', 'read'))) throw failure('UNAUTHORIZED');
  return id;
}

/** Gives the affected services that the caller may use; it must not learn of others. */
async function affectedBy(
  ctx: RequestContext,
  { identityId }: Caller,
  responses: readonly PostureResponse[],
  before: SessionPosture,
): Promise<readonly PostureAffectedService[]> {
  const events = endpointEvents(responses);
  if (!events.woken && !events.unlocked) return [];
  const index = ctx.modules.policy;
  const guardOf = ctx.modules.postureChecks.guards();
  const policies = index
    .policiesOf('servicePolicy', 'identities', identityId)
    .map(guardOf)
    .filter(({ checks }) => checks.some((check) => asksAfter(check, events)));
  const guarded = new Map<string, (typeof policies)[number]['checks'][number][]>();
  for (const { id, checks } of policies) {
    for (const service of index.idsOf('service', index.members('servicePolicy', id, 'services'))) {
      guarded.set(service, [...(guarded.get(service) ?? []), ...checks]);
    }
  }
  if (guarded.size === 0) return [];
  const rows = await services.names(ctx.store, [...guarded.keys()]);
  const guardedServices = rows.map((row) => ({ ...row, checks: guarded.get(row.id) ?? [] }));
  return affectedServices(guardedServices, events, before, ctx.now().getTime());
}
