import { compareBytes } from '../../base/byte-order.js';
import { rankOf, RANKS, type Entry, type Sought } from './rank.js';
import type { Sliced } from '../../base/slices.js';

/** Hits are counted exactly up to this number. */
export const MAX_COUNTED = 1_000;

/** Entries between two pauses. */
const STRIDE = 1_000;

/** The entities of one resource, in the order of `compareEntries`. */
export interface EntryList {
  readonly type: string;
  readonly entries: readonly Entry[];
  /** The ids that the caller may read; undefined if it may read all. */
  readonly visible: ReadonlySet<string> | undefined;
}

/** The place of a hit: rank, name, id and type. */
export interface Place {
  readonly rank: number;
  readonly name: string;
  readonly id: string;
  readonly type: string;
}

export const compareEntries = (
  a: Pick<Entry, 'name' | 'id'>,
  b: Pick<Entry, 'name' | 'id'>,
): number => compareBytes(a.name, b.name) || compareBytes(a.id, b.id);

const comparePlaces = (a: Place, b: Place): number =>
  a.rank - b.rank || compareEntries(a, b) || compareBytes(a.type, b.type);

export interface Window {
  /** Only hits after this place. */
  readonly after: Place | undefined;
  /** At most so many hits. */
  readonly limit: number;
}

export interface FoundPlaces {
  /** The first hits of the window, in order. */
  readonly places: readonly Place[];
  /** The hits of all pages; one more than `MAX_COUNTED` stands for more. */
  readonly count: number;
}

/** Finds the entities that match, the best ones first. */
export function* findPlaces(
  lists: readonly EntryList[],
  sought: Sought,
  window: Window,
): Sliced<FoundPlaces> {
  const places: Place[] = [];
  const counter = { count: 0 };
  for (const list of lists) places.push(...(yield* placesIn(list, sought, window, counter)));
  return { places: places.sort(comparePlaces).slice(0, window.limit), count: counter.count };
}

function* placesIn(
  { type, entries, visible }: EntryList,
  sought: Sought,
  window: Window,
  counter: { count: number },
): Sliced<Place[]> {
  const best = new BestPlaces(type, window);
  let untilPause = STRIDE;
  for (const entry of entries) {
    untilPause -= 1;
    if (untilPause === 0) {
      untilPause = STRIDE;
      yield;
    }
    const isCounting = counter.count <= MAX_COUNTED;
    if (!isCounting && best.below === 0) break;
    if (visible?.has(entry.id) === false) continue;
    // When all hits are counted, only those that the window needs matter.
    const rank = rankOf(entry, sought, isCounting ? RANKS : best.below);
    if (rank === undefined) continue;
    if (isCounting) counter.count += 1;
    best.add(entry, rank);
  }
  return best.places();
}

/** The best hits of one list, whose entries come in order. */
class BestPlaces {
  /** Hits of this rank and of worse ranks are no longer needed. */
  below: number;
  readonly #byRank: Entry[][] = Array.from({ length: RANKS }, () => []);

  constructor(
    private readonly type: string,
    private readonly window: Window,
  ) {
    this.below = window.limit === 0 ? 0 : RANKS;
  }

  add(entry: Entry, rank: number): void {
    if (rank >= this.below || !this.isInWindow(entry, rank)) return;
    this.#byRank[rank]?.push(entry);
    let sum = 0;
    for (let better = 0; better < this.below; better += 1) {
      sum += this.#byRank[better]?.length ?? 0;
      // Further hits of this rank come later in the order.
      if (sum >= this.window.limit) this.below = better;
    }
  }

  places(): Place[] {
    const { type } = this;
    return this.#byRank.flatMap((entries, rank) =>
      entries.map(({ name, id }): Place => ({ rank, name, id, type })),
    );
  }

  private isInWindow({ name, id }: Entry, rank: number): boolean {
    const { after } = this.window;
    return !after || comparePlaces({ rank, name, id, type: this.type }, after) > 0;
  }
}
