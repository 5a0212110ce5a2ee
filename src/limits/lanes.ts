import { failure, type ApiError } from '../base/errors.js';
import type { Lane } from '../kernel/graph/pace.js';
import { FairQueue } from './fair-queue.js';

const ORDER: readonly Lane[] = ['first', 'ordinary', 'background'];

/**
 * No lane can take all places: the share of each. What works in the background keeps the process
 * busy by itself; more of it at once would only make everybody wait.
 */
const SHARES: Readonly<Record<Lane, number>> = { first: 3 / 4, ordinary: 3 / 4, background: 1 / 8 };

/**
 * Of one sender, so that what it asks does not keep the database from others. To the first lane
 * strangers have access: hashing a password takes a processor for itself, and there are few of those.
 */
const SHARES_OF_SENDER: Readonly<Record<Lane, number>> = {
  first: 1 / 32,
  ordinary: 1 / 8,
  background: 1 / 16,
};

/** How many may wait in a lane, for each place. */
const WAITING_PER_PLACE = 16;
const LONGEST_WAIT_MILLIS = 5_000;
const COME_BACK_SECONDS = 1;

interface Waiting {
  readonly start: () => void;
  readonly refuse: () => void;
}

export interface LaneSettings {
  /** 0: there is no limit. */
  readonly places: number;
  /** Whether senders can be told apart. */
  readonly bySender: boolean;
  readonly longestWaitMs?: number;
}

/**
 * The places of the requests that work at the same time. When all are taken, those who wait are
 * served by lane, and in a lane sender by sender. Where too many wait, those of the sender with the
 * most are refused; and whoever waits too long.
 */
export class Lanes {
  readonly #running: Record<Lane, number> = { first: 0, ordinary: 0, background: 0 };
  /** By sender. */
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
    // Where there is less than a place for each, turns alone decide.
    const isFew = settings.places * SHARES_OF_SENDER.ordinary < 1;
    this.#mostOfSender = {
      first: ofSender('first'),
      ordinary: isFew ? Infinity : ofSender('ordinary'),
      background: isFew ? Infinity : ofSender('background'),
    };
  }

  /**
   * Takes a place, at once where one is free.
   * @throws ApiError UNAVAILABLE
   */
  enter(lane: Lane, sender: string): Promise<void> | undefined {
    if (this.#waiting[lane].size > 0 || !this.hasPlace(lane) || !this.hasTurn(lane, sender)) {
      return this.wait(lane, sender);
    }
    this.take(lane, sender);
    return undefined;
  }

  /** Gives a place back. */
  leave(lane: Lane, sender: string): void {
    this.#running[lane] -= 1;
    const ofLane = this.#ofSender[lane];
    const left = (ofLane.get(sender) ?? 0) - 1;
    if (left > 0) ofLane.set(sender, left);
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

  private take(lane: Lane, sender: string): void {
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
      }, this.settings.longestWaitMs ?? LONGEST_WAIT_MILLIS);
      const entry: Waiting = {
        start: () => {
          clearTimeout(timer);
          this.take(lane, sender);
          resolve();
        },
        refuse: () => {
          clearTimeout(timer);
          reject(busy());
        },
      };
      waiting.push(sender, entry);
    });
    // Those before it may all be waiting for a turn of their own.
    this.startWaiting(lane);
    return entering;
  }
}

function busy(): ApiError {
  const error = failure('UNAVAILABLE', 'too many requests are waiting');
  error.retryAfter = COME_BACK_SECONDS;
  return error;
}
