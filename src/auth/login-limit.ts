import { setTimeout as wait } from 'node:timers/promises';
import { ApiError, tooManyRequests } from '../base/errors.js';
import { detached } from '../kernel/request/request-scope.js';
import type { Store } from '../kernel/request/store-port.js';
import {
  countAttempt,
  deleteEndedCounts,
  limitedUntil,
  reserveAttempt,
  type AttemptCounts,
} from './login-counter-table.js';

/*
 * Own code, because `RateLimiterPostgres` of `rate-limiter-flexible` 11.4.0 does not know attempts
 * that are under way: as many good logins at once as the limit refuse the next one for a minute,
 * where this one waits for them. It takes one statement for each key, so an address can be charged
 * while the username is refused, and its `Date.now()` keeps a window open when the clock steps back.
 */

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
    refuseUntil(await limitedUntil(this.store, keys, this.limit, now), now);
  }

  /** Counts a failure. */
  async failed(keys: readonly string[], now: Date): Promise<void> {
    if (this.limit > 0) await this.count(keys, { failures: 1, pending: 0 }, now);
  }

  /** Drops counts whose minute is over. */
  async forget(now: Date): Promise<void> {
    await deleteEndedCounts(this.store, now);
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
    const { reserved, until } = await reserveAttempt(this.store, keys, this.limit, now);
    if (reserved.length === keys.length) return true;
    await this.count(reserved, { failures: 0, pending: -1 }, now);
    refuseUntil(until, now);
    return false;
  }

  /** A client that hangs up is counted too. */
  private async count(keys: readonly string[], counts: AttemptCounts, now: Date): Promise<void> {
    if (keys.length === 0) return;
    await detached(() => countAttempt(this.store, keys, counts, now));
  }
}

/** Credentials were refused; or the client hung up before it was told so. */
const isFailure = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 401 || error.code === 'TIMEOUT');

function refuseUntil(until: Date | null, now: Date): void {
  if (until) throw tooManyRequests((until.getTime() - now.getTime()) / 1000);
}
