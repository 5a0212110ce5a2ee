import { ApiError } from '../../base/errors.js';

const PAUSE_MILLIS = 50;
/** The pause before another try, when the database does not answer. */
const RETRY_MILLIS = 1_000;
/** Beyond so many changes the oldest state of the table does not matter any more. */
const MAX_IN_ONE_WRITE = 5_000;

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

export interface StateStoreOptions<T> {
  readonly table: StateTable<T>;
  /** Called with why states are not stored, or not yet. */
  readonly onError: (error: unknown) => void;
  /** Whether the table is that of this controller now; until then changes wait. Default: always. */
  readonly isOwner?: (() => boolean) | undefined;
  readonly mostInOneWrite?: number;
  readonly retryMillis?: number;
}

/**
 * Stores states behind their changes, many at once: no dial and no report of a router waits for it. A
 * controller that takes over may miss those of the last moment, which routers then report. While the
 * database does not answer, changes wait; a state that it refuses is left out alone.
 */
export class StateStore<T extends { readonly id: string }> {
  /** Id -> its latest state, and whether it is gone. */
  #changes = new Map<string, StateChange<T>>();
  #writing: Promise<void> | undefined;
  #isStopping = false;

  constructor(private readonly options: StateStoreOptions<T>) {}

  put(state: T): void {
    this.#changes.set(state.id, { state, isGone: false });
    this.#writing ??= this.write();
  }

  remove(state: T): void {
    this.#changes.set(state.id, { state, isGone: true });
    this.#writing ??= this.write();
  }

  /** Leaves out what waits: another controller has stored newer states. */
  forget(): void {
    this.#changes.clear();
  }

  /** Resolves when everything is stored, or can not be stored. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#writing;
  }

  private get isOwner(): boolean {
    return this.options.isOwner?.() ?? true;
  }

  private async write(): Promise<void> {
    const { retryMillis = RETRY_MILLIS } = this.options;
    let pause = PAUSE_MILLIS;
    while (this.#changes.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      const waiting = await this.writeSome();
      for (const change of waiting) {
        const { id } = change.state;
        if (!this.#changes.has(id)) this.#changes.set(id, change);
      }
      if (waiting.length > 0 && this.#isStopping) break;
      pause = waiting.length > 0 && this.isOwner ? retryMillis : PAUSE_MILLIS;
    }
    this.#writing = undefined;
  }

  /** Gives the changes that must wait. */
  private async writeSome(): Promise<StateChange<T>[]> {
    const { table, mostInOneWrite = MAX_IN_ONE_WRITE } = this.options;
    const some = [...this.#changes.values()].slice(0, mostInOneWrite);
    if (!this.isOwner) return some;
    for (const { state } of some) this.#changes.delete(state.id);
    const present = some.filter(({ isGone }) => !isGone);
    const gone = some.filter(({ isGone }) => isGone);
    return [
      ...(await this.writeAll(present, (states) => table.put(states))),
      ...(await this.writeAll(gone, async (states) => table.remove?.(states))),
    ];
  }

  /** Gives the changes that must wait. A state that is refused is found by halves. */
  private async writeAll(
    changes: readonly StateChange<T>[],
    write: (states: readonly T[]) => Promise<void>,
  ): Promise<readonly StateChange<T>[]> {
    if (changes.length === 0) return [];
    try {
      await write(changes.map(({ state }) => state));
      return [];
    } catch (error) {
      if (isUnavailable(error)) {
        this.options.onError(error);
        return changes;
      }
      if (changes.length === 1) {
        this.options.onError(error);
        return [];
      }
      const half = Math.ceil(changes.length / 2);
      const first = await this.writeAll(changes.slice(0, half), write);
      return [...first, ...(await this.writeAll(changes.slice(half), write))];
    }
  }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'UNAVAILABLE' || error.code === 'TIMEOUT');
