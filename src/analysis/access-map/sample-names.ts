import { compareBytes } from '../../base/byte-order.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { nextNames } from '../history/change-table.js';
import { resourceOf, shownName } from '../history/entity-name.js';
import type { NameSources } from '../history/entity-name.js';
import type { MapMembers } from './map-members.js';
import type { MapNode } from './map-node.js';

/** The number of names that a node shows. */
const SAMPLES = 3;
/** The members of nodes with few members are named by their ids, up to this number in all. */
const NAMED_BY_ID = 10_000;
/** The number of names of a statement. */
const SLICE = 1_000;

/** The sources of the names of a map. */
export interface MapNaming extends NameSources {
  /** The entities and policies whose names may differ from the present ones. */
  readonly renamed: (kind: MapNode['kind']) => Iterable<string>;
}

export type SampleNames = ReadonlyMap<MapNode, readonly string[]>;

/** Gives the first names of the members of nodes of one kind, in byte order. */
export async function sampleNames(
  ctx: RequestContext,
  nodes: readonly MapNode[],
  members: MapMembers,
  naming: MapNaming,
): Promise<SampleNames> {
  const { few, many } = bySize(nodes);
  const samples = new Map<MapNode, string[]>(nodes.map((node) => [node, []]));
  const ids: (readonly [MapNode, string])[] = [];
  for (const node of few) for (const id of await members.ids(node)) ids.push([node, id]);
  for await (const [node, name] of namesOf(ctx, ids, naming)) add(samples.get(node), name);
  if (many.length > 0) await readInOrder({ ctx, nodes: many, members, naming, samples });
  return samples;
}

/** Divides nodes into those whose members are named by their ids, and those with very many. */
function bySize(nodes: readonly MapNode[]): Record<'few' | 'many', MapNode[]> {
  const ordered = nodes.toSorted((a, b) => a.count - b.count);
  let count = 0;
  const end = ordered.findIndex((node) => (count += node.count) > NAMED_BY_ID);
  const few = end < 0 ? ordered : ordered.slice(0, end);
  return { few, many: ordered.slice(few.length) };
}

/** Keeps the first names. */
function add(names: string[] | undefined, name: string): void {
  if (!names) return;
  names.push(name);
  names.sort(compareBytes);
  if (names.length > SAMPLES) names.pop();
}

async function* namesOf(
  ctx: RequestContext,
  ids: readonly (readonly [MapNode, string])[],
  naming: MapNaming,
): AsyncGenerator<readonly [MapNode, string], void, undefined> {
  for (let from = 0; from < ids.length; from += SLICE) {
    const slice = ids.slice(from, from + SLICE);
    const names = await Promise.all(
      slice.map(async ([node, id]) => [node, await shownName(ctx, naming, node.kind, id)] as const),
    );
    for (const [node, name] of names) if (name !== null) yield [node, name];
  }
}

interface OrderedReading {
  readonly ctx: RequestContext;
  readonly nodes: readonly MapNode[];
  readonly members: MapMembers;
  readonly naming: MapNaming;
  readonly samples: ReadonlyMap<MapNode, string[]>;
}

/** Reads names in their order until each node has its first ones. */
async function readInOrder(reading: OrderedReading): Promise<void> {
  const { ctx, nodes, members, naming, samples } = reading;
  const [{ kind } = { kind: 'identity' as const }] = nodes;
  const nodeOf = nodesByMember(nodes, members);
  const renamed = new Set(naming.renamed(kind));
  const others = [...renamed].flatMap((id) => nodeOf(id).map((node) => [node, id] as const));
  const open = new Map<MapNode, number>(nodes.map((node) => [node, SAMPLES]));
  for await (const [node, name] of namesOf(ctx, others, naming)) add(samples.get(node), name);
  for (let after: string | undefined; open.size > 0;) {
    const rows = await nextNames(ctx.store, resourceOf(ctx, kind), after, SLICE);
    for (const { id, name } of rows.filter((row) => !renamed.has(row.id))) {
      for (const node of takeOpen(open, nodeOf(id))) add(samples.get(node), name);
    }
    if (rows.length < SLICE) return;
    after = rows.at(-1)?.name;
  }
}

/** Takes a name from the numbers that nodes still need; gives the nodes that needed one. */
const takeOpen = (open: Map<MapNode, number>, nodes: readonly MapNode[]): MapNode[] =>
  nodes.filter((node) => {
    const missing = open.get(node);
    if (missing === undefined) return false;
    if (missing > 1) open.set(node, missing - 1);
    else open.delete(node);
    return true;
  });

/** Gives the nodes that an entity or a policy is a member of. */
function nodesByMember(
  nodes: readonly MapNode[],
  members: MapMembers,
): (id: string) => readonly MapNode[] {
  const byItem = new Map(
    nodes.flatMap((node) => node.items.map((item) => [item, [node]] as const)),
  );
  return (id) => {
    const [first] = nodes;
    if (!first) return [];
    return members.itemsOf(first.kind, id).flatMap((item) => byItem.get(item) ?? []);
  };
}
