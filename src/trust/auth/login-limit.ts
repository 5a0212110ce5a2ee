import { setTimeout as wait } from 'node:timers/promises';
import { ApiError, tooManyRequests } from '../../base/errors.js';
import type { Store } from '../../kernel/request/store-port.js';
import { loginCounters, type AttemptCounts } from '../../data/rows/login/index.js';

/*
 * This does not use `RateLimiterPostgres` of `rate-limiter-flexible` 11.4.0, which does not count
 * pending attempts: after as many simultaneous good logins as the limit, it refuses the next one
 * for a minute, where this class waits for them. It uses one statement for each key, so an address
 * can be charged while the username is refused. Its `Date.now()` extends a window when the clock is
 * set back.
 */

/** Waiting times for pending attempts that may reach the limit. */
const WAITS_MILLIS = [20, 40, 80, 160, 320];

/**
 * Limits failed attempts per minute, by address and by username, for all controllers together. A
 * key at the limit is refused until its minute is over; 0 switches the limit off.
 */
export class LoginLimit {
  constructor(
    private readonly store: Store,
    private readonly limit: number,
  ) {}

  /**
   * Runs an attempt at a secret. It reserves the attempt first, so that simultaneous attempts can
   * not exceed the limit, and releases it after a success.
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
    refuseUntil(await loginCounters.limitedUntil(this.store, keys, this.limit, now), now);
  }

  /** Counts a failure. */
  async failed(keys: readonly string[], now: Date): Promise<void> {
    if (this.limit > 0) await this.count(keys, { failures: 1, pending: 0 }, now);
  }

  /** Deletes counters whose minute is over. */
  async forget(now: Date): Promise<void> {
    await loginCounters.removeEnded(this.store, now);
  }

  private async reserve(keys: readonly string[], now: () => Date): Promise<void> {
    for (const millis of [...WAITS_MILLIS, undefined]) {
      if (await this.hasReserved(keys, now())) return;
      if (millis !== undefined) await wait(millis);
    }
    throw tooManyRequests(1);
  }

  /** Tries to reserve; false while pending attempts could reach the limit of a key. */
  private async hasReserved(keys: readonly string[], now: Date): Promise<boolean> {
    const { reserved, until } = await loginCounters.reserveAttempt(
      this.store,
      keys,
      this.limit,
      now,
    );
    if (reserved.length === keys.length) return true;
    await this.count(reserved, { failures: 0, pending: -1 }, now);
    refuseUntil(until, now);
    return false;
  }

  /** Counts outside of the request, since an attempt counts even if the client disconnects. */
  private async count(keys: readonly string[], counts: AttemptCounts, now: Date): Promise<void> {
    if (keys.length === 0) return;
    await loginCounters.countAttempt(this.store, keys, counts, now);
  }
}

/** Whether an error counts: refused credentials, or a client that disconnected before the answer. */
const isFailure = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 401 || error.code === 'TIMEOUT');

function refuseUntil(until: Date | null, now: Date): void {
  if (until) throw tooManyRequests((until.getTime() - now.getTime()) / 1000);
}
