import { lockUntilCommit } from '../../base/advisory-lock.js';
import type { Store } from '../../kernel/request/store-port.js';
import { originOfController } from '../../kernel/write/write.js';
import { senderOf } from '../../requests/limits/index.js';
import { failedLogins, hourlyLogins, type FailedLoginCount } from '../../data/rows/login/index.js';
import { FailedLoginGroups } from './failed-login-groups.js';
import type { LoginAttempt } from './login-attempt.js';

export interface LoginCountsOptions {
  readonly store: Store;
  readonly now: () => Date;
  /** The time for which an hour is kept after its end. */
  readonly keepMillis: number;
}

const HOUR_MILLIS = 3_600_000;
const SLICE = 10_000;
/** Beyond so many groups that can not be stored, new failures are dropped. */
const MAX_WAITING = 5_000;
/** The advisory lock of those who write counts. */
const LOCK = 7_230_118_666;

export const hourOf = (at: Date): Date =>
  new Date(Math.floor(at.getTime() / HOUR_MILLIS) * HOUR_MILLIS);

/**
 * Counts logins by the hour, for all processes of all controllers together. Failures are counted in
 * memory and stored together: what was counted since the last `flush` is lost in a crash. Sessions
 * are counted from the change log.
 */
export class LoginCounts {
  #waiting = new FailedLoginGroups();

  constructor(private readonly options: LoginCountsOptions) {}

  /** Counts a login that was refused. */
  readonly apply = ({ at, method, address, refusal, identityId }: LoginAttempt): void => {
    if (refusal === undefined) return;
    const isKnown = identityId !== '';
    this.add({
      hour: hourOf(at),
      method,
      refusal,
      sender: senderOf(address),
      owner: isKnown ? 'IDENTITY' : 'UNKNOWN',
      identityId: isKnown ? identityId : null,
      count: 1,
      lastAt: at,
    });
  };

  /** Stores the counted failures. */
  async flush(): Promise<void> {
    const { added } = this.#waiting;
    if (added.length === 0) return;
    this.#waiting = new FailedLoginGroups();
    try {
      await this.store(added);
    } catch (error) {
      for (const counts of added) this.add(counts);
      throw error;
    }
  }

  /** Counts the sessions that were opened since the last call, at any controller. */
  async countSessions(): Promise<void> {
    const { store, now } = this.options;
    for (let counted = SLICE; counted === SLICE;) {
      counted = await store.write(originOfController(now()), async (tx) => {
        await lockUntilCommit(tx, LOCK);
        return hourlyLogins.countNextSessions(tx, SLICE);
      });
    }
  }

  /** Deletes the hours that are not kept any more. */
  async prune(): Promise<void> {
    const { store, now, keepMillis } = this.options;
    const upTo = new Date(now().getTime() - keepMillis - HOUR_MILLIS);
    await failedLogins.removeUpTo(store, upTo);
    await hourlyLogins.removeUpTo(store, upTo);
  }

  private add(counts: FailedLoginCount): void {
    if (this.#waiting.size < MAX_WAITING) this.#waiting.add(counts);
  }

  private async store(counts: readonly FailedLoginCount[]): Promise<void> {
    const { store, now } = this.options;
    await store.write(originOfController(now()), async (tx) => {
      await lockUntilCommit(tx, LOCK);
      const hours = counts.map(({ hour }) => hour);
      const groups = new FailedLoginGroups(await failedLogins.groupsOf(tx, hours));
      for (const each of counts) groups.add(each);
      await failedLogins.add(tx, groups.added);
    });
  }
}
