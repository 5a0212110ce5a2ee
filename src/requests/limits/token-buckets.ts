import { largeCache } from '../../base/large-cache.js';

/*
 * This does not use `RateLimiterMemory` of `rate-limiter-flexible` 11.4.0, which counts in fixed
 * windows: no tokens come back before a window ends, a wait can not be reserved, and a refusal
 * counts as a use. It stores every key with its own timer (500,000 senders need 220 MB), reads
 * `Date.now()`, and answers by a promise, while these limits are needed synchronously.
 */

/** Limit of buckets in memory; a removed sender starts with a full bucket. */
const MAX_BUCKETS = 50_000;

interface Bucket {
  left: number;
  /** Milliseconds */
  filledAt: number;
}

export interface BucketSettings {
  /** Tokens that come back in a second; 0 switches the limit off. */
  readonly perSecond: number;
  /** Tokens of a full bucket. */
  readonly burst: number;
}

/** A bucket of tokens for each key. Keys must be short texts, since they stay in memory. */
export class TokenBuckets {
  readonly #buckets = largeCache<Bucket>(MAX_BUCKETS);
  /** Tokens since the last call of `newlyTaken`, by key. */
  #newlyTaken = new Map<string, number>();

  constructor(
    readonly settings: BucketSettings,
    /** Milliseconds of a monotonic clock. */
    private readonly now: () => number,
    /** Whether `newlyTaken` is called. */
    private readonly isShared = false,
  ) {}

  get isOff(): boolean {
    return this.settings.perSecond === 0;
  }

  /**
   * Takes tokens; gives 0 if there were enough, else the seconds to wait. An amount above the
   * bucket's size needs a full bucket and leaves it negative.
   */
  take(key: string, amount = 1): number {
    const { perSecond, burst } = this.settings;
    if (perSecond === 0) return 0;
    const bucket = this.filled(key);
    const lacking = Math.min(amount, burst) - bucket.left;
    if (lacking > 0) return lacking / perSecond;
    this.takeFrom(bucket, key, amount);
    return 0;
  }

  /**
   * Takes a token in advance and gives the seconds until it is available; undefined, without taking
   * it, if that is more than `longest`.
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

  /** Seconds until a bucket has a token; 0 if it has one. */
  wait(key: string): number {
    const { perSecond } = this.settings;
    if (perSecond === 0) return 0;
    const { left } = this.filled(key);
    return left > 0 ? 0 : Math.max(1, -left) / perSecond;
  }

  /** Takes tokens for past use, even if the bucket becomes negative. */
  charge(key: string, amount: number): void {
    if (this.settings.perSecond > 0) this.takeFrom(this.filled(key), key, amount);
  }

  /** The tokens taken since the last call, by key. */
  newlyTaken(): ReadonlyMap<string, number> {
    const taken = this.#newlyTaken;
    if (taken.size > 0) this.#newlyTaken = new Map();
    return taken;
  }

  /** Takes the tokens that another process of this controller took, by key. */
  takenElsewhere(taken: ReadonlyMap<string, number>): void {
    for (const [key, amount] of taken) this.filled(key).left -= amount;
  }

  left(key: string): number {
    return Math.max(0, Math.floor(this.filled(key).left));
  }

  private takeFrom(bucket: Bucket, key: string, amount: number): void {
    bucket.left -= amount;
    if (this.isShared) this.#newlyTaken.set(key, (this.#newlyTaken.get(key) ?? 0) + amount);
  }

  private filled(key: string): Bucket {
    const { perSecond, burst } = this.settings;
    const now = this.now();
    const existing = this.#buckets.get(key);
    if (!existing) {
      const bucket = { left: burst, filledAt: now };
      this.#buckets.set(key, bucket);
      return bucket;
    }
    existing.left = Math.min(burst, existing.left + ((now - existing.filledAt) / 1000) * perSecond);
    existing.filledAt = now;
    return existing;
  }
}
