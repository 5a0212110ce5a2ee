/** A condition for a controller to serve requests. */
export interface HealthCheck {
  readonly id: string;
  /** Resolves if the condition holds; rejects with `Unwell`, whose message is public. */
  readonly run: () => Promise<void> | void;
}

/** The result of a check, in the form of the reference controller's health endpoint. */
export interface CheckResult {
  readonly id: string;
  readonly healthy: boolean;
  /** For example `0.4ms`. */
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

/** A failed check, with a public message. */
export class Unwell extends Error {}

/**
 * A report is reused for this time, since the endpoint is public and frequent requests must be
 * cheap.
 */
const FRESH_MILLIS = 1_000;
const PATIENCE_MILLIS = 2_000;

interface FailureStreak {
  readonly since: string;
  readonly times: number;
}

/** Reports whether this controller can serve: runs the checks on request, at most once a second. */
export class Health {
  readonly #failing = new Map<string, FailureStreak>();
  #report: Promise<HealthReport> | undefined;
  #reportedAt = 0;
  #isStopping = false;

  constructor(
    private readonly checks: readonly HealthCheck[],
    private readonly now: () => Date,
  ) {}

  /** Reports unhealthy from now on, so that load balancers send no new requests. */
  stop(): void {
    this.#isStopping = true;
    this.#report = undefined;
  }

  report(): Promise<HealthReport> {
    const at = this.now().getTime();
    // `abs`, for a clock that was set back.
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
  // In a new promise, since a check may throw synchronously.
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
