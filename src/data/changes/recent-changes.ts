import { countBefore } from '../../base/sorted.js';
import type { Cursor, LoggedChange } from '../../kernel/request/store-port.js';

const MAX_CHANGES = 1_000;
const MAX_BYTES = 16 * 1024 * 1024;
const SLICE = 50;

/** The latest changes without a gap, within a memory limit. */
export class RecentChanges {
  #changes: LoggedChange[] = [];
  #bytes = 0;

  constructor(
    /** All changes after it, up to the last read one, are in memory. */
    private floor: Cursor,
  ) {}

  add(changes: readonly LoggedChange[]): void {
    this.#changes.push(...changes);
    for (const { size } of changes) this.#bytes += size;
    let removedCount = 0;
    while (
      this.#changes.length - removedCount > MAX_CHANGES ||
      (this.#bytes > MAX_BYTES && removedCount < this.#changes.length)
    ) {
      this.#bytes -= this.#changes[removedCount]?.size ?? 0;
      removedCount += 1;
    }
    if (removedCount === 0) return;
    this.floor = this.#changes[removedCount - 1]?.cursor ?? this.floor;
    this.#changes = this.#changes.slice(removedCount);
  }

  /** Gives the next few changes after a place; undefined when some are no longer in memory. */
  following(cursor: Cursor): readonly LoggedChange[] | undefined {
    if (cursor < this.floor) return undefined;
    const from = countBefore(this.#changes, (change) => change.cursor <= cursor);
    return this.#changes.slice(from, from + SLICE);
  }
}
