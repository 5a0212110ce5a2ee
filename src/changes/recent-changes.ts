import type { Cursor, LoggedChange } from '../kernel/request/store-port.js';

const MOST = 1_000;
const MOST_BYTES = 16 * 1024 * 1024;
const SLICE = 50;

/** The latest changes without a gap, as many as memory may hold. */
export class RecentChanges {
  #changes: LoggedChange[] = [];
  #bytes = 0;

  constructor(
    /** All that follows it, as far as it was read, is held. */
    private floor: Cursor,
  ) {}

  add(changes: readonly LoggedChange[]): void {
    this.#changes.push(...changes);
    for (const { size } of changes) this.#bytes += size;
    let gone = 0;
    while (
      this.#changes.length - gone > MOST ||
      (this.#bytes > MOST_BYTES && gone < this.#changes.length)
    ) {
      this.#bytes -= this.#changes[gone]?.size ?? 0;
      gone += 1;
    }
    if (gone === 0) return;
    this.floor = this.#changes[gone - 1]?.cursor ?? this.floor;
    this.#changes = this.#changes.slice(gone);
  }

  /** The next few after a place; undefined when they are not all held. */
  following(cursor: Cursor): readonly LoggedChange[] | undefined {
    if (cursor < this.floor) return undefined;
    let [low, high] = [0, this.#changes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.cursor ?? '') > cursor) high = middle;
      else low = middle + 1;
    }
    return this.#changes.slice(low, low + SLICE);
  }
}
