import {
  usedAccess,
  useRecording,
  type AccessKey,
  type AccessUse,
} from '../../data/rows/access-use/index.js';
import type { Rows } from '../../kernel/request/store-port.js';

export interface AccessUsesOptions {
  readonly store: Rows;
  readonly now: () => Date;
  /** Called when more uses wait for the database than memory may hold. */
  readonly onLoss: () => void;
}

const MAX_WAITING = 100_000;
const MAX_IN_ONE_WRITE = 1_000;

/**
 * Records when identities use their access to services. Uses wait in memory for the next `flush`, so
 * that no request and no dial waits for them. A crash loses the uses of the last seconds.
 */
export class AccessUses {
  /** Identity, service and type -> the use that is not stored yet. */
  readonly #waiting = new Map<string, AccessUse>();
  /** The time of the last use that was dropped. */
  #lostAt: Date | undefined;

  constructor(private readonly options: AccessUsesOptions) {}

  readonly record = ({ identityId, serviceId, type }: AccessKey): void => {
    const usedAt = this.options.now();
    const key = `${identityId} ${serviceId} ${type}`;
    if (this.#waiting.size >= MAX_WAITING && !this.#waiting.has(key)) {
      if (!this.#lostAt) this.options.onLoss();
      this.#lostAt = usedAt;
      return;
    }
    this.#waiting.set(key, { identityId, serviceId, type, usedAt });
  };

  /** Stores the uses that wait. Those that can not be stored wait for the next call. */
  async flush(): Promise<void> {
    const { store } = this.options;
    const waiting = [...this.#waiting];
    for (let from = 0; from < waiting.length; from += MAX_IN_ONE_WRITE) {
      const batch = waiting.slice(from, from + MAX_IN_ONE_WRITE);
      await usedAccess.store(
        store,
        batch.map(([, use]) => use),
      );
      for (const [key, use] of batch) {
        if (this.#waiting.get(key) === use) this.#waiting.delete(key);
      }
    }
    await this.storeLoss();
  }

  private async storeLoss(): Promise<void> {
    const lostAt = this.#lostAt;
    if (!lostAt) return;
    await useRecording.restart(this.options.store, lostAt);
    if (this.#lostAt === lostAt) this.#lostAt = undefined;
  }
}
