const PAUSE_MILLIS = 50;
/** Beyond so many changes the oldest state of the table does not matter any more. */
const MOST_IN_ONE_WRITE = 5_000;

/** The statements of a table of states. */
export interface StateTable<T> {
  put(states: readonly T[]): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

/**
 * Stores states behind their changes, many at once: no dial and no report of a router waits for it. A
 * controller that takes over may miss those of the last moment, which routers then report.
 */
export class StateStore<T extends { readonly id: string }> {
  /** Id -> its state to store; undefined: it is gone. */
  #changes = new Map<string, T | undefined>();
  #writing: Promise<void> | undefined;

  constructor(
    private readonly table: StateTable<T>,
    private readonly onError: (error: unknown) => void,
  ) {}

  put(state: T): void {
    this.#changes.set(state.id, state);
    this.#writing ??= this.write();
  }

  remove(id: string): void {
    this.#changes.set(id, undefined);
    this.#writing ??= this.write();
  }

  /** Resolves when everything is stored. */
  async stop(): Promise<void> {
    await this.#writing;
  }

  private async write(): Promise<void> {
    while (this.#changes.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
      const changes = [...this.#changes].slice(0, MOST_IN_ONE_WRITE);
      for (const [id] of changes) this.#changes.delete(id);
      const present = changes.flatMap(([, state]) => state ?? []);
      const gone = changes.flatMap(([id, state]) => (state ? [] : [id]));
      try {
        if (present.length > 0) await this.table.put(present);
        if (gone.length > 0) await this.table.remove(gone);
      } catch (error) {
        this.onError(error);
      }
    }
    this.#writing = undefined;
  }
}
