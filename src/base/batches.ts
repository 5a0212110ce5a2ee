interface Waiting<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs items in batches, for each key by itself: the items that come while a batch runs form the next
 * one. A commit costs as much as several writes, so writes that come faster than commits share them.
 */
export class Batches<K, T> {
  /** The keys for which a batch runs, with the items that wait. */
  readonly #waiting = new Map<K, Waiting<T>[]>();

  constructor(
    /** Runs the items. If it rejects, it is called again with each of them alone. */
    private readonly run: (key: K, items: readonly T[]) => Promise<unknown>,
    /** Items in one batch. */
    private readonly most: number,
  ) {}

  /** Resolves when the item has run. */
  add(key: K, item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      const added = { item, resolve, reject };
      const waiting = this.#waiting.get(key);
      if (waiting) waiting.push(added);
      else void this.runAll(key, [added]);
    });
  }

  private async runAll(key: K, waiting: Waiting<T>[]): Promise<void> {
    this.#waiting.set(key, waiting);
    while (waiting.length > 0) await this.runBatch(key, waiting.splice(0, this.most));
    this.#waiting.delete(key);
  }

  /**
   * The items of a batch that fails run again, each by itself, so that a fault concerns its own item.
   * They do not wait for each other: while the database is away, each of them takes seconds to fail.
   */
  private async runBatch(key: K, batch: readonly Waiting<T>[]): Promise<void> {
    try {
      await this.run(
        key,
        batch.map(({ item }) => item),
      );
      for (const { resolve } of batch) resolve();
    } catch (error) {
      const [first, ...others] = batch;
      if (others.length === 0) first?.reject(error);
      else await Promise.all(batch.map((each) => this.runBatch(key, [each])));
    }
  }
}
