import { setTimeout as wait } from 'node:timers/promises';
import { ApiError, tooManyRequests } from '../base/errors.js';
import { detached } from '../kernel/request/request-scope.js';
import { sql, type Sql } from '../base/sql.js';
import type { Store } from '../kernel/request/store-port.js';

/*
 * Own code, because `RateLimiterPostgres` of `rate-limiter-flexible` 11.4.0 does not know attempts
 * that are under way: as many good logins at once as the limit refuse the next one for a minute,
 * where this one waits for them. It takes one statement for each key, so an address can be charged
 * while the username is refused, and its `Date.now()` keeps a window open when the clock steps back.
 */

const WINDOW_MILLIS = 60_000;
/** How long attempts wait for others that are under way and may fill the limit. */
const WAITS_MILLIS = [20, 40, 80, 160, 320];

/**
 * Failed attempts a minute, by address and by username, the same on every controller.
 * Keys that reached the limit are refused until their minute is over; 0 switches the limit off.
 */
export class LoginLimit {
  constructor(
    private readonly store: Store,
    private readonly limit: number,
  ) {}

  /**
   * Makes an attempt at something that can be guessed. It counts from before it begins, so that no
   * more than the limit are tried at the same time, until it has succeeded.
   * @throws ApiError SERVER_TOO_MANY_REQUESTS, with the time to come back
   */
  async attempt<T>(keys: readonly string[], now: () => Date, work: () => Promise<T>): Promise<T> {
    if (this.limit === 0) return work();
    await this.reserve(keys, now);
    let failures: 0 | 1 = 0;
    try {
      return await work();
    } catch (error) {
      failures = isFailure(error) ? 1 : 0;
      throw error;
    } finally {
      await this.count(keys, { failures, pending: -1 }, now());
    }
  }

  /** @throws ApiError SERVER_TOO_MANY_REQUESTS, with the time to come back */
  async check(keys: readonly string[], now: Date): Promise<void> {
    if (this.limit === 0) return;
    const [row] = await this.store.query(
      sql<{ until: Date | null }>`select ${this.end(keys, now)} as until`,
    );
    refuseUntil(row?.until ?? null, now);
  }

  /** Counts a failure. */
  async failed(keys: readonly string[], now: Date): Promise<void> {
    if (this.limit > 0) await this.count(keys, { failures: 1, pending: 0 }, now);
  }

  /** Drops counts whose minute is over. */
  async forget(now: Date): Promise<void> {
    await this.store.query(sql`delete from login_counter where ${isOver(now)}`);
  }

  private async reserve(keys: readonly string[], now: () => Date): Promise<void> {
    for (const millis of [...WAITS_MILLIS, undefined]) {
      if (await this.hasReserved(keys, now())) return;
      if (millis !== undefined) await wait(millis);
    }
    throw tooManyRequests(1);
  }

  /** False while those that are under way could fill the limit of one of the keys. */
  private async hasReserved(keys: readonly string[], now: Date): Promise<boolean> {
    const resets = windowFrom(now);
    const [row] = await this.store.query(
      sql<{ reserved: string[]; until: Date | null }>`with reserved as (
          insert into login_counter (key, failures, pending, resets_at)
          select key, 0, 1, ${resets}::timestamptz from unnest(${inOrder(keys)}::text[]) key
          on conflict (key) do update set
            failures = case when ${isOver(now)} then 0 else login_counter.failures end,
            pending = case when ${isOver(now)} then 1 else login_counter.pending + 1 end,
            resets_at = case when ${isOver(now)} then excluded.resets_at else login_counter.resets_at end
          where ${isOver(now)} or login_counter.failures + login_counter.pending < ${this.limit}::int
          returning key)
        select array(select key from reserved) as reserved, ${this.end(keys, now)} as until`,
    );
    const reserved = row?.reserved ?? [];
    if (reserved.length === keys.length) return true;
    await this.count(reserved, { failures: 0, pending: -1 }, now);
    refuseUntil(row?.until ?? null, now);
    return false;
  }

  /** When the last of the keys that reached the limit is good again. */
  private end(keys: readonly string[], now: Date): Sql {
    return sql`(select max(resets_at) from login_counter where key = any(${keys}::text[])
      and failures >= ${this.limit}::int and not ${isOver(now)})`;
  }

  /** The minute begins with its first failure. Who hangs up is counted too. */
  private async count(
    keys: readonly string[],
    { failures, pending }: { readonly failures: 0 | 1; readonly pending: 0 | -1 },
    now: Date,
  ): Promise<void> {
    if (keys.length === 0) return;
    const counted = sql`insert into login_counter (key, failures, resets_at)
        select key, ${failures}::int, ${windowFrom(now)}::timestamptz from unnest(${inOrder(keys)}::text[]) key
        on conflict (key) do update set
          failures = case when ${isOver(now)} then 0 else login_counter.failures end + ${failures}::int,
          pending = greatest(0, case when ${isOver(now)} then 0 else login_counter.pending end + ${pending}::int),
          resets_at = case when ${isOver(now)} or (login_counter.failures = 0 and ${failures}::int > 0)
            then excluded.resets_at else login_counter.resets_at end`;
    await detached(() => this.store.query(counted));
  }
}

/** Credentials were refused; or the client hung up before it was told so. */
const isFailure = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 401 || error.code === 'TIMEOUT');

function refuseUntil(until: Date | null, now: Date): void {
  if (until) throw tooManyRequests((until.getTime() - now.getTime()) / 1000);
}

/** Statements that lock several keys lock them in one order. */
const inOrder = (keys: readonly string[]): string[] => [...new Set(keys)].sort();

const windowFrom = (now: Date): Date => new Date(now.getTime() + WINDOW_MILLIS);

/** A minute that ends later than any that begins now began before the clock was set back. */
const isOver = (now: Date): Sql =>
  sql`(login_counter.resets_at <= ${now}::timestamptz or login_counter.resets_at > ${windowFrom(now)}::timestamptz)`;
