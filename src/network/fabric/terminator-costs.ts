import { StateStore, type StateTable } from './state-store.js';

const CIRCUIT_COST = 2;
const FAILURE_COST = 20;
const SUCCESS_CREDIT = 2;
/** Half of the cost of failures is forgotten in this time. */
const HALF_LIFE_MILLIS = 60_000;
const MAX_FAILURE_COST = 0xffff;

/** The circuits and failures of a terminator. */
export interface StoredCosts {
  /** The id of the terminator. */
  readonly id: string;
  readonly circuits: number;
  /** The cost of its failures at the time of `at`. */
  readonly failures: number;
  /** In milliseconds. */
  readonly at: number;
}

/** The parts of the cost of a terminator beside its own cost. */
export interface TerminatorCost {
  readonly terminatorId: string;
  readonly circuitCount: number;
  readonly failureCost: number;
  readonly currentCost: number;
}

export interface CostTable extends StateTable<StoredCosts> {
  /** Empties the table, and gives the costs that an earlier owner of the fabric has left. */
  take(): Promise<StoredCosts[]>;
}

export interface TerminatorCostsOptions {
  readonly table: CostTable;
  readonly isOwner?: (() => boolean) | undefined;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

/** What a terminator costs, beside its own cost. */
export const currentCost = (costs: StoredCosts, now: Date): number =>
  Math.round(costs.circuits * CIRCUIT_COST + failureCost(costs, now));

function failureCost({ failures, at }: StoredCosts, now: Date): number {
  const age = Math.max(0, now.getTime() - at);
  return failures * 0.5 ** (age / HALF_LIFE_MILLIS);
}

/** The costs of terminators from their circuits and failures, beside their own costs. */
export class TerminatorCosts {
  readonly #costs = new Map<string, StoredCosts>();

  readonly #stored: StateStore<StoredCosts>;

  constructor(private readonly options: TerminatorCostsOptions) {
    this.#stored = new StateStore(options);
  }

  /** Takes over the failures that an earlier owner has counted, and the terminators of circuits that run. */
  async load(terminatorIds: readonly string[]): Promise<void> {
    this.#stored.forget();
    const earlier = await this.options.table.take();
    this.#costs.clear();
    for (const costs of earlier) this.set({ ...costs, circuits: 0 });
    for (const id of terminatorIds) this.change(id, (cost) => cost, 1);
  }

  /** Resolves when everything is stored, or can not be stored. */
  stop(): Promise<void> {
    return this.#stored.stop();
  }

  /** Stores all costs, which the database has lost. */
  storeAgain(): void {
    for (const costs of this.#costs.values()) this.#stored.put(costs);
  }

  of(terminatorId: string): number {
    const costs = this.#costs.get(terminatorId);
    return costs ? currentCost(costs, this.options.now()) : 0;
  }

  /** Gives the terminators with circuits or failures. */
  all(): TerminatorCost[] {
    const now = this.options.now();
    return [...this.#costs.values()].map((costs) => ({
      terminatorId: costs.id,
      circuitCount: costs.circuits,
      failureCost: Math.round(failureCost(costs, now)),
      currentCost: currentCost(costs, now),
    }));
  }

  succeeded(terminatorId: string): void {
    this.change(terminatorId, (failures) => Math.max(0, failures - SUCCESS_CREDIT), 1);
  }

  failed(terminatorId: string): void {
    this.change(terminatorId, (failures) => Math.min(MAX_FAILURE_COST, failures + FAILURE_COST), 0);
  }

  ended(terminatorId: string): void {
    this.change(terminatorId, (failures) => failures, -1);
  }

  private change(id: string, changeFailures: (cost: number) => number, circuits: number): void {
    const now = this.options.now();
    const earlier = this.#costs.get(id) ?? { id, circuits: 0, failures: 0, at: now.getTime() };
    this.set({
      id,
      circuits: Math.max(0, earlier.circuits + circuits),
      failures: changeFailures(failureCost(earlier, now)),
      at: now.getTime(),
    });
  }

  private set(costs: StoredCosts): void {
    const { id, circuits, failures } = costs;
    if (circuits === 0 && failures < 1) {
      this.#costs.delete(id);
      this.#stored.remove(costs);
    } else {
      this.#costs.set(id, costs);
      this.#stored.put(costs);
    }
  }
}
