import { tooManyRequests } from '../base/errors.js';

/** Lets so many pieces of work run at once and so many wait; more are refused. */
export class Gate {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly most: number,
    private readonly queue: number,
  ) {}

  /** @throws ApiError SERVER_TOO_MANY_REQUESTS when the queue is full */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.most) {
      if (this.#waiting.length >= this.queue) throw tooManyRequests(1);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The place is handed on, so that nobody overtakes those who wait.
      if (next) next();
      else this.#running -= 1;
    }
  }
}
