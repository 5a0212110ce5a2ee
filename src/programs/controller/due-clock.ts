import { performance } from 'node:perf_hooks';
import { setImmediate as immediately } from 'node:timers/promises';
import type { Logger } from 'pino';
import { lowerFirst } from '../../base/names.js';
import type { Store } from '../../kernel/request/store-port.js';

/** The longest sleep, in case the clock of the database jumps or another controller stands still. */
const MAX_SLEEP_MILLIS = 1_000;
/** The pause after a step that could change nothing, although something is due. */
const PAUSE_MILLIS = 100;
/** How long an entity waits that an access rule keeps from beginning. */
const REFUSED_MILLIS = 30_000;

/** The outcome of one step. */
interface MovedEntities {
  readonly count: number;
  /** The entities that an access rule keeps from beginning. */
  readonly refusedIds: readonly string[];
}

interface DueClockOptions {
  readonly store: Pick<Store, 'onChange'>;
  readonly log: Logger;
  /** The resource whose entities begin and end. */
  readonly resource: string;
  /** Milliseconds by the clock of the database until the next one begins or ends; null without one. */
  readonly millisUntilDue: (except: readonly string[]) => Promise<number | null>;
  /** Begins and ends some of those that are due. */
  readonly moveDue: (except: readonly string[]) => Promise<MovedEntities>;
  readonly onError: (error: unknown) => void;
}

/** Sleeps until the next entity begins or ends, and moves those that are due in steps. */
export class DueClock {
  readonly #refusedAt = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = false;

  constructor(private readonly options: DueClockOptions) {
    const { store, resource } = options;
    store.onChange((changes) => {
      if (changes.some((change) => change.resource === resource)) this.wake();
    });
    this.wake();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Looks at once at what is due. */
  private wake(): void {
    this.#isWoken = true;
    if (this.#running || this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#running = this.run();
  }

  private async run(): Promise<void> {
    let sleepMillis = MAX_SLEEP_MILLIS;
    try {
      sleepMillis = await this.moveAll();
    } catch (error) {
      this.options.onError(error);
    }
    this.#running = undefined;
    if (this.#isStopped) return;
    if (this.#isWoken && sleepMillis > PAUSE_MILLIS) sleepMillis = PAUSE_MILLIS;
    this.#timer = setTimeout(() => {
      this.wake();
    }, sleepMillis);
    this.#timer.unref();
  }

  /** Moves all that are due, and gives the time until the next one. */
  private async moveAll(): Promise<number> {
    for (;;) {
      this.#isWoken = false;
      const except = this.refusedIds();
      const millis = await this.options.millisUntilDue(except);
      if (this.#isStopped || millis === null) return MAX_SLEEP_MILLIS;
      if (millis > 0) return Math.min(MAX_SLEEP_MILLIS, Math.ceil(millis));
      const { count, refusedIds } = await this.options.moveDue(except);
      this.refuse(refusedIds);
      if (count === 0 && refusedIds.length === 0) return PAUSE_MILLIS;
      // Requests that wait come before the next step.
      await immediately();
    }
  }

  private refusedIds(): string[] {
    const now = performance.now();
    for (const [id, at] of this.#refusedAt) {
      if (now - at >= REFUSED_MILLIS) this.#refusedAt.delete(id);
    }
    return [...this.#refusedAt.keys()];
  }

  private refuse(ids: readonly string[]): void {
    const { log, resource } = this.options;
    for (const id of ids) {
      this.#refusedAt.set(id, performance.now());
      log.warn({ [lowerFirst(resource)]: id }, 'an access rule keeps it from beginning');
    }
  }
}
