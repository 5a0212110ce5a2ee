import type pg from 'pg';
import type { ChangeLog, Cursor, LoggedChange } from '../../kernel/request/store-port.js';
import { CHANGE_CHANNEL, NOTICE_MILLIS } from './change-notice.js';
import type { Database } from './database.js';

const POLL_MILLIS = 200;
const BATCH = 1_000;

/** Delivers the changes of the log as they are written. */
export interface Feed {
  /** The position up to which all changes are delivered. */
  readonly position: Cursor;
  /** Milliseconds since the log was last read to its end. */
  readonly silenceMillis: number;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Follows the change log by polling; NOTIFY only makes it faster. */
export class ChangeFeed implements Feed {
  #cursor: Cursor;
  #endReadAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #notified: NodeJS.Timeout | undefined;
  #readAt = -Infinity;
  #listening: pg.PoolClient | undefined;
  #connecting: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  #rerun = false;
  #stopped = false;

  constructor(
    private readonly database: Pick<Database, 'pool' | 'canListen'>,
    private readonly log: ChangeLog,
    start: Cursor,
    /** Called with each slice; `isEnd` says that nothing more was there. */
    private readonly deliver: (changes: readonly LoggedChange[], isEnd: boolean) => void,
    private readonly onError: (error: unknown) => void,
    private readonly pollMillis = POLL_MILLIS,
  ) {
    this.#cursor = start;
  }

  get position(): Cursor {
    return this.#cursor;
  }

  get silenceMillis(): number {
    return performance.now() - this.#endReadAt;
  }

  async start(): Promise<void> {
    await this.listen();
    this.#timer = setInterval(() => {
      if (!this.#listening) void this.listen();
      void this.catchUp();
    }, this.pollMillis);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    clearTimeout(this.#notified);
    await this.#connecting;
    this.unlisten();
    await this.#running;
  }

  /** Reads to the horizon. Calls during a run cause one further run. */
  async catchUp(): Promise<void> {
    if (this.#running) {
      this.#rerun = true;
      return this.#running;
    }
    this.#running = this.readAll().catch(this.onError);
    await this.#running;
    this.#running = undefined;
    if (this.#rerun && !this.#stopped) {
      this.#rerun = false;
      await this.catchUp();
    }
  }

  private catchUpSoon(): void {
    const wait = NOTICE_MILLIS - (performance.now() - this.#readAt);
    this.#notified ??= setTimeout(
      () => {
        this.#notified = undefined;
        void this.catchUp();
      },
      Math.max(0, wait),
    );
  }

  private async listen(): Promise<void> {
    if (!this.database.canListen) return;
    this.#connecting ??= this.connect()
      .catch(this.onError)
      .finally(() => {
        this.#connecting = undefined;
      });
    await this.#connecting;
  }

  private async connect(): Promise<void> {
    const client = await this.database.pool.connect();
    this.#listening = client;
    client.on('notification', () => {
      // A notification may arrive after the feed has stopped.
      if (!this.#stopped) this.catchUpSoon();
    });
    // Returns a broken connection to the pool, which could not end otherwise; the next poll opens a
    // new one.
    client.on('error', () => {
      if (this.#listening === client) this.unlisten();
    });
    await client.query(`listen ${CHANGE_CHANNEL}`);
  }

  private unlisten(): void {
    const client = this.#listening;
    this.#listening = undefined;
    client?.release(true);
  }

  private async readAll(): Promise<void> {
    this.#readAt = performance.now();
    for (let isFull = false; ;) {
      const changes = await this.log.following(this.#cursor, BATCH);
      if (this.#stopped) return;
      const isEnd = changes.length < BATCH;
      // The end of a full slice is told by one that may be empty.
      if (changes.length > 0 || isFull) this.deliver(changes, isEnd);
      this.#cursor = changes.at(-1)?.cursor ?? this.#cursor;
      isFull = !isEnd;
      if (isFull) continue;
      this.#endReadAt = performance.now();
      return;
    }
  }
}
