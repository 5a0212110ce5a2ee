import type pg from 'pg';
import type { Change, Operation } from '../kernel/store-port.js';
import type { Row } from '../kernel/row.js';
import type { Database } from './database.js';

/** A place in the change log. Readers hold one and ask for what follows. */
export interface Cursor {
  readonly epoch: number;
  readonly xid: string;
  readonly seq: string;
}

const POLL_MILLIS = 200;
const BATCH = 1_000;

/*
 * A transaction gets its xid before it commits, so a late commit may lie before what was read already.
 * Readers therefore stop below the oldest transaction still running. The order names the columns of
 * the table: bare names would be those of the select list, which are texts.
 */
const FOLLOWING = `select epoch, xid::text, seq::text, entity_type, entity_id, operation, revision, before, after, at
  from change c
  where (c.epoch, c.xid, c.seq) > ($1::int, $2::bigint, $3::bigint)
    and c.xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
  order by c.epoch, c.xid, c.seq limit ${String(BATCH)}`;

const BETWEEN = FOLLOWING.replace(
  'and c.xid <',
  'and (c.epoch, c.xid, c.seq) <= ($4::int, $5::bigint, $6::bigint) and c.xid <',
);

/** The changes after one place in the log up to another, in slices. */
export async function* changesBetween(
  database: Database,
  after: Cursor,
  upTo: Cursor,
): AsyncGenerator<readonly Change[]> {
  const end = [upTo.epoch, upTo.xid, upTo.seq];
  for (let place = after; ;) {
    const { epoch, xid, seq } = place;
    const { rows } = await database.pool.query<Row>(BETWEEN, [epoch, xid, seq, ...end]);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(changeOf);
    place = cursorOf(last);
  }
}

/** Where the log stands: everything committed from now on comes after it. */
export async function horizon(database: Database, epoch: number): Promise<Cursor> {
  const { rows } = await database.pool.query<{ xid: string }>(
    'select (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text as xid',
  );
  return { epoch, xid: rows[0]?.xid ?? '0', seq: '9223372036854775807' };
}

/** Follows the change log: woken by NOTIFY where that works, correct by polling alone. */
export class ChangeFeed {
  #cursor: Cursor;
  #timer: NodeJS.Timeout | undefined;
  #listening: pg.PoolClient | undefined;
  #connecting: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(
    private readonly database: Database,
    start: Cursor,
    private readonly deliver: (changes: readonly Change[]) => void,
    private readonly onError: (error: unknown) => void,
  ) {
    this.#cursor = start;
  }

  /** Everything up to here was delivered. */
  get position(): Cursor {
    return this.#cursor;
  }

  async start(): Promise<void> {
    await this.listen();
    this.#timer = setInterval(() => {
      if (!this.#listening) void this.listen();
      void this.catchUp();
    }, POLL_MILLIS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#connecting;
    this.unlisten();
    await this.#running;
  }

  /** Reads to the end of what is safe to read. Calls while one runs are folded into one more run. */
  async catchUp(): Promise<void> {
    if (this.#running) {
      this.#again = true;
      return this.#running;
    }
    this.#running = this.readAll().catch(this.onError);
    await this.#running;
    this.#running = undefined;
    if (this.#again && !this.#stopped) {
      this.#again = false;
      await this.catchUp();
    }
  }

  private listen(): Promise<void> {
    this.#connecting ??= this.connect()
      .catch(this.onError)
      .finally(() => {
        this.#connecting = undefined;
      });
    return this.#connecting;
  }

  private async connect(): Promise<void> {
    const client = await this.database.pool.connect();
    this.#listening = client;
    client.on('notification', () => {
      // One may still be on its way when the feed stops.
      if (!this.#stopped) void this.catchUp();
    });
    // A broken connection goes back to the pool, which could not end without; polling brings a new one.
    client.on('error', () => {
      if (this.#listening === client) this.unlisten();
    });
    await client.query('listen overgraph_change');
  }

  private unlisten(): void {
    const client = this.#listening;
    this.#listening = undefined;
    client?.release(true);
  }

  private async readAll(): Promise<void> {
    for (;;) {
      const { epoch, xid, seq } = this.#cursor;
      const { rows } = await this.database.pool.query<Row>(FOLLOWING, [epoch, xid, seq]);
      const last = rows.at(-1);
      if (!last || this.#stopped) return;
      this.deliver(rows.map(changeOf));
      this.#cursor = cursorOf(last);
      if (rows.length < BATCH) return;
    }
  }
}

const cursorOf = (row: Row): Cursor => ({
  epoch: Number(row.epoch),
  xid: String(row.xid),
  seq: String(row.seq),
});

const changeOf = (row: Row): Change => ({
  resource: String(row.entity_type),
  id: String(row.entity_id),
  operation: row.operation as Operation,
  revision: Number(row.revision),
  before: row.before as Row | null,
  after: row.after as Row | null,
  at: row.at as Date,
});
