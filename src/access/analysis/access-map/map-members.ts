import { Bitset } from '../../../kernel/policy/index.js';
import type { Sliced } from '../../../base/slices.js';
import { lowerBound, sortedSliced } from '../pairs/byte-sorting.js';
import type { AccessMap } from './access-map.js';
import { isClassKind } from './map-node.js';
import type { MapNode } from './map-node.js';
import type { MapKind } from './map-scope.js';
import { NumberLists } from './number-lists.js';

/** Lists the members of nodes on demand. It reads the models of the map, which must not change. */
export class MapMembers {
  readonly #ordinals = new Map<MapKind, NumberLists>();
  readonly #sorted = new Map<string, Promise<readonly string[]>>();

  constructor(
    private readonly map: AccessMap,
    private readonly run: <T>(work: Sliced<T>) => Promise<T>,
  ) {}

  /** Gives at most `count` ids in byte order, after an id when given. */
  async page(
    node: MapNode,
    { count, offset, after }: { count: number; offset: number; after: string | undefined },
  ): Promise<string[]> {
    const ids = await this.sorted(node);
    const place = after === undefined ? 0 : lowerBound(ids, after);
    const start = place + (ids[place] === after ? 1 : 0) + offset;
    return ids.slice(start, start + count);
  }

  /** In no particular order. */
  ids({ kind, items }: MapNode): readonly string[] {
    const { scope } = this.map;
    if (!isClassKind(kind)) return items.flatMap((position) => scope.policies[position]?.id ?? []);
    const byClass = this.ordinalsByClass(kind);
    const members = new Bitset(scope.bound(kind));
    for (const number of items) for (const ordinal of byClass.at(number)) members.set(ordinal);
    return scope.idsAt(kind, members);
  }

  /** Gives the class of an entity, or the positions of a policy; nothing outside the map. */
  itemsOf(kind: MapNode['kind'], id: string): readonly number[] {
    if (!isClassKind(kind)) return this.map.scope.positionsOf(kind, id);
    const number = this.classOf(kind, id);
    return number === undefined ? [] : [number];
  }

  private classOf(kind: MapKind, id: string): number | undefined {
    const number = this.map.classes.get(kind)?.classOf[this.map.scope.ordinalOf(kind, id) ?? -1];
    return number === undefined || number < 0 ? undefined : number;
  }

  /** In byte order of the ids. */
  private sorted(node: MapNode): Promise<readonly string[]> {
    const listed = this.#sorted.get(node.key) ?? this.sort(node);
    this.#sorted.set(node.key, listed);
    return listed;
  }

  private sort(node: MapNode): Promise<readonly string[]> {
    return this.run(sortedSliced(this.ids(node)));
  }

  private ordinalsByClass(kind: MapKind): NumberLists {
    const classes = this.map.classes.get(kind);
    const ordinals =
      this.#ordinals.get(kind) ?? NumberLists.grouped(classes?.classOf ?? [], classes?.count ?? 0);
    this.#ordinals.set(kind, ordinals);
    return ordinals;
  }
}
