import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { accessEnds, type AccessEnds } from '../../../access/analysis/index.js';
import { roleAssignments } from '../../../data/rows/role-assignment/index.js';
import { joined } from '../../../base/read-slices.js';
import { timedIdentities } from '../../../data/rows/identity/index.js';
import { servicePolicies } from '../../../data/rows/policy/index.js';
import { services, type EntityName } from '../../../data/rows/service/index.js';
import { attribute, described, id, object, text, time } from '../../../kernel/declare/attribute.js';
import { permit, SESSION } from '../../../kernel/declare/permissions.js';
import { connectionOf } from '../../../kernel/graph/list-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { CLIENT, Rest } from '../../../kernel/graph/rest-operation.js';
import { decodeCursor, Page, type PageNode } from '../../../kernel/read/connection.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import type { PairArguments } from '../../analysis/access-list.js';
import { limitedWindow } from '../../analysis/unused-page.js';
import { PairListArgs } from './accesses-types.js';

/** It reads the access of one identity at each end of its role assignments and policies. */
const OWN_ACCESS_COST = 100;

@described('Access that the caller has now.')
class LastingAccess {
  @attribute(time(), {
    description:
      'The moment at which it ends when nobody does anything: the latest end of all ways in. Null: it has no end.',
    nullable: true,
  })
  readonly until!: Date | null;
}

@described('A service that policies let the caller dial or bind now.')
class OwnAccess {
  @attribute(id(), { description: 'Id of the service.' })
  readonly serviceId!: string;

  @attribute(text(), { description: 'Its name.' })
  readonly serviceName!: string;

  @attribute(object(() => LastingAccess), {
    description: 'Whether the caller may dial it; null: no.',
    nullable: true,
  })
  readonly dial!: LastingAccess | null;

  @attribute(object(() => LastingAccess), {
    description: 'Whether the caller may host it; null: no.',
    nullable: true,
  })
  readonly bind!: LastingAccess | null;
}

const OwnAccessConnection = connectionOf(OwnAccess);

@Resolver()
export class OwnAccessResolver {
  @Rest({
    on: CLIENT,
    method: 'GET',
    path: '/current-identity/access',
    operationId: 'listCurrentIdentityAccess',
    tag: 'current-identity',
  })
  @Needs(SESSION)
  @Runs({ lane: 'background', cost: OWN_ACCESS_COST })
  @Query(() => OwnAccessConnection, {
    description:
      'The services that policies let the caller dial or bind now, in the order of their names, with the ends that follow from role assignments and from the times of policies and of the caller. Posture is left out.',
  })
  myAccess(
    @Args(() => PairListArgs) args: PairListArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<Page> {
    return ownAccessPage(ctx, args);
  }
}

/** Reads one page by four statements, however many services there are. */
async function ownAccessPage(ctx: RequestContext, args: PairArguments): Promise<Page> {
  const { identityId } = permit(ctx, SESSION);
  const window = limitedWindow(args);
  const [periods, policies, end] = await Promise.all([
    roleAssignments.periodsOf(ctx.store, identityId),
    joined(servicePolicies.coming(ctx.store, 'whenever')),
    timedIdentities.endOf(ctx.store, identityId),
  ]);
  const { analyst } = ctx.modules;
  const ends = await analyst.run(accessEnds(analyst.model(ctx), identityId, { periods, policies }));
  const names = await services.namesInOrder(ctx.store, [...ends.keys()], {
    after: args.after ? nameAfter(args.after) : undefined,
    offset: window.offset,
    limit: window.limit + 1,
  });
  const nodes = names.map(({ id: serviceId, name: serviceName }): OwnAccess & PageNode => {
    const endsOfService = ends.get(serviceId) ?? {};
    return {
      ...{ serviceId, serviceName },
      dial: lasting(endsOfService, 'Dial', end),
      bind: lasting(endsOfService, 'Bind', end),
      '#s0': serviceName,
      '#s1': serviceId,
    };
  });
  return new Page(nodes, ends.size, window, 2, { after: args.after });
}

function nameAfter(cursor: string): EntityName {
  const [name, id] = decodeCursor('after', cursor, 2);
  return { name: String(name), id: String(id) };
}

/** The access of an identity ends with it at the latest. */
function lasting(
  ends: AccessEnds,
  type: ServicePolicyType,
  end: Date | null,
): LastingAccess | null {
  const until = ends[type];
  if (until === undefined) return null;
  const isEarlier = end !== null && (until === null || end < until);
  return { until: isEarlier ? end : until };
}
