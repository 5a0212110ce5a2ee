import { performance } from 'node:perf_hooks';
import { setImmediate as immediately } from 'node:timers/promises';
import type { Logger } from 'pino';
import { moveDueAssignments, removeEndedAssignments } from '../../access/assignments/index.js';
import { removeSettledRequests } from '../../access/requests/index.js';
import { roleAssignments } from '../../data/rows/role-assignment/index.js';
import type { Leases } from '../../data/store/leases.js';
import type { ContextFactory } from '../../graph/index.js';
import type { Store } from '../../kernel/request/store-port.js';
import { every } from './every.js';

/** The longest sleep, in case the clock of the database jumps or another controller stands still. */
const MAX_SLEEP_MILLIS = 1_000;
/** The pause after a step that could change nothing, although something is due. */
const PAUSE_MILLIS = 100;
/** How long an assignment waits that an access rule keeps from beginning. */
const REFUSED_MILLIS = 30_000;
const REMOVAL_MILLIS = 60_000;

interface AssignmentUpkeepOptions {
  readonly store: Store;
  readonly contexts: ContextFactory;
  readonly leases: Pick<Leases, 'alone'>;
  readonly log: Logger;
  /** How long ended assignments and settled requests stay: as long as their changes. */
  readonly keepMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Begins and ends role assignments when their time comes. Every controller does so, not only the holder of a lease:
 * then a controller that stands still delays none, and those that come second have nothing to change.
 */
export function startAssignmentUpkeep(options: AssignmentUpkeepOptions): () => Promise<void> {
  const { store, contexts, leases, keepMs, onError } = options;
  const clock = new AssignmentClock(options);
  store.onChange((changes) => {
    if (changes.some(({ resource }) => resource === 'RoleAssignment')) clock.wake();
  });
  const removal = every(
    REMOVAL_MILLIS,
    () =>
      leases.alone('ended role assignments', async () => {
        const ctx = contexts.make('', undefined);
        await removeEndedAssignments(ctx, keepMs);
        await removeSettledRequests(ctx, keepMs);
      }),
    onError,
  );
  clock.wake();
  return async () => {
    clearInterval(removal);
    await clock.stop();
  };
}

/** Sleeps until the next assignment begins or ends, and moves those that are due in steps. */
class AssignmentClock {
  readonly #refusedAt = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = false;

  constructor(private readonly options: AssignmentUpkeepOptions) {}

  /** Looks at once at what is due. */
  wake(): void {
    this.#isWoken = true;
    if (this.#running || this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#running = this.run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
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
    const ctx = this.options.contexts.make('', undefined);
    for (;;) {
      this.#isWoken = false;
      const except = this.refusedIds();
      const millis = await roleAssignments.millisUntilDue(this.options.store, except);
      if (this.#isStopped || millis === null) return MAX_SLEEP_MILLIS;
      if (millis > 0) return Math.min(MAX_SLEEP_MILLIS, Math.ceil(millis));
      const { count, refusedIds } = await moveDueAssignments(ctx, except);
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
    for (const id of ids) {
      this.#refusedAt.set(id, performance.now());
      this.options.log.warn({ roleAssignment: id }, 'an access rule keeps it from beginning');
    }
  }
}
