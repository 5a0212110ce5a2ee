import { failure, type ApiError } from '../../base/errors.js';
import type { Lane } from '../../kernel/graph/pace.js';
import { FairQueue } from './fair-queue.js';

const ORDER: readonly Lane[] = ['first', 'ordinary', 'background'];

/**
 * The share of slots for each lane, so that no lane can occupy all. Background work keeps the
 * process busy alone; more of it at once would only delay other requests.
 */
const SHARES: Readonly<Record<Lane, number>> = { first: 3 / 4, ordinary: 3 / 4, background: 1 / 8 };

/**
 * The share of slots for one sender, so that it can not occupy the database. The first lane is open
 * to unauthenticated clients, and hashing a password occupies a whole processor.
 */
const SHARES_OF_SENDER: Readonly<Record<Lane, number>> = {
  first: 1 / 32,
  ordinary: 1 / 8,
  background: 1 / 16,
};

/** Number of waiting requests in a lane for each slot. */
const WAITING_PER_PLACE = 16;
const MAX_WAIT_MILLIS = 5_000;
const RETRY_AFTER_SECONDS = 1;

interface Waiting {
  readonly start: () => void;
  readonly refuse: () => void;
}

export interface LaneSettings {
  /** The number of slots; 0 means no limit. */
  readonly places: number;
  /** Whether senders can be told apart. */
  readonly bySender: boolean;
  readonly longestWaitMs?: number;
}

/**
 * The slots of requests that work at the same time. When all are occupied, requests wait by lane,
 * and in a lane senders take turns. If too many wait, it refuses requests of the sender with the
 * most; it also refuses requests that wait too long.
 */
export class Lanes {
  readonly #running: Record<Lane, number> = { first: 0, ordinary: 0, background: 0 };
  /** Occupied slots by sender. */
  readonly #ofSender: Readonly<Record<Lane, Map<string, number>>> = {
    first: new Map(),
    ordinary: new Map(),
    background: new Map(),
  };
  readonly #waiting: Readonly<Record<Lane, FairQueue<Waiting>>> = {
    first: new FairQueue(),
    ordinary: new FairQueue(),
    background: new FairQueue(),
  };
  readonly #most: Readonly<Record<Lane, number>>;
  readonly #mostOfSender: Readonly<Record<Lane, number>>;

  constructor(private readonly settings: LaneSettings) {
    const share = (part: number): number => Math.max(1, Math.floor(settings.places * part));
    this.#most = {
      first: share(SHARES.first),
      ordinary: share(SHARES.ordinary),
      background: share(SHARES.background),
    };
    const ofSender = (lane: Lane): number =>
      settings.bySender && settings.places > 0 ? share(SHARES_OF_SENDER[lane]) : Infinity;
    // If a share is less than one slot, only turns limit a sender.
    const isFew = settings.places * SHARES_OF_SENDER.ordinary < 1;
    this.#mostOfSender = {
      first: ofSender('first'),
      ordinary: isFew ? Infinity : ofSender('ordinary'),
      background: isFew ? Infinity : ofSender('background'),
    };
  }

  /**
   * Occupies a slot, at once if one is free.
   * @throws ApiError UNAVAILABLE
   */
  enter(lane: Lane, sender: string): Promise<void> | undefined {
    if (this.#waiting[lane].size > 0 || !this.hasPlace(lane) || !this.hasTurn(lane, sender)) {
      return this.wait(lane, sender);
    }
    this.occupy(lane, sender);
    return undefined;
  }

  /** Releases a slot. */
  leave(lane: Lane, sender: string): void {
    this.#running[lane] -= 1;
    const ofLane = this.#ofSender[lane];
    const remaining = (ofLane.get(sender) ?? 0) - 1;
    if (remaining > 0) ofLane.set(sender, remaining);
    else ofLane.delete(sender);
    for (const next of ORDER) this.startWaiting(next);
  }

  private startWaiting(lane: Lane): void {
    const waiting = this.#waiting[lane];
    while (waiting.size > 0 && this.hasPlace(lane)) {
      const next = waiting.next((sender) => this.hasTurn(lane, sender));
      if (!next) return;
      next.start();
    }
  }

  private hasPlace(lane: Lane): boolean {
    const { places } = this.settings;
    if (places === 0) return true;
    const { first, ordinary, background } = this.#running;
    return first + ordinary + background < places && this.#running[lane] < this.#most[lane];
  }

  private hasTurn(lane: Lane, sender: string): boolean {
    return (this.#ofSender[lane].get(sender) ?? 0) < this.#mostOfSender[lane];
  }

  private occupy(lane: Lane, sender: string): void {
    this.#running[lane] += 1;
    const ofLane = this.#ofSender[lane];
    ofLane.set(sender, (ofLane.get(sender) ?? 0) + 1);
  }

  private wait(lane: Lane, sender: string): Promise<void> {
    const waiting = this.#waiting[lane];
    if (waiting.size >= this.settings.places * WAITING_PER_PLACE) {
      const dropped = waiting.dropFor(sender);
      if (!dropped) return Promise.reject(busy());
      dropped.refuse();
    }
    const entering = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.remove(sender, entry);
        reject(busy());
      }, this.settings.longestWaitMs ?? MAX_WAIT_MILLIS);
      const entry: Waiting = {
        start: () => {
          clearTimeout(timer);
          this.occupy(lane, sender);
          resolve();
        },
        refuse: () => {
          clearTimeout(timer);
          reject(busy());
        },
      };
      waiting.push(sender, entry);
    });
    // All requests before it may wait for a turn of their own sender.
    this.startWaiting(lane);
    return entering;
  }
}

function busy(): ApiError {
  const error = failure('UNAVAILABLE', 'too many requests are waiting');
  error.retryAfter = RETRY_AFTER_SECONDS;
  return error;
}
