/** Something that was started, and how it is ended. */
interface Step {
  readonly what: string;
  /** It is left behind when its end takes longer. */
  readonly withinMs: number;
  readonly end: () => Promise<void>;
}

/**
 * Ends what was started, the last first. A step that fails or hangs does not keep the next ones from
 * their turn, and so the end comes within the sum of their times.
 */
export class OrderedStop {
  readonly #steps: Step[] = [];
  #running: Promise<void> | undefined;

  constructor(private readonly tell: (line: string) => void) {}

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
        if (!(await isOver(end(), withinMs))) this.tell(`${what} did not end in time`);
      } catch (error) {
        this.tell(`${what}: ${String(error)}`);
      }
    }
  }
}

/** Whether work came to its end in time; its failure is thrown. */
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
