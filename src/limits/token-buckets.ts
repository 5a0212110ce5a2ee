import { LRUCache } from 'lru-cache';

/*
 * Own code, because `RateLimiterMemory` of `rate-limiter-flexible` 11.4.0 counts in fixed windows:
 * nothing comes back before a window ends, a wait can not be reserved, and a refusal counts as a
 * use. It keeps every key with a timer of its own (500,000 senders take 220 MB), reads `Date.now()`,
 * and answers by a promise, while the limits are asked before the first byte of a request is read.
 */

/** Bounds what many senders can make us remember; one that is forgotten begins anew. */
const MOST_REMEMBERED = 50_000;

interface Bucket {
  left: number;
  /** Milliseconds */
  filledAt: number;
}

export interface BucketSettings {
  /** Tokens that come back in a second; 0 takes the limit away. */
  readonly perSecond: number;
  /** Tokens of a full bucket. */
  readonly burst: number;
}

/** One bucket of tokens for each key. Keys are short texts, since they are remembered. */
export class TokenBuckets {
  readonly #buckets = new LRUCache<string, Bucket>({ max: MOST_REMEMBERED });

  constructor(
    readonly settings: BucketSettings,
    /** Milliseconds of a clock that does not step back. */
    private readonly now: () => number,
  ) {}

  get isOff(): boolean {
    return this.settings.perSecond === 0;
  }

  /**
   * Takes tokens; 0 when there were enough, else the seconds until there will be. What is worth
   * more than a bucket holds takes a full one, and its rest from what comes back later.
   */
  take(key: string, amount = 1): number {
    const { perSecond, burst } = this.settings;
    if (perSecond === 0) return 0;
    const bucket = this.filled(key);
    const lacking = Math.min(amount, burst) - bucket.left;
    if (lacking > 0) return lacking / perSecond;
    bucket.left -= amount;
    return 0;
  }

  /**
   * Takes a token that may come back only later; gives the seconds until then. Nothing is taken, and
   * nothing given, where they would be more than the longest.
   */
  reserve(key: string, longest: number): number | undefined {
    const { perSecond } = this.settings;
    if (perSecond === 0) return 0;
    const bucket = this.filled(key);
    const wait = Math.max(0, 1 - bucket.left) / perSecond;
    if (wait > longest) return undefined;
    bucket.left -= 1;
    return wait;
  }

  /** Seconds until a bucket holds anything; 0 when it does. */
  wait(key: string): number {
    const { perSecond } = this.settings;
    if (perSecond === 0) return 0;
    const { left } = this.filled(key);
    return left > 0 ? 0 : Math.max(1, -left) / perSecond;
  }

  /** Takes what was used already, be it there or not. */
  charge(key: string, amount: number): void {
    if (this.settings.perSecond > 0) this.filled(key).left -= amount;
  }

  left(key: string): number {
    return Math.max(0, Math.floor(this.filled(key).left));
  }

  private filled(key: string): Bucket {
    const { perSecond, burst } = this.settings;
    const now = this.now();
    const known = this.#buckets.get(key);
    if (!known) {
      const bucket = { left: burst, filledAt: now };
      this.#buckets.set(key, bucket);
      return bucket;
    }
    known.left = Math.min(burst, known.left + ((now - known.filledAt) / 1000) * perSecond);
    known.filledAt = now;
    return known;
  }
}
