import type pg from 'pg';
import type { Database } from './database.js';

/** The number of the lock with this name, as an expression of SQL. */
const lockNumber = (name: string): string => `hashtextextended(${name}, 0)`;

/**
 * The condition that no session has the lock with the name that this expression of SQL gives. It holds a
 * shared lock until the end of its transaction, which others can have at the same time.
 */
export const isLockFree = (name: string): string =>
  `pg_try_advisory_xact_lock_shared(${lockNumber(name)})`;

/**
 * A lock in a session of its own, as a sign of life. The server releases it as soon as it sees that the
 * connection is closed, which the system does when the process ends, also by a crash.
 */
export class SessionLock {
  #client: pg.Client | undefined;
  #isHeld = false;

  constructor(
    private readonly database: Pick<Database, 'openSession' | 'canListen'>,
    private readonly name: string,
    /** Called when a session with the lock has ended by itself. */
    private readonly onLost: () => void,
  ) {}

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Locks, unless it is locked. Behind a pooler no session lasts, so it stays unlocked there. */
  async acquire(): Promise<void> {
    if (this.#client || !this.database.canListen) return;
    const client = await this.database.openSession();
    this.#client = client;
    client.once('end', () => {
      this.lose(client);
    });
    const isLocked = await lock(client, this.name).catch(() => false);
    if (this.#client !== client) return;
    if (isLocked) this.#isHeld = true;
    else await this.release();
  }

  async release(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#isHeld = false;
    await client?.end().catch(() => undefined);
  }

  private lose(client: pg.Client): void {
    if (this.#client !== client) return;
    const wasHeld = this.#isHeld;
    this.#client = undefined;
    this.#isHeld = false;
    if (wasHeld) this.onLost();
  }
}

/** False while the session of a connection that broke still has the lock. */
async function lock(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ isLocked: boolean }>(
    `select pg_try_advisory_lock(${lockNumber('$1::text')}) as "isLocked"`,
    [name],
  );
  return rows[0]?.isLocked === true;
}
