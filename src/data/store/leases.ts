import { randomUUID } from 'node:crypto';
import { raw, sql, type Sql } from '../../base/sql.js';
import type { Rows } from '../../kernel/request/store-port.js';
import { isLockFree } from './session-lock.js';

/** After this time without renewal, another controller may take the work over. */
export const LEASE_MILLIS = 15_000;
const RENEWALS_PER_LIFE = 3;

/** The facts that a holder tells the others with its lease. */
export interface LeaseClaim {
  /** Where other controllers reach it, as `host:port`. */
  readonly address?: string | undefined;
  /** Whether it has the lock of `SessionLock`: its lease then ends with that session. */
  readonly hasSession?: boolean;
}

/** A lease as one controller sees it. */
export interface LeaseState {
  readonly isOurs: boolean;
  /** Whether another controller may acquire it now. */
  readonly isFree: boolean;
  /** Where its holder is reached; null if it does not say. */
  readonly address: string | null;
}

const FREE: LeaseState = { isOurs: false, isFree: true, address: null };

/**
 * The condition on a lease that another controller may acquire. A controller of the release before leaves
 * the session of an earlier holder in the row, so both must be the same.
 */
const IS_FREE = raw(
  `(l.expires_at <= clock_timestamp() or (l.session_holder = l.holder and ${isLockFree('l.holder')}))`,
);

/**
 * Leases for work that one controller does for all. A lease is a row that expires by the clock of
 * the database. It is not a session lock, so that it works through a pooler. A holder that has a session
 * of its own may bind its lease to it, so that it ends with the process.
 *
 * A stalled holder may continue beside its successor, so the work must tolerate two workers at
 * once.
 */
export class Leases {
  /** The name of this controller as a holder. */
  readonly holder: string = randomUUID();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(
    private readonly rows: Rows,
    /** Called when a lease could not be renewed during the work. */
    private readonly onError: (error: unknown) => void,
    private readonly lifeMillis = LEASE_MILLIS,
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
  async hold(name: string, claim?: LeaseClaim): Promise<boolean> {
    return !this.#stopped && (await this.acquire(name, claim));
  }

  /** Gives the state of a lease without a write. */
  async stateOf(name: string): Promise<LeaseState> {
    const [state] = await this.rows.query(
      sql<LeaseState>`select l.holder = ${this.holder}::text as "isOurs", ${IS_FREE} as "isFree", l.address
        from lease l where l.name = ${name}::text`,
    );
    return state ?? FREE;
  }

  /** Waits for running work, then releases all leases. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#running);
    const { holder } = this;
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
  private async acquire(name: string, claim: LeaseClaim = {}): Promise<boolean> {
    const { address, hasSession } = claim;
    const { holder } = this;
    const sessionHolder = hasSession === true ? holder : null;
    const acquired = await this.rows.query(
      sql`insert into lease as l (name, holder, expires_at, address, session_holder)
          values (${name}::text, ${holder}::text, ${this.end()}, ${address ?? null}::text, ${sessionHolder}::text)
        on conflict (name) do update set holder = excluded.holder, expires_at = ${this.end()},
          address = excluded.address, session_holder = excluded.session_holder
        where l.holder = excluded.holder or ${IS_FREE} returning name`,
    );
    return acquired.length > 0;
  }

  private end(): Sql {
    return sql`clock_timestamp() + make_interval(secs => ${this.lifeMillis / 1000}::float8)`;
  }
}
