import { DownloadFault, downloadJwks, resolveHost, type ResolveHost } from './jwks-download.js';
import { isSameKey, parseKeySet, type VerificationKey } from './verification-key.js';

export interface KeySetOptions {
  readonly clock: () => Date;
  /** Whether key sets may be on loopback and private addresses. */
  readonly allowPrivate: boolean;
  /** For so long a key counts that its endpoint does not list any more. */
  readonly graceMs: number;
  /**
   * Called for every failed download with the endpoint, without credentials and query, and the
   * reason.
   */
  readonly onFault?: (endpoint: string, reason: string) => void;
  /** Default: 5000. */
  readonly timeoutMs?: number;
  readonly resolve?: ResolveHost;
  readonly ca?: string;
}

interface ListedKey {
  readonly key: VerificationKey;
  /** Milliseconds; when a download first did not list the key any more. */
  unlistedAt: number | undefined;
}

const TIMEOUT_MS = 5000;
/** A set that is in use is read again after so long, so that a removed key is noticed. */
const MAX_AGE_MS = 60_000;
const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 10_000;
const MAX_KEYS = 512;

/**
 * The keys of one endpoint. Reads of it begin at least a second apart. Anybody can name a key id
 * that does not exist, so each further read that brought nothing new doubles the pause, up to ten
 * seconds. A failed read changes no key.
 */
export class KeySet {
  /** Oldest first. */
  readonly #keys: Map<string, ListedKey>;
  /** Milliseconds; when a download last succeeded. */
  #readAt = -Infinity;
  /** Milliseconds; when the last download began. */
  #downloadBeganAt = -Infinity;
  #download: Promise<void> | undefined;
  #hasFailed = false;
  #uselessReads = 0;

  constructor(
    readonly endpoint: string,
    private readonly options: KeySetOptions,
    /** Its keys count until the first successful download. */
    earlier?: KeySet,
  ) {
    const earlierKeys = earlier ? [...earlier.#keys] : [];
    this.#keys = new Map(earlierKeys.map(([kid, listed]) => [kid, { ...listed }]));
  }

  /** The key of a set that is at most a minute old, or that could not be read since. */
  async find(kid: string): Promise<VerificationKey | undefined> {
    if (this.isOld()) {
      const reading = this.read(false);
      // While the endpoint does not answer, logins by known keys do not wait for it.
      if (!this.#hasFailed || this.#keys.size === 0) await reading;
    }
    return this.countingKey(kid);
  }

  /** Reads the set again; gives the key if it is another one than the tried one. */
  async findNewer(
    kid: string,
    tried: VerificationKey | undefined,
  ): Promise<VerificationKey | undefined> {
    await this.read(true);
    const key = this.countingKey(kid);
    return key === tried ? undefined : key;
  }

  private countingKey(kid: string): VerificationKey | undefined {
    const listed = this.#keys.get(kid);
    return listed && this.counts(listed) ? listed.key : undefined;
  }

  private counts({ unlistedAt }: ListedKey): boolean {
    return unlistedAt === undefined || this.isWithin(unlistedAt, this.options.graceMs);
  }

  private isOld(): boolean {
    return !this.isWithin(this.#readAt, MAX_AGE_MS);
  }

  /** A clock that was set back must neither stop downloads nor prolong a grace. */
  private isWithin(since: number, millis: number): boolean {
    const elapsed = this.now() - since;
    return elapsed >= 0 && elapsed < millis;
  }

  private now(): number {
    return this.options.clock().getTime();
  }

  /** `isDemanded`: for a token that no key verifies. */
  private async read(isDemanded: boolean): Promise<void> {
    // One that began before the token came may have failed, or read an older set.
    if (isDemanded) await this.#download;
    if (!this.#download) {
      if (this.isWithin(this.#downloadBeganAt, this.pauseMillis())) return;
      this.#downloadBeganAt = this.now();
      this.#download = this.download(isDemanded).finally(() => {
        this.#download = undefined;
      });
    }
    await this.#download;
  }

  private pauseMillis(): number {
    return Math.min(MIN_PAUSE_MS * 2 ** Math.max(0, this.#uselessReads - 1), MAX_PAUSE_MS);
  }

  private async download(isDemanded: boolean): Promise<void> {
    const hasNews = await this.downloadedNews();
    this.#hasFailed = hasNews === undefined;
    if (hasNews === true) this.#uselessReads = 0;
    else if (isDemanded || this.#hasFailed) this.#uselessReads += 1;
  }

  /** Whether the download brought another key than before; undefined if it failed. */
  private async downloadedNews(): Promise<boolean | undefined> {
    const { allowPrivate, ca, onFault, resolve = resolveHost } = this.options;
    const timeoutMs = this.options.timeoutMs ?? TIMEOUT_MS;
    try {
      const text = await downloadJwks(this.endpoint, { timeoutMs, allowPrivate, resolve, ca });
      const keySet = parseKeySet(text);
      if (!keySet) throw new DownloadFault('answered with something else than a key set');
      return this.replaceBy(keySet);
    } catch (error) {
      const reason = error instanceof DownloadFault ? error.message : 'the download failed';
      onFault?.(withoutSecrets(this.endpoint), reason);
      return undefined;
    }
  }

  private replaceBy(keySet: ReadonlyMap<string, VerificationKey>): boolean {
    if (this.#readAt === -Infinity) this.#keys.clear();
    this.#readAt = this.now();
    let hasNews = false;
    for (const [kid, key] of keySet) {
      const presentKey = this.countingKey(kid);
      const isKnown = presentKey !== undefined && isSameKey(presentKey, key);
      hasNews ||= !isKnown;
      this.#keys.delete(kid);
      this.#keys.set(kid, { key: isKnown ? presentKey : key, unlistedAt: undefined });
    }
    for (const [kid, listed] of this.#keys) {
      if (keySet.has(kid)) continue;
      listed.unlistedAt ??= this.#readAt;
      if (!this.counts(listed)) this.#keys.delete(kid);
    }
    dropOldest(this.#keys, MAX_KEYS);
    return hasNews;
  }
}

export function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}

function withoutSecrets(endpoint: string): string {
  if (!URL.canParse(endpoint)) return '';
  const { protocol, host, pathname } = new URL(endpoint);
  return `${protocol}//${host}${pathname}`;
}
