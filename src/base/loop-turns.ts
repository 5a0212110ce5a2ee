/**
 * Shares the turns of the event loop: each turn has room for a few steps of work that is always ready to go on,
 * in the order in which they are asked for, and everything else runs between two turns.
 */
export class LoopTurns {
  #left: number;
  #isCounting = false;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly stepsPerTurn: number) {
    this.#left = stepsPerTurn;
  }

  /** Resolves in a turn that has room for one more step. */
  async next(): Promise<void> {
    if (this.#left === 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      return;
    }
    this.#left -= 1;
    this.beginAnew();
  }

  private beginAnew(): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    setImmediate(() => {
      this.#isCounting = false;
      const steps = this.#waiting.splice(0, this.stepsPerTurn);
      this.#left = this.stepsPerTurn - steps.length;
      if (steps.length > 0) this.beginAnew();
      for (const step of steps) step();
    });
  }
}
