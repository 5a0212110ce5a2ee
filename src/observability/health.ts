/** One thing that has to hold for a controller to serve. */
export interface HealthCheck {
  readonly id: string;
  /** Resolves when all is well; rejects with what is wrong, in words that anybody may read. */
  readonly run: () => Promise<void> | void;
}

/** As the health endpoint of the reference controller shows it. */
export interface CheckResult {
  readonly id: string;
  readonly healthy: boolean;
  /** Like `0.4ms`. */
  readonly lastCheckDuration: string;
  readonly lastCheckTime: string;
  readonly err?: string;
  readonly failingSince?: string;
  readonly consecutiveFailures?: number;
}

export interface HealthReport {
  readonly healthy: boolean;
  readonly checks: readonly CheckResult[];
}

/** What is wrong, in words that anybody may read. */
export class Unwell extends Error {}

/** Anybody may ask, so that asking often must not cost more. */
const FRESH_MILLIS = 1_000;
const PATIENCE_MILLIS = 2_000;

interface Failing {
  readonly since: string;
  readonly times: number;
}

/** Whether this controller can serve: checked when asked, at most once a second. */
export class Health {
  readonly #failing = new Map<string, Failing>();
  #report: Promise<HealthReport> | undefined;
  #reportedAt = 0;
  #isStopping = false;

  constructor(
    private readonly checks: readonly HealthCheck[],
    private readonly now: () => Date,
  ) {}

  /** From now on it is not healthy, so that balancers send nobody here. */
  stop(): void {
    this.#isStopping = true;
    this.#report = undefined;
  }

  report(): Promise<HealthReport> {
    const at = this.now().getTime();
    // Also when the clock was set back.
    const isFresh = Math.abs(at - this.#reportedAt) < FRESH_MILLIS;
    if (this.#report && isFresh) return this.#report;
    this.#reportedAt = at;
    this.#report = this.checkAll();
    return this.#report;
  }

  private async checkAll(): Promise<HealthReport> {
    const all = [
      {
        id: 'serving',
        run: () => {
          this.refuseStopping();
        },
      },
      ...this.checks,
    ];
    const checks = await Promise.all(all.map((check) => this.check(check)));
    return { healthy: checks.every(({ healthy }) => healthy), checks };
  }

  private refuseStopping(): void {
    if (this.#isStopping) throw new Unwell('this controller is stopping');
  }

  private async check({ id, run }: HealthCheck): Promise<CheckResult> {
    const lastCheckTime = this.now().toISOString();
    const begin = performance.now();
    const fault = await faultOf(run);
    const lastCheckDuration = `${(performance.now() - begin).toFixed(1)}ms`;
    const result = { id, healthy: fault === undefined, lastCheckDuration, lastCheckTime };
    if (fault === undefined) {
      this.#failing.delete(id);
      return result;
    }
    const before = this.#failing.get(id) ?? { since: lastCheckTime, times: 0 };
    const failing = { ...before, times: before.times + 1 };
    this.#failing.set(id, failing);
    const { since, times } = failing;
    return { ...result, err: fault, failingSince: since, consecutiveFailures: times };
  }
}

async function faultOf(run: HealthCheck['run']): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MILLIS, 'it did not answer in time');
  });
  // In a promise of its own, since a check may throw at once.
  const work = Promise.resolve().then(run);
  const fault = await Promise.race([
    work.then(
      () => undefined,
      (error: unknown) => (error instanceof Unwell ? error.message : 'it failed'),
    ),
    patience,
  ]);
  clearTimeout(timer);
  return fault;
}
