/** Numbers that look random and are the same in every run (mulberry32). */
export class Random {
  constructor(private state: number) {}

  /** Gives a whole number from 0 on, below the limit. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) % limit;
  }

  /** Whether something with a probability in percent happens. */
  happens(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new RangeError('there is nothing to pick from');
    return choice;
  }

  /** Picks one of the choices by their weights. */
  weighted<T>(choices: readonly (readonly [T, number])[]): T {
    return this.pick(choices.flatMap(([choice, weight]) => Array<T>(weight).fill(choice)));
  }
}
