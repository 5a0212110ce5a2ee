import { tooManyRequests } from './errors.js';

/** Limits the work that runs at once and the work that waits; refuses more. */
export class Gate {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly maxRunning: number,
    private readonly maxWaiting = Infinity,
  ) {}

  /** @throws ApiError SERVER_TOO_MANY_REQUESTS when the queue is full */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.maxRunning) {
      if (this.#waiting.length >= this.maxWaiting) throw tooManyRequests(1);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // Passes the slot to the longest waiting work, so that new work can not overtake it.
      if (next) next();
      else this.#running -= 1;
    }
  }
}
