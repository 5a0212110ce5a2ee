const CIRCUIT_COST = 2;
const FAILURE_COST = 20;
const SUCCESS_CREDIT = 2;
/** Half of the cost of failures is forgotten in this time. */
const HALF_LIFE_MILLIS = 60_000;
const MOST_FAILURE_COST = 0xffff;

interface Costs {
  circuits: number;
  failures: number;
  /** The time of `failures`. */
  at: number;
}

/** The parts of the cost of a terminator beside its own cost. */
export interface TerminatorCost {
  readonly terminatorId: string;
  readonly circuitCount: number;
  readonly failureCost: number;
  readonly currentCost: number;
}

/** The costs of terminators from their circuits and failures, beside their own costs. */
export class TerminatorCosts {
  readonly #costs = new Map<string, Costs>();

  constructor(private readonly now: () => Date) {}

  of(terminatorId: string): number {
    const costs = this.#costs.get(terminatorId);
    return costs ? Math.round(costs.circuits * CIRCUIT_COST + this.failuresOf(costs)) : 0;
  }

  /** Gives the terminators with circuits or failures. */
  all(): TerminatorCost[] {
    return [...this.#costs].map(([terminatorId, costs]) => ({
      terminatorId,
      circuitCount: costs.circuits,
      failureCost: Math.round(this.failuresOf(costs)),
      currentCost: this.of(terminatorId),
    }));
  }

  succeeded(terminatorId: string): void {
    this.change(terminatorId, (failures) => Math.max(0, failures - SUCCESS_CREDIT), 1);
  }

  failed(terminatorId: string): void {
    this.change(
      terminatorId,
      (failures) => Math.min(MOST_FAILURE_COST, failures + FAILURE_COST),
      0,
    );
  }

  ended(terminatorId: string): void {
    this.change(terminatorId, (failures) => failures, -1);
  }

  private change(
    terminatorId: string,
    changeFailures: (failures: number) => number,
    circuits: number,
  ): void {
    const at = this.now().getTime();
    const earlier = this.#costs.get(terminatorId) ?? { circuits: 0, failures: 0, at };
    const costs = {
      circuits: Math.max(0, earlier.circuits + circuits),
      failures: changeFailures(this.failuresOf(earlier)),
      at,
    };
    if (costs.circuits === 0 && costs.failures < 1) this.#costs.delete(terminatorId);
    else this.#costs.set(terminatorId, costs);
  }

  private failuresOf({ failures, at }: Costs): number {
    const age = Math.max(0, this.now().getTime() - at);
    return failures * 0.5 ** (age / HALF_LIFE_MILLIS);
  }
}
