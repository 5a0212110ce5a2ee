/**
 * A queue that serves senders in turn: a sender with many items is not served more often than
 * others.
 */
export class FairQueue<T> {
  /** Items by sender, in the order of the senders' turns. */
  readonly #waiting = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(sender: string, item: T): void {
    const items = this.#waiting.get(sender);
    if (items) items.push(item);
    else this.#waiting.set(sender, [item]);
    this.#size += 1;
  }

  /** Removes and gives the next item whose sender may have a turn. */
  next(hasTurn: (sender: string) => boolean): T | undefined {
    for (const [sender, items] of this.#waiting) {
      if (!hasTurn(sender)) continue;
      const [item] = items;
      this.#waiting.delete(sender);
      if (items.length > 1) this.#waiting.set(sender, items.slice(1));
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  /**
   * Removes and gives the last item of the sender with the most items; undefined if `sender` has as
   * many.
   */
  dropFor(sender: string): T | undefined {
    let [longest, most] = [sender, this.#waiting.get(sender)?.length ?? 0];
    for (const [other, { length }] of this.#waiting) {
      if (length > most) [longest, most] = [other, length];
    }
    if (longest === sender) return undefined;
    const item = this.#waiting.get(longest)?.at(-1);
    if (item !== undefined) this.remove(longest, item);
    return item;
  }

  remove(sender: string, item: T): void {
    const remaining = this.#waiting.get(sender)?.filter((other) => other !== item) ?? [];
    if (remaining.length > 0) this.#waiting.set(sender, remaining);
    else this.#waiting.delete(sender);
    this.#size -= 1;
  }
}
