import { Arg, Args, Ctx, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import {
  shownName,
  type MapKind,
  type MapSide,
  type NameSources,
} from '../../../access/analysis/index.js';
import { failure, invalidField } from '../../../base/errors.js';
import { object, objects } from '../../../kernel/declare/attribute.js';
import { may } from '../../../kernel/declare/permissions.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { AlsoReads, Needs } from '../../../kernel/graph/needs.js';
import { EACH_CHANGE, Runs } from '../../../kernel/graph/pace.js';
import type { Page } from '../../../kernel/read/connection.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import type { PairArguments } from '../../analysis/access-list.js';
import {
  accessMapView,
  type AccessMapView,
  type ShownNode,
} from '../../analysis/access-map-view.js';
import { ACCESS_ENTITIES } from '../../analysis/permit-analysis.js';
import { PairListArgs } from './accesses-types.js';
import {
  AccessMap,
  AccessMapArgs,
  AccessMapMember,
  AccessMapMemberConnection,
  AccessMapNode,
  AccessMapPlace,
} from './access-map-types.js';

const LOST_KEY =
  'no class or policy has this key: its memberships have changed, or the other arguments are not those of the map';

const OF_POSTURE =
  'After `changes` it is about the policies, checks and identities as the changes leave them; what they delete is judged as before. Null for other kinds, and for the past.';

@Resolver()
export class AccessMapResolver {
  @Needs(may('identity', 'read'))
  @AlsoReads(...ACCESS_ENTITIES)
  @Runs({ lane: 'background', entryCost: EACH_CHANGE })
  @Query(outputType(object(() => AccessMap)), {
    description:
      'The policies of the network as a graph, for a picture of it: classes of entities that are in the same policies, the policies, and which classes they select. Exact, for all identities and services or a part of them, at present, in the past or after simulated changes. Classes and edges leave posture out.',
  })
  async accessMap(
    @Args(() => AccessMapArgs) args: AccessMapArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<AccessMap & ShownMap> {
    const view = await accessMapView(ctx, args);
    const { map } = view;
    const entityCount = (kind: MapKind): number => map.classes.get(kind)?.entityCount ?? 0;
    const classCount = (kind: MapKind): number => map.classes.get(kind)?.count ?? 0;
    return {
      nodes: map.nodes.map((node) => shownNode({ node, view })),
      edges: map.isPair ? map.edges : map.edges.map((edge) => ({ ...edge, change: null })),
      isMerged: map.isMerged,
      identityCount: entityCount('identity'),
      serviceCount: entityCount('service'),
      edgeRouterCount: entityCount('edgeRouter'),
      policyCount: map.scope.policies.length,
      identityClassCount: classCount('identity'),
      serviceClassCount: classCount('service'),
      edgeRouterClassCount: classCount('edgeRouter'),
      view,
    };
  }

  @Needs(may('identity', 'read'))
  @AlsoReads(...ACCESS_ENTITIES)
  @Runs({ lane: 'background', entryCost: EACH_CHANGE })
  @Query(outputType(object(() => AccessMapNode)), {
    nullable: true,
    description:
      'A node of the map with the same other arguments, by its key, or a class or a policy that the map merges. NOT_FOUND when no class has the key any longer.',
  })
  async accessMapClass(
    @Arg('key', () => ID, { description: 'The `key` of a node.' }) key: string,
    @Args(() => AccessMapArgs) args: AccessMapArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<AccessMapNode> {
    const view = await accessMapView(ctx, args);
    const node = await ctx.modules.analyst.run(view.map.find(key));
    if (!node) throw failure('NOT_FOUND', LOST_KEY);
    return shownNode({ node, view });
  }
}

function shownNode({ node, view }: ShownNode): AccessMapNode & ShownNode {
  const { key, kind, count, items, roleAttribute = null, type = null, sideCounts, change } = node;
  return {
    key,
    kind,
    count,
    isMerged: items.length > 1,
    mergedCount: items.length,
    roleAttribute,
    type,
    ...shownCounts(sideCounts),
    change: view.map.isPair ? change : null,
    node,
    view,
  };
}

const NO_COUNTS: ReadonlyMap<MapSide, number> = new Map();

const shownCounts = (
  counts = NO_COUNTS,
): Pick<AccessMapNode, 'identityCount' | 'serviceCount' | 'edgeRouterCount' | 'isEmpty'> => ({
  identityCount: counts.get('identities') ?? null,
  serviceCount: counts.get('services') ?? null,
  edgeRouterCount: counts.get('edgeRouters') ?? null,
  isEmpty: [...counts.values()].includes(0),
});

type ShownMap = Pick<ShownNode, 'view'>;

const MAX_PLACES = 5_000;

@Resolver(() => AccessMap)
export class AccessMapPlacesResolver {
  @Needs(may('identity', 'read'))
  @FieldResolver(outputType(objects(() => AccessMapPlace)), {
    description:
      'The nodes that entities and policies are in, in the order of `ids`. What is not in the map has none. With `changes`, a policy that changes its type is in two nodes.',
  })
  places(
    @Root() { view }: ShownMap,
    @Arg('ids', () => [ID], { description: 'Their ids, at most 5,000.' }) ids: string[],
  ): AccessMapPlace[] {
    if (ids.length > MAX_PLACES) throw invalidField('ids', 'must be at most 5,000', ids.length);
    return view.placesOf(ids);
  }
}

@Resolver(() => AccessMapNode)
export class AccessMapNodeResolver {
  @Needs(may('identity', 'read'))
  @FieldResolver(() => [String], {
    description:
      'The names of its first three members by name, at the requested time or in the simulation.',
  })
  async sampleNames(@Root() { node, view }: ShownNode): Promise<string[]> {
    return [...(await view.sampleNames(node))];
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => Int, {
    nullable: true,
    description:
      'Of identities: the number of those with a client that is connected to a router now. Of edge routers: the number of those that are connected now. Null for other kinds, and for the past.',
  })
  onlineCount(@Root() { node, view }: ShownNode): Promise<number | null> {
    return view.onlineCount(node);
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => Int, {
    nullable: true,
    description:
      'Of service policies: the number of those that need posture checks. Null for other kinds.',
  })
  checkedCount(@Root() { node, view }: ShownNode): number | null {
    return view.checkedCount(node);
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => Int, {
    nullable: true,
    description: `The number of identities whose posture can be judged now, because they have an API session: of identities, the members that a service policy of the map with posture checks selects; of service policies, the identities that one with posture checks selects. ${OF_POSTURE}`,
  })
  async judgedCount(@Root() { node, view }: ShownNode): Promise<number | null> {
    return (await view.postureCounts(node))?.judged ?? null;
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => Int, {
    nullable: true,
    description: `The number of those in \`judgedCount\` for which at least one of these policies grants nothing now: each of their API sessions fails at least one of its checks. Another policy may grant the same. ${OF_POSTURE}`,
  })
  async failingCount(@Root() { node, view }: ShownNode): Promise<number | null> {
    return (await view.postureCounts(node))?.failing ?? null;
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => AccessMapMemberConnection, {
    description: 'Its members, in the order of their ids.',
  })
  members(
    @Root() { node, view }: ShownNode,
    @Args(() => PairListArgs) args: PairArguments,
  ): Promise<Page> {
    return view.memberPage(node, args);
  }
}

@Resolver(() => AccessMapMember)
export class AccessMapMemberResolver {
  @Needs(may('identity', 'read'))
  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Its name at the requested time, or in the simulation; null if it no longer exists.',
  })
  name(
    @Root() { kind, entityId, ...naming }: ShownMember,
    @Ctx() ctx: RequestContext,
  ): Promise<string | null> {
    return shownName(ctx, naming, kind, entityId);
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => Boolean, {
    nullable: true,
    description:
      'Whether it is one of those in `failingCount`. Null unless it is one of those in `judgedCount`: for identities without an API session or without a policy that needs posture checks, for other kinds, and for the past.',
  })
  async failsPosture(@Root() { view, kind, entityId }: ShownMember): Promise<boolean | null> {
    return (await view.failsPosture(kind, entityId)) ?? null;
  }
}

interface ShownMember extends NameSources {
  readonly view: AccessMapView;
  readonly kind: ShownNode['node']['kind'];
  readonly entityId: string;
}
