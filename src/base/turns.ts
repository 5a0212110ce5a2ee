/** Runs so much work at the same time; other work waits for its turn, in the order of the calls. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(private readonly most: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.most) this.#running += 1;
    else
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The next one takes the place of this one.
      if (next) next();
      else this.#running -= 1;
    }
  }
}
