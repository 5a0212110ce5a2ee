import pg from 'pg';

/** Holds up what a controller asks its database for. */
export class LockedTables {
  private constructor(
    /** For statements of the test's own. */
    readonly database: pg.Client,
    /** Inside a transaction the list of statements stays as it was at its first reading. */
    private readonly watcher: pg.Client,
  ) {}

  static async open(databaseUrl: string): Promise<LockedTables> {
    const clients = [0, 1].map(() => new pg.Client({ connectionString: databaseUrl }));
    for (const client of clients) await client.connect();
    return new LockedTables(...(clients as [pg.Client, pg.Client]));
  }

  async close(): Promise<void> {
    await this.database.end();
    await this.watcher.end();
  }

  /** Nobody else reads or writes the table meanwhile. */
  async whileLocked<T>(table: string, work: () => Promise<T>): Promise<T> {
    await this.database.query('begin');
    await this.database.query(`lock table ${table} in access exclusive mode`);
    try {
      return await work();
    } finally {
      await this.database.query('rollback');
    }
  }

  /** How many statements wait for a lock. */
  async waiting(): Promise<number> {
    const { rows } = await this.watcher.query<{ count: string }>(
      `select count(*) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return Number(rows[0]?.count);
  }
}
