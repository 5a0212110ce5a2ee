import { eachSliced } from '../slices.js';
import type { Sliced } from '../slices.js';
import { lowerBound, sortedSliced } from '../byte-sorting.js';
import type { AccessMap } from './access-map.js';
import { isClassKind } from './map-node.js';
import type { MapNode } from './map-node.js';
import type { MapKind } from './map-scope.js';

/** The ids of the entities of a kind, grouped by class. */
interface IdsByClass {
  readonly ids: readonly string[];
  /** The place of the first id of each class, and the end. */
  readonly starts: Int32Array;
}

/** Lists the members of nodes on demand. It reads the models of the map, which must not change. */
export class MapMembers {
  readonly #grouped = new Map<MapKind, Promise<IdsByClass>>();
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
  async ids({ kind, items }: MapNode): Promise<readonly string[]> {
    if (!isClassKind(kind)) {
      return items.flatMap((position) => this.map.scope.policies[position]?.id ?? []);
    }
    const { ids, starts } = await this.grouped(kind);
    return items.flatMap((number) => ids.slice(starts[number], starts[number + 1]));
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

  private async sort(node: MapNode): Promise<readonly string[]> {
    return this.run(sortedSliced(await this.ids(node)));
  }

  private grouped(kind: MapKind): Promise<IdsByClass> {
    const grouped = this.#grouped.get(kind) ?? this.run(this.group(kind));
    this.#grouped.set(kind, grouped);
    return grouped;
  }

  private *group(kind: MapKind): Sliced<IdsByClass> {
    const starts = new Int32Array((this.map.classes.get(kind)?.count ?? 0) + 1);
    const listed: { readonly id: string; readonly number: number }[] = [];
    yield* eachSliced(this.map.scope.ids(kind), 512, (id) => {
      const number = this.classOf(kind, id);
      if (number === undefined) return;
      listed.push({ id, number });
      starts[number + 1] = (starts[number + 1] ?? 0) + 1;
    });
    for (let i = 1; i < starts.length; i += 1) starts[i] = (starts[i] ?? 0) + (starts[i - 1] ?? 0);
    const places = starts.slice();
    const ids = Array.from({ length: listed.length }, () => '');
    yield* eachSliced(listed, 1024, ({ id, number }) => {
      const place = places[number] ?? 0;
      ids[place] = id;
      places[number] = place + 1;
    });
    return { ids, starts };
  }
}
