import { tooManyRequests } from '../kernel/errors.js';
import { sql } from '../kernel/sql.js';
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
        where key = any(${keys}::text[]) and failures >= ${this.limit}::int and resets_at > ${now}::timestamptz`,
    );
    if (row?.until instanceof Date) {
      throw tooManyRequests((row.until.getTime() - now.getTime()) / 1000);
    }
  }

  /** Counts a failure, and forgets counts that are over now and then. */
  async failed(keys: readonly string[], now: Date): Promise<void> {
    if (this.limit === 0) return;
    const resets = new Date(now.getTime() + WINDOW_MILLIS);
    await this.store.query(
      sql`insert into login_counter (key, failures, resets_at)
        select key, 1, ${resets}::timestamptz from unnest(${[...new Set(keys)].sort()}::text[]) key
        on conflict (key) do update set
          failures = case when login_counter.resets_at <= ${now}::timestamptz then 1 else login_counter.failures + 1 end,
          resets_at = case when login_counter.resets_at <= ${now}::timestamptz then excluded.resets_at else login_counter.resets_at end`,
    );
  }

  /** Drops counts whose minute is over. */
  async forget(now: Date): Promise<void> {
    await this.store.query(sql`delete from login_counter where resets_at <= ${now}::timestamptz`);
  }
}
