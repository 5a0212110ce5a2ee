import { compareBytes } from '../../../base/byte-order.js';
import type { Bitset } from '../../../kernel/policy/index.js';
import { lowerBound } from './byte-sorting.js';
import type { TargetSpace } from './target-space.js';

/** The position of a pair in the order of pairs: by the bytes of both ids, then by layer. */
export interface PairKey {
  readonly from: string;
  readonly to: string;
  readonly layer: number;
}

/** Converts between keys and pairs. */
export interface PairShape<P> {
  readonly make: (key: PairKey) => P;
  readonly keyOf: (pair: P) => PairKey;
}

export interface Page<P> {
  readonly pairs: P[];
  readonly hasMore: boolean;
}

interface PairRows {
  readonly totalCount: number;
  /** The ids with at least one pair, in byte order. */
  readonly fromIds: readonly string[];
  /** Gives places in the space. */
  readonly rowOf: (fromId: string) => Bitset;
  readonly space: TargetSpace;
}

/**
 * Pairs in order: their number is known, the pairs are computed on demand. The list reads the model
 * it was made from, which must not change.
 */
export class PairList<P> implements Iterable<P> {
  constructor(
    private readonly shape: PairShape<P>,
    private readonly rows: PairRows,
  ) {}

  get totalCount(): number {
    return this.rows.totalCount;
  }

  /** The ids on the left of at least one pair, in byte order. */
  get fromIds(): readonly string[] {
    return this.rows.fromIds;
  }

  get first(): P | undefined {
    return this.page(1).pairs[0];
  }

  [Symbol.iterator](): Generator<P, void, undefined> {
    return this.after();
  }

  page(first: number, after?: P): Page<P> {
    const pairs: P[] = [];
    for (const pair of this.after(after)) {
      if (pairs.length === first) return { pairs, hasMore: true };
      pairs.push(pair);
    }
    return { pairs, hasMore: false };
  }

  /** Yields the pairs after a given one, which need not be in the list. */
  *after(pair?: P): Generator<P, void, undefined> {
    const start = pair && this.shape.keyOf(pair);
    const { fromIds } = this.rows;
    for (let i = start ? lowerBound(fromIds, start.from) : 0; i < fromIds.length; i += 1) {
      for (const key of this.keysOf(fromIds[i] ?? '')) {
        if (!start || isAfter(key, start)) yield this.shape.make(key);
      }
    }
  }

  private *keysOf(from: string): Generator<PairKey, void, undefined> {
    for (const place of this.rows.rowOf(from)) yield { from, ...this.rows.space.at(place) };
  }
}

export const isAfter = (key: PairKey, other: PairKey): boolean =>
  (compareBytes(key.from, other.from) ||
    compareBytes(key.to, other.to) ||
    key.layer - other.layer) > 0;
