import type { Database } from './database.js';

/** The channel of the database on which readers of the change log listen. */
export const CHANGE_CHANNEL = 'overgraph_change';

/**
 * Notices within this time are one, since a busy network commits all the time: each costs two
 * transactions, one that tells and one that reads. The first after a quiet time is sent at once.
 */
export const NOTICE_MILLIS = 40;

/**
 * Wakes the readers of the change log in all controllers. A notice that is lost only makes them later,
 * since they poll as well. It is not part of the transaction of its change: the server commits
 * transactions with notices one after the other.
 */
export class ChangeNotice {
  #timer: NodeJS.Timeout | undefined;
  #sentAt = -Infinity;

  constructor(private readonly database: Pick<Database, 'notify'>) {}

  /** Sends a notice now, or soon after the last one. */
  send(): void {
    if (this.#timer) return;
    const wait = this.#sentAt + NOTICE_MILLIS - performance.now();
    if (wait <= 0) this.sendNow();
    else {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.sendNow();
      }, wait);
      this.#timer.unref();
    }
  }

  private sendNow(): void {
    this.#sentAt = performance.now();
    this.database.notify(CHANGE_CHANNEL).catch(() => undefined);
  }
}
