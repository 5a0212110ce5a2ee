import { compareBytes } from '../../../base/byte-order.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { nextNames } from '../../../kernel/read/entity-table.js';
import { resourceOf, shownName } from '../history/entity-name.js';
import type { NameSources } from '../history/entity-name.js';
import type { MapMembers } from './map-members.js';
import type { MapNode } from './map-node.js';

/** The number of names that a node shows. */
const SAMPLES = 3;
/** The number of names of a statement. */
const SLICE = 1_000;
/** Of nodes that are still open, those with few members are named by ids, up to this number in all. */
const NAMED_BY_ID = 10_000;

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
  const samples = new Map<MapNode, string[]>(nodes.map((node) => [node, []]));
  const names = new NamesInOrder({ ctx, nodes, members, naming, samples });
  const count = nodes.reduce((sum, node) => sum + node.count, 0);
  // Most large nodes have their first names soon; small ones would wait long for theirs.
  if (count > SLICE) await names.read();
  const few = smallest(names.open());
  names.close(few);
  const ids = few.flatMap((node) => members.ids(node).map((id) => [node, id] as const));
  for await (const [node, name] of namesOf(ctx, ids, naming)) add(samples.get(node), name);
  while (names.open().length > 0) await names.read();
  return samples;
}

/** Gives the smallest nodes, which have few members in all. */
function smallest(nodes: readonly MapNode[]): MapNode[] {
  let count = 0;
  return nodes
    .toSorted((a, b) => a.count - b.count)
    .filter((node) => (count += node.count) <= NAMED_BY_ID);
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

interface NamesInOrderOptions {
  readonly ctx: RequestContext;
  /** Of one kind. */
  readonly nodes: readonly MapNode[];
  readonly members: MapMembers;
  readonly naming: MapNaming;
  readonly samples: ReadonlyMap<MapNode, string[]>;
}

/** Names in their order, which are read until each node has its first ones. */
class NamesInOrder {
  /** The number of names that nodes still need. */
  readonly #missing: Map<MapNode, number>;
  /** By class, or by position of the policy. */
  readonly #nodes: MapNode[] = [];
  readonly #kind: MapNode['kind'];
  readonly #renamed: ReadonlySet<string>;
  #after: string | undefined;
  #isRead = false;

  constructor(private readonly options: NamesInOrderOptions) {
    const { nodes, naming } = options;
    this.#kind = nodes[0]?.kind ?? 'identity';
    this.#missing = new Map(nodes.map((node) => [node, SAMPLES]));
    for (const node of nodes) for (const item of node.items) this.#nodes[item] = node;
    this.#renamed = new Set(naming.renamed(this.#kind));
  }

  /** The nodes that need further names. */
  open(): MapNode[] {
    return this.#isRead ? [] : [...this.#missing.keys()];
  }

  /** Forgets nodes that get their names otherwise, and what was read for them. */
  close(nodes: readonly MapNode[]): void {
    for (const node of nodes) {
      this.#missing.delete(node);
      this.options.samples.get(node)?.splice(0);
    }
  }

  /** Reads the next names. */
  async read(): Promise<void> {
    const { ctx, samples } = this.options;
    if (this.#after === undefined) await this.#readRenamed();
    const rows = await nextNames(ctx.store, resourceOf(ctx, this.#kind), this.#after, SLICE);
    for (const { id, name } of rows) {
      if (this.#renamed.has(id)) continue;
      for (const node of this.#takeOpen(this.#nodesWith(id))) add(samples.get(node), name);
    }
    this.#isRead = rows.length < SLICE;
    this.#after = rows.at(-1)?.name;
  }

  /** Entities whose names may differ from the present ones are not in order. */
  async #readRenamed(): Promise<void> {
    const { ctx, naming, samples } = this.options;
    const ids = [...this.#renamed].flatMap((id) =>
      this.#nodesWith(id).map((node) => [node, id] as const),
    );
    for await (const [node, name] of namesOf(ctx, ids, naming)) add(samples.get(node), name);
  }

  #nodesWith(id: string): MapNode[] {
    return this.options.members.itemsOf(this.#kind, id).flatMap((item) => this.#nodes[item] ?? []);
  }

  /** Takes a name from the numbers that nodes still need; gives the nodes that needed one. */
  #takeOpen(nodes: readonly MapNode[]): MapNode[] {
    return nodes.filter((node) => {
      const missing = this.#missing.get(node);
      if (missing === undefined) return false;
      if (missing > 1) this.#missing.set(node, missing - 1);
      else this.#missing.delete(node);
      return true;
    });
  }
}
