/** A started part of the program, and the function that ends it. */
interface Step {
  readonly what: string;
  /** Time limit of its end; after it the next step begins. */
  readonly withinMs: number;
  readonly end: () => Promise<void>;
}

/**
 * Ends started parts, the last one first. A step that fails or hangs does not stop the next ones,
 * so the whole end takes at most the sum of their time limits.
 */
export class OrderedStop {
  readonly #steps: Step[] = [];
  #running: Promise<void> | undefined;

  constructor(private readonly log: (line: string) => void) {}

  add(what: string, withinMs: number, end: () => Promise<void>): void {
    this.#steps.push({ what, withinMs, end });
  }

  run(): Promise<void> {
    return (this.#running ??= this.#unwind());
  }

  async #unwind(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      const { what, withinMs, end } = step;
      try {
        if (!(await isOver(end(), withinMs))) this.log(`${what} did not end in time`);
      } catch (error) {
        this.log(`${what}: ${String(error)}`);
      }
    }
  }
}

/** Whether work ends in time; throws if it fails. */
export async function isOver(work: Promise<unknown>, withinMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, withinMs, false);
  });
  try {
    return await Promise.race([work.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
