import type { MainThread } from './vital-signs.js';

/** What nobody else may be kept waiting for by one request. */
export const MAX_STALL_MILLIS = 500;
const LOOK_MILLIS = 50;
/** Main threads use no more processor time than goes by. */
const NOTICEABLE_MILLIS = 400;

/** Requests one of which may have kept the process to itself for so long. */
export interface Suspicion<T> {
  readonly usedMillis: number;
  readonly underWay: readonly T[];
}

/**
 * Notices when a process answers nobody while it uses the processor. It may have been slow answers
 * to several requests while this process itself was not running: the requests are tried alone then.
 */
export class StallWatch<T> {
  readonly suspicions: Suspicion<T>[] = [];
  readonly #underWay = new Set<T>();
  readonly #timer: NodeJS.Timeout;
  #usedAtLook: number;
  #progressAt = performance.now();

  constructor(private readonly thread: MainThread) {
    this.#usedAtLook = thread.used;
    this.#timer = setInterval(() => {
      // As long as something moves: so the last look is at most one interval before the last move.
      if (performance.now() - this.#progressAt < LOOK_MILLIS) this.#usedAtLook = thread.used;
    }, LOOK_MILLIS);
  }

  begin(request: T): void {
    this.#underWay.add(request);
  }

  end(request: T): void {
    this.#underWay.delete(request);
  }

  /** The process has answered something. */
  readonly progress = (): void => {
    const now = performance.now();
    if (now - this.#progressAt > NOTICEABLE_MILLIS) this.look();
    this.#progressAt = now;
  };

  stop(): void {
    clearInterval(this.#timer);
  }

  private look(): void {
    const { used } = this.thread;
    const usedMillis = used - this.#usedAtLook;
    this.#usedAtLook = used;
    if (usedMillis <= MAX_STALL_MILLIS) return;
    this.suspicions.push({ usedMillis, underWay: [...this.#underWay] });
  }
}
