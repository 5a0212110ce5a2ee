import {
  accessMap,
  accessQuery,
  countCheckedPolicies,
  MIN_NODES,
  MapMembers,
  MapPosture,
  MAX_NODES,
  namesGiven,
  PastModel,
  placeIn,
  PolicyChecks,
  rowChangeOf,
  sampleNames,
  statesAfter,
  type AccessMap,
  type AccessModel,
  type MapNaming,
  type MapNode,
  type MapStates,
  type ModelChange,
  type PostureCounts,
  type SampleNames,
} from '../../access/analysis/index.js';
import { rehearse } from '../../inventory/drafts/index.js';
import { invalidField } from '../../base/errors.js';
import { lowerFirst } from '../../base/names.js';
import { decodeCursor, Page } from '../../kernel/read/connection.js';
import { windowOf } from '../../kernel/read/listing.js';
import { routers } from '../../data/rows/router/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { PendingChange } from '../../kernel/request/store-port.js';
import { perRequest } from '../../kernel/request/per-request.js';
import type { ServicePolicyType } from '../../kernel/policy/index.js';
import type { PairArguments } from './access-list.js';
import { judgedSessions } from './judged-sessions.js';

/** The map of access in the graph. */

export interface MapArguments {
  readonly type?: ServicePolicyType | null;
  readonly where?: object | null;
  readonly identityFilter?: string | null;
  readonly serviceFilter?: string | null;
  /** A point in the past. */
  readonly at?: string | null;
  readonly changes?: readonly ModelChange[] | null;
  readonly maxNodes: number;
}

/** A node with the map that it belongs to. */
export interface ShownNode {
  readonly node: MapNode;
  readonly view: AccessMapView;
}

/** The node that an entity or a policy is in. */
interface Place {
  readonly kind: MapNode['kind'];
  readonly entityId: string;
  readonly key: string;
}

/** A map with its names and members, which are read on demand. */
export class AccessMapView {
  private readonly members: MapMembers;
  private readonly samples = new Map<MapNode['kind'], Promise<SampleNames>>();
  /** By the number of the class. */
  private readonly online = new Map<MapNode['kind'], Promise<ReadonlyMap<number, number>>>();
  private posture: Promise<MapPosture> | undefined;
  private readonly postureCountsOf = new Map<MapNode, Promise<PostureCounts | undefined>>();
  private keysByKind: ReadonlyMap<MapNode['kind'], ReadonlyMap<number, string>> | undefined;

  constructor(
    private readonly ctx: RequestContext,
    readonly map: AccessMap,
    private readonly naming: MapNaming,
    /** The changes of a simulation. */
    private readonly changes: readonly PendingChange[] = [],
  ) {
    this.members = new MapMembers(map, (work) => ctx.modules.analyst.run(work));
  }

  /** Reads the names of all nodes of a kind at once. */
  async sampleNames(node: MapNode): Promise<readonly string[]> {
    const { kind } = node;
    const samples = this.samples.get(kind) ?? this.readSamples(this.nodesOf(kind));
    this.samples.set(kind, samples);
    const names = (await samples).get(node) ?? (await this.readSamples([node])).get(node);
    return names ?? [];
  }

  async memberPage(node: MapNode, args: PairArguments): Promise<Page> {
    const window = windowOf({}, args);
    const { limit, offset } = window;
    if (limit === 'none') throw invalidField('limit', 'is not to be had without limit here', -1);
    const [after] = args.after ? decodeCursor('after', args.after, 1) : [];
    const ids = await this.members.page(node, {
      count: limit + 1,
      offset,
      after: typeof after === 'string' ? after : undefined,
    });
    const { kind } = node;
    const nodes = ids.map((id) => ({
      kind,
      entityId: id,
      view: this,
      ...this.naming,
      '#s0': id,
    }));
    return new Page(nodes, node.count, window, 1, { after: args.after });
  }

  /** Gives the nodes of entities and policies of any kind; an id outside the map has none. */
  placesOf(ids: readonly string[]): Place[] {
    const kinds = [...this.keys.keys()];
    return ids.flatMap((entityId) =>
      kinds.flatMap((kind) => this.keysOf(kind, entityId).map((key) => ({ kind, entityId, key }))),
    );
  }

  private get keys(): ReadonlyMap<MapNode['kind'], ReadonlyMap<number, string>> {
    return (this.keysByKind ??= keysByItem(this.map.nodes));
  }

  private keysOf(kind: MapNode['kind'], entityId: string): string[] {
    const keys = this.keys.get(kind);
    return this.members.itemsOf(kind, entityId).flatMap((item) => keys?.get(item) ?? []);
  }

  /** Counts the members that are online now; null where that is not known. */
  async onlineCount({ kind, items }: MapNode): Promise<number | null> {
    if ((kind !== 'identity' && kind !== 'edgeRouter') || this.isPast) return null;
    const counts = this.online.get(kind) ?? this.countOnline(kind);
    this.online.set(kind, counts);
    const byClass = await counts;
    return items.reduce((sum, number) => sum + (byClass.get(number) ?? 0), 0);
  }

  /** Counts the policies that need posture checks; null for nodes of other kinds. */
  checkedCount(node: MapNode): number | null {
    return node.kind === 'servicePolicy' ? countCheckedPolicies(this.map, node) : null;
  }

  /** Counts the identities that posture is judged of now; undefined where that is not known. */
  async postureCounts(node: MapNode): Promise<PostureCounts | undefined> {
    if (this.isPast) return undefined;
    const counts = this.postureCountsOf.get(node) ?? this.countPosture(node);
    this.postureCountsOf.set(node, counts);
    return counts;
  }

  /** Whether an identity fails posture checks of a policy of the map; undefined without a verdict. */
  async failsPosture(kind: MapNode['kind'], id: string): Promise<boolean | undefined> {
    if (kind !== 'identity' || this.isPast) return undefined;
    return (await this.judged()).isFailing(id);
  }

  private get isPast(): boolean {
    return this.naming.place !== undefined;
  }

  private async countPosture(node: MapNode): Promise<PostureCounts | undefined> {
    if (node.kind !== 'identity' && node.kind !== 'servicePolicy') return undefined;
    const posture = await this.judged();
    return this.ctx.modules.analyst.run(posture.countsOf(node));
  }

  private judged(): Promise<MapPosture> {
    return (this.posture ??= this.judge());
  }

  private async judge(): Promise<MapPosture> {
    const { analyst } = this.ctx.modules;
    const checks = await analyst.run(PolicyChecks.of(this.map));
    return analyst.run(MapPosture.of(checks, await judgedSessions(this.ctx, checks, this.changes)));
  }

  /** Counts the members of each class that are online. */
  private async countOnline(kind: 'identity' | 'edgeRouter'): Promise<ReadonlyMap<number, number>> {
    const { store, modules, now } = this.ctx;
    const ids = await (kind === 'identity'
      ? modules.presence.onlineIdentities()
      : routers.onlineEdgeRouterIds(store, now()));
    const counts = new Map<number, number>();
    for (const number of ids.flatMap((id) => this.members.itemsOf(kind, id))) {
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    return counts;
  }

  private nodesOf(kind: MapNode['kind']): MapNode[] {
    return this.map.nodes.filter((node) => node.kind === kind);
  }

  private readSamples(nodes: readonly MapNode[]): Promise<SampleNames> {
    return sampleNames(this.ctx, nodes, this.members, this.naming);
  }
}

/** The keys of the nodes by kind and class, or by kind and position of the policy. */
function keysByItem(nodes: readonly MapNode[]): Map<MapNode['kind'], Map<number, string>> {
  const byKind = new Map<MapNode['kind'], Map<number, string>>();
  for (const { kind, items, key } of nodes) {
    const keys = byKind.get(kind) ?? new Map<number, string>();
    byKind.set(kind, keys);
    for (const item of items) keys.set(item, key);
  }
  return byKind;
}

const viewsOf = perRequest(() => new Map<string, Promise<AccessMapView>>());

/** Makes a map once in each request, however many fields ask for it. */
export function accessMapView(ctx: RequestContext, args: MapArguments): Promise<AccessMapView> {
  const { type, where, identityFilter, serviceFilter, at, changes, maxNodes } = args;
  if (maxNodes < MIN_NODES || maxNodes > MAX_NODES) {
    const range = `must be from ${String(MIN_NODES)} to ${String(MAX_NODES)}`;
    throw invalidField('maxNodes', range, maxNodes);
  }
  if (at && changes) throw invalidField('at', 'changes can be simulated at present alone', at);
  const views = viewsOf(ctx);
  const key = JSON.stringify([type, where, identityFilter, serviceFilter, at, changes, maxNodes]);
  const view = views.get(key) ?? makeView(ctx, args);
  views.set(key, view);
  return view;
}

async function makeView(ctx: RequestContext, args: MapArguments): Promise<AccessMapView> {
  const { analyst } = ctx.modules;
  const { changes, at, maxNodes, type = null, where = null } = args;
  const rows = changes ? await rehearse(ctx, changes) : undefined;
  const model = await analyst.modelAt(ctx, at);
  const { identityFilter = null, serviceFilter = null } = args;
  const query = await accessQuery(ctx, model, {}, { type, where, identityFilter, serviceFilter });
  const states: MapStates = rows
    ? await analyst.run(
        statesAfter(
          model,
          rows.flatMap((row) => rowChangeOf(row) ?? []),
        ),
      )
    : { before: model, after: model };
  const map = await analyst.run(accessMap(states, query, maxNodes));
  const naming: MapNaming = {
    newName: rows && namesGiven(rows),
    place: placeIn(model),
    renamed: (kind) => [
      ...(rows ?? []).filter((row) => lowerFirst(row.resource) === kind).map(({ id }) => id),
      ...renamedSince(model, kind),
    ],
  };
  return new AccessMapView(ctx, map, naming, rows);
}

/** The rows of a kind that changed since the place of a past model. */
const renamedSince = (model: AccessModel, kind: MapNode['kind']): string[] =>
  model instanceof PastModel ? [...model.replaced(kind), ...model.present.replaced(kind)] : [];
