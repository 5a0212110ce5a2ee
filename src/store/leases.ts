import { randomUUID } from 'node:crypto';
import { sql, type Sql } from '../base/sql.js';
import type { Store } from '../kernel/request/store-port.js';

/** How long work waits for the next controller when the one that does it dies. */
const LIFE_MILLIS = 15_000;
const RENEWALS_PER_LIFE = 3;

/**
 * Work that one controller does for all. A lease is a row with an end by the clock of the database:
 * no lock of a session, so that it can be kept by way of a pooler, and no clock of ours.
 *
 * A holder that stood still may wake up beside its successor, so work has to be such that two
 * doing it at once harm nothing.
 */
export class Leases {
  readonly #holder = randomUUID();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(
    private readonly store: Pick<Store, 'query'>,
    /** Hears of leases that could not be renewed while work went on. */
    private readonly onError: (error: unknown) => void,
    private readonly lifeMillis = LIFE_MILLIS,
  ) {}

  /** Does the work while this controller has the lease `name`; else nothing. */
  async alone(name: string, work: () => Promise<void>): Promise<void> {
    if (this.#stopped) return;
    const running = this.ifTaken(name, work);
    this.#running.add(running);
    try {
      await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Lets work under way end, then leaves all to the other controllers at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#running);
    await this.store
      .query(sql`delete from lease where holder = ${this.#holder}::text`)
      // They lapse by themselves; a database that is gone must not hold up the end.
      .catch(() => undefined);
  }

  private async ifTaken(name: string, work: () => Promise<void>): Promise<void> {
    const isOurs = await this.take(name);
    if (isOurs && !this.#stopped) await this.renewed(name, work);
  }

  private async renewed(name: string, work: () => Promise<void>): Promise<void> {
    const renewal = setInterval(() => {
      this.take(name).catch(this.onError);
    }, this.lifeMillis / RENEWALS_PER_LIFE);
    renewal.unref();
    try {
      await work();
    } finally {
      clearInterval(renewal);
    }
  }

  /** Takes it when nobody has it, and moves its end on. */
  private async take(name: string): Promise<boolean> {
    const rows = await this.store.query(
      sql`insert into lease as l (name, holder, expires_at)
          values (${name}::text, ${this.#holder}::text, ${this.end()})
        on conflict (name) do update set holder = excluded.holder, expires_at = ${this.end()}
        where l.holder = excluded.holder or l.expires_at <= clock_timestamp() returning name`,
    );
    return rows.length > 0;
  }

  private end(): Sql {
    return sql`clock_timestamp() + make_interval(secs => ${this.lifeMillis / 1000}::float8)`;
  }
}
