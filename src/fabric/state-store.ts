const PAUSE_MILLIS = 50;
/** Beyond so many changes the oldest state of the table does not matter any more. */
const MOST_IN_ONE_WRITE = 5_000;

/** The statements of a table of states. */
export interface StateTable<T> {
  put(states: readonly T[]): Promise<void>;
  /** Absent where states go with what they belong to. */
  remove?(states: readonly T[]): Promise<void>;
}

interface StateChange<T> {
  readonly state: T;
  readonly isGone: boolean;
}

/**
 * Stores states behind their changes, many at once: no dial and no report of a router waits for it. A
 * controller that takes over may miss those of the last moment, which routers then report.
 */
export class StateStore<T extends { readonly id: string }> {
  /** Id -> its latest state, and whether it is gone. */
  #changes = new Map<string, StateChange<T>>();
  #writing: Promise<void> | undefined;

  constructor(
    private readonly table: StateTable<T>,
    private readonly onError: (error: unknown) => void,
    private readonly mostInOneWrite = MOST_IN_ONE_WRITE,
  ) {}

  put(state: T): void {
    this.#changes.set(state.id, { state, isGone: false });
    this.#writing ??= this.write();
  }

  remove(state: T): void {
    this.#changes.set(state.id, { state, isGone: true });
    this.#writing ??= this.write();
  }

  /** Resolves when everything is stored. */
  async stop(): Promise<void> {
    await this.#writing;
  }

  private async write(): Promise<void> {
    while (this.#changes.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
      const changes = [...this.#changes].slice(0, this.mostInOneWrite);
      for (const [id] of changes) this.#changes.delete(id);
      const states = (areGone: boolean): T[] =>
        changes.flatMap(([, { state, isGone }]) => (isGone === areGone ? [state] : []));
      const [present, gone] = [states(false), states(true)];
      try {
        if (present.length > 0) await this.table.put(present);
        if (gone.length > 0) await this.table.remove?.(gone);
      } catch (error) {
        this.onError(error);
      }
    }
    this.#writing = undefined;
  }
}
