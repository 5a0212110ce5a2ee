import { tooManyRequests } from '../kernel/errors.js';
import { detached } from '../kernel/request-scope.js';
import { sql, type Sql } from '../kernel/sql.js';
import type { Store } from '../kernel/store-port.js';

const WINDOW_MILLIS = 60_000;

/**
 * Failed attempts a minute, by address and by username, the same on every controller.
 * Keys that reached the limit are refused until their minute is over; 0 switches the limit off.
 */
export class LoginLimit {
  constructor(
    private readonly store: Store,
    private readonly limit: number,
  ) {}

  /** @throws ApiError SERVER_TOO_MANY_REQUESTS, with the time to come back */
  async check(keys: readonly string[], now: Date): Promise<void> {
    if (this.limit === 0) return;
    const [row] = await this.store.query(
      sql`select max(resets_at) as until from login_counter
        where key = any(${keys}::text[]) and failures >= ${this.limit}::int
          and not ${isOver(now)}`,
    );
    if (row?.until instanceof Date) {
      throw tooManyRequests((row.until.getTime() - now.getTime()) / 1000);
    }
  }

  /** Counts a failure, and forgets counts that are over now and then. */
  async failed(keys: readonly string[], now: Date): Promise<void> {
    if (this.limit === 0) return;
    const resets = windowFrom(now);
    const counted = sql`insert into login_counter (key, failures, resets_at)
        select key, 1, ${resets}::timestamptz from unnest(${[...new Set(keys)].sort()}::text[]) key
        on conflict (key) do update set
          failures = case when ${isOver(now)} then 1 else login_counter.failures + 1 end,
          resets_at = case when ${isOver(now)} then excluded.resets_at else login_counter.resets_at end`;
    // Who hangs up is counted too.
    await detached(() => this.store.query(counted));
  }

  /** Drops counts whose minute is over. */
  async forget(now: Date): Promise<void> {
    await this.store.query(sql`delete from login_counter where ${isOver(now)}`);
  }
}

const windowFrom = (now: Date): Date => new Date(now.getTime() + WINDOW_MILLIS);

/** A minute that ends later than any that begins now began before the clock was set back. */
const isOver = (now: Date): Sql =>
  sql`(login_counter.resets_at <= ${now}::timestamptz or login_counter.resets_at > ${windowFrom(now)}::timestamptz)`;
