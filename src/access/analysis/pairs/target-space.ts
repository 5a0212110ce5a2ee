import { Bitset } from '../../../kernel/policy/index.js';
import type { EntityKind } from '../../../kernel/policy/index.js';
import type { AccessModel } from '../model/access-model.js';
import { sortedSliced } from './byte-sorting.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';

/**
 * The possible targets, numbered in byte order of their ids and, within an id, by layer. A row is a
 * set of these numbers: it is as short as there are targets, and in the order of lists of pairs.
 */
export class TargetSpace {
  private constructor(
    private readonly ids: readonly string[],
    private readonly rankByOrdinal: Int32Array,
    private readonly among: readonly Bitset[],
  ) {}

  /** `among` restricts the targets of each layer. The models must have the same ordinals. */
  static *of(
    models: readonly AccessModel[],
    kind: EntityKind,
    among: readonly Bitset[],
  ): Sliced<TargetSpace> {
    const idSet = new Set<string>();
    const inAny = new Bitset();
    for (const layer of among) inAny.or(layer);
    for (const model of models) for (const id of model.idsOf(kind, inAny)) idSet.add(id);
    const ids = yield* sortedSliced([...idSet]);
    const bound = Math.max(0, ...models.map((model) => model.ordinalBound(kind)));
    const rankByOrdinal = new Int32Array(bound);
    let rank = 0;
    yield* eachSliced(ids, 2048, (id) => {
      for (const model of models) {
        const ordinal = model.ordinalOf(kind, id);
        if (ordinal !== undefined) rankByOrdinal[ordinal] = rank;
      }
      rank += 1;
    });
    return new TargetSpace(ids, rankByOrdinal, among);
  }

  /** An empty row. */
  row(): Bitset {
    return new Bitset(this.ids.length * this.among.length);
  }

  /** Adds the possible ones of the targets; gives whether there were any. */
  add(row: Bitset, targets: Bitset, layer: number): boolean {
    const { rankByOrdinal, among } = this;
    const layers = among.length;
    const possible = among[layer];
    let any = false;
    if (!possible) return any;
    targets
      .clone()
      .and(possible)
      .forEach((ordinal) => {
        any = true;
        row.set((rankByOrdinal[ordinal] ?? 0) * layers + layer);
      });
    return any;
  }

  /** Gives the row of all possible targets. */
  whole(): Bitset {
    const row = this.row();
    this.among.forEach((targets, layer) => this.add(row, targets, layer));
    return row;
  }

  /** Gives the target at a place of a row. */
  at(place: number): { readonly to: string; readonly layer: number } {
    const layers = this.among.length;
    const layer = place % layers;
    return { to: this.ids[(place - layer) / layers] ?? '', layer };
  }
}
