import { Args, Ctx, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import { useRecording } from '../../../data/rows/access-use/index.js';
import {
  accessEffect,
  accessQuery,
  BroadRoles,
  readUsedPairs,
  shownName,
  UnusedAccess,
  unusedAccess,
} from '../../../access/analysis/index.js';
import { failure, invalidField } from '../../../base/errors.js';
import { objects } from '../../../kernel/declare/attribute.js';
import { may } from '../../../kernel/declare/permissions.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { AlsoReads, Needs } from '../../../kernel/graph/needs.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import type { Page } from '../../../kernel/read/connection.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { perRequest } from '../../../kernel/request/per-request.js';
import { effectOnce, shownChange, type ShownChange } from '../../analysis/finding-page.js';
import type { PairArguments } from '../../analysis/access-list.js';
import { ACCESS_ENTITIES } from '../../analysis/permit-analysis.js';
import {
  unusedMembersPage,
  unusedPage,
  type ShownUnused,
  type UsedNetwork,
} from '../../analysis/unused-page.js';
import { PairListArgs } from './accesses-types.js';
import { FIRST } from './first-entries.js';
import {
  UnusedAccessArgs,
  UnusedAccessConnection,
  UnusedIdentityConnection,
  UnusedServiceConnection,
} from './unused-access-types.js';
import { ProposedChange } from './what-if-types.js';

/** The lists of a document share the pairs that were used, which may need much memory. */
interface Reading {
  lists: number;
  since?: Date;
  network?: Promise<UsedNetwork>;
}

const readingOf = perRequest((): Reading => ({ lists: 0 }));

/** Each list takes seconds in a large network. */
const MAX_LISTS = 10;

function usedNetwork(ctx: RequestContext, since: Date): Promise<UsedNetwork> {
  const reading = readingOf(ctx);
  reading.lists += 1;
  if (reading.lists > MAX_LISTS) {
    throw failure('QUERY_TOO_COMPLEX', `at most ${MAX_LISTS} lists of unused access in a document`);
  }
  reading.since ??= since;
  if (reading.since.getTime() !== since.getTime()) {
    throw invalidField('since', 'one document asks for one time', since.toISOString());
  }
  return (reading.network ??= readNetwork(ctx, since));
}

async function readNetwork(ctx: RequestContext, since: Date): Promise<UsedNetwork> {
  await refuseUnknownTime(ctx, since);
  const { analyst } = ctx.modules;
  const model = analyst.model(ctx);
  return { analyst, model, used: await readUsedPairs(ctx, analyst, model, since) };
}

/** Uses before the record are not known, so it can not be said that there were none. */
async function refuseUnknownTime({ store, now }: RequestContext, since: Date): Promise<void> {
  if (since > now()) throw invalidField('since', 'is in the future', since.toISOString());
  const begin = await useRecording.since(store);
  if (since >= begin) return;
  const reason = `uses are recorded since ${begin.toISOString()}; nothing is known of the time before`;
  throw invalidField('since', reason, since.toISOString());
}

@Resolver()
export class UnusedAccessResolver {
  @Rest({
    method: 'GET',
    path: '/unused-access',
    operationId: 'listUnusedAccess',
    tag: 'analysis',
    selectionArguments: FIRST,
  })
  @Runs({ lane: 'background', isLong: true })
  @Needs(may('ops', 'read'))
  @AlsoReads(...ACCESS_ENTITIES)
  @Query(() => UnusedAccessConnection, {
    description: [
      'Service policies that grant access which nobody used since a time, the most unused pairs first.',
      'A use is a session for a service, a dial, or hosting; what is in use at this moment counts. A pair that several policies grant was used by each of them.',
      'Also access that was granted after `since` counts.',
    ].join('\n'),
  })
  async unusedAccess(
    @Args(() => UnusedAccessArgs) args: UnusedAccessArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<Page> {
    const network = await usedNetwork(ctx, args.since);
    const { analyst, model, used } = network;
    const { type, where: ends = {} } = await accessQuery(ctx, model, {}, args);
    const unused = await analyst.run(unusedAccess(model, used, { type, ends }));
    return unusedPage(unused, args, network, ends);
  }
}

const CHANGES =
  'The changes of the policy that take away unused pairs and no used one: they delete it, remove roles, or replace a role by the ids of at most 50 members that used it. They concern the whole policy, whatever the filters. Empty if there are none.';
const GAINED = 'Number of pairs that would gain access by its changes: none.';
const LOST =
  'Number of pairs that would lose access by its changes; pairs that other policies grant, too, keep it.';

@Resolver(() => UnusedAccess)
export class UnusedAccessNodeResolver {
  @Needs(may('service-policy', 'read'))
  @FieldResolver()
  policyName(
    @Root() { policyId }: ShownUnused,
    @Ctx() ctx: RequestContext,
  ): Promise<string | null> {
    return shownName(ctx, {}, 'servicePolicy', policyId);
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => Int, { description: GAINED })
  async gained(@Root() { effect }: ShownUnused): Promise<number> {
    return (await effect()).gained;
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => Int, { description: LOST })
  async lost(@Root() { effect }: ShownUnused): Promise<number> {
    return (await effect()).lost;
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => UnusedIdentityConnection, {
    description: 'Its identities that used none of its services.',
  })
  unusedIdentities(
    @Root() unused: ShownUnused,
    @Args(() => PairListArgs) args: PairArguments,
  ): Promise<Page> {
    return unusedMembersPage(unused, 'identities', args);
  }

  @Needs(may('service', 'read'))
  @FieldResolver(() => UnusedServiceConnection, {
    description: 'Its services that none of its identities used.',
  })
  unusedServices(
    @Root() unused: ShownUnused,
    @Args(() => PairListArgs) args: PairArguments,
  ): Promise<Page> {
    return unusedMembersPage(unused, 'services', args);
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(outputType(objects(() => ProposedChange)), { description: CHANGES })
  async changes(@Root() { narrowing, network }: ShownUnused): Promise<readonly ShownChange[]> {
    const { analyst, model } = network;
    return (await narrowing()).changes.map((change) =>
      shownChange(
        change,
        effectOnce(() => analyst.run(accessEffect(model, [change]))),
      ),
    );
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(outputType(objects(() => BroadRoles)), {
    description: 'The roles that stay, although only a part of what they select was used.',
  })
  async broadRoles(@Root() { narrowing }: ShownUnused): Promise<readonly BroadRoles[]> {
    return (await narrowing()).broadRoles;
  }
}
