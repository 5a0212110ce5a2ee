/** Those who wait, served sender by sender: one who sends much is served no more often than others. */
export class FairQueue<T> {
  /** The order of the senders is that of their turns. */
  readonly #waiting = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(sender: string, item: T): void {
    const own = this.#waiting.get(sender);
    if (own) own.push(item);
    else this.#waiting.set(sender, [item]);
    this.#size += 1;
  }

  /** Takes the next one of those whose sender may have a turn. */
  next(hasTurn: (sender: string) => boolean): T | undefined {
    for (const [sender, own] of this.#waiting) {
      if (!hasTurn(sender)) continue;
      const [item] = own;
      this.#waiting.delete(sender);
      if (own.length > 1) this.#waiting.set(sender, own.slice(1));
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  /** Takes the last one of the sender with the most, unless `sender` has as many. */
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
    const left = this.#waiting.get(sender)?.filter((other) => other !== item) ?? [];
    if (left.length > 0) this.#waiting.set(sender, left);
    else this.#waiting.delete(sender);
    this.#size -= 1;
  }
}
