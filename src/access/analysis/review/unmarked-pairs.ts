import type { AccessPair } from '../pairs/access-pair.js';
import type { PairList } from '../pairs/pair-list.js';
import type { Sliced } from '../../../base/slices.js';

const PAIRS_IN_A_STEP = 256;

/** Gives the first pairs of a list without a mark, after `after` when given. */
export function* unmarkedPairs(
  list: PairList<AccessPair>,
  isMarked: (pair: AccessPair) => boolean,
  { count, after }: { readonly count: number; readonly after: AccessPair | undefined },
): Sliced<AccessPair[]> {
  const unmarked: AccessPair[] = [];
  let untilPause = PAIRS_IN_A_STEP;
  for (const pair of list.after(after)) {
    if (unmarked.length === count) break;
    if (!isMarked(pair)) unmarked.push(pair);
    untilPause -= 1;
    if (untilPause > 0) continue;
    untilPause = PAIRS_IN_A_STEP;
    yield;
  }
  return unmarked;
}
