import type { Queryable } from '../base/sql.js';
import type { Circuit } from './circuit.js';
import { removeCircuits, storeCircuits } from './circuit-table.js';

const PAUSE_MILLIS = 50;
/** Beyond so many changes the oldest state of the table does not matter any more. */
const MOST_IN_ONE_WRITE = 5_000;

/**
 * Stores circuits behind their making, many at once: no dial waits for it. A controller that takes
 * over may miss the circuits of the last moment, which routers then report as unknown.
 */
export class CircuitStore {
  /** Circuit id -> its state to store; undefined: it ended. */
  #changes = new Map<string, Circuit | undefined>();
  #writing: Promise<void> | undefined;

  constructor(
    private readonly store: Queryable,
    private readonly onError: (error: unknown) => void,
  ) {}

  put(circuit: Circuit): void {
    this.#changes.set(circuit.id, circuit);
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
      const live = changes.flatMap(([, circuit]) => circuit ?? []);
      const ended = changes.flatMap(([id, circuit]) => (circuit ? [] : [id]));
      try {
        if (live.length > 0) await storeCircuits(this.store, live);
        if (ended.length > 0) await removeCircuits(this.store, ended);
      } catch (error) {
        this.onError(error);
      }
    }
    this.#writing = undefined;
  }
}
