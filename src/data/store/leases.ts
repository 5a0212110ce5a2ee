import { randomUUID } from 'node:crypto';
import { sql, type Sql } from '../../base/sql.js';
import type { Rows } from '../../kernel/request/store-port.js';

/** After this time without renewal, another controller may take the work over. */
const LIFE_MILLIS = 15_000;
const RENEWALS_PER_LIFE = 3;

/**
 * Leases for work that one controller does for all. A lease is a row that expires by the clock of
 * the database. It is not a session lock, so that it works through a pooler.
 *
 * A stalled holder may continue beside its successor, so the work must tolerate two workers at
 * once.
 */
export class Leases {
  readonly #holder = randomUUID();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(
    private readonly rows: Rows,
    /** Called when a lease could not be renewed during the work. */
    private readonly onError: (error: unknown) => void,
    private readonly lifeMillis = LIFE_MILLIS,
  ) {}

  /** Does the work if this controller gets the lease `name`, else nothing. */
  async alone(name: string, work: () => Promise<void>): Promise<void> {
    if (this.#stopped) return;
    const running = this.workIfAcquired(name, work);
    this.#running.add(running);
    try {
      await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Acquires or extends a lease until its next call is due; gives whether this controller has it. */
  async hold(name: string): Promise<boolean> {
    return !this.#stopped && (await this.acquire(name));
  }

  /** Waits for running work, then releases all leases. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#running);
    const holder = this.#holder;
    await this.rows
      .writeModel((models) => models.lease.deleteMany({ where: { holder } }))
      // Leases expire by themselves; a missing database must not delay the stop.
      .catch(() => undefined);
  }

  private async workIfAcquired(name: string, work: () => Promise<void>): Promise<void> {
    const isOurs = await this.acquire(name);
    if (isOurs && !this.#stopped) await this.workWithRenewal(name, work);
  }

  private async workWithRenewal(name: string, work: () => Promise<void>): Promise<void> {
    const renewal = setInterval(() => {
      this.acquire(name).catch(this.onError);
    }, this.lifeMillis / RENEWALS_PER_LIFE);
    renewal.unref();
    try {
      await work();
    } finally {
      clearInterval(renewal);
    }
  }

  /** Acquires a free lease or extends an own one: by a statement, since its condition decides. */
  private async acquire(name: string): Promise<boolean> {
    const acquired = await this.rows.query(
      sql`insert into lease as l (name, holder, expires_at)
          values (${name}::text, ${this.#holder}::text, ${this.end()})
        on conflict (name) do update set holder = excluded.holder, expires_at = ${this.end()}
        where l.holder = excluded.holder or l.expires_at <= clock_timestamp() returning name`,
    );
    return acquired.length > 0;
  }

  private end(): Sql {
    return sql`clock_timestamp() + make_interval(secs => ${this.lifeMillis / 1000}::float8)`;
  }
}
