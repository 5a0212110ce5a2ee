import { DownloadFault, downloadJwks, resolveHost, type ResolveHost } from './jwks-download.js';
import { parseKeySet, type VerificationKey } from './verification-key.js';

export interface JwksKeysOptions {
  readonly clock: () => Date;
  /** Whether key sets may be on loopback and private addresses. */
  readonly allowPrivate: boolean;
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

/** The keys of one endpoint. */
interface KeySet {
  readonly endpoint: string;
  /** Oldest first. */
  readonly keys: Map<string, VerificationKey>;
  /** Milliseconds; when the last download began. */
  downloadBeganAt: number;
  download: Promise<void> | undefined;
}

const TIMEOUT_MS = 5000;
const REFRESH_MS = 1000;
const MOST_ENDPOINTS = 256;
const MOST_KEYS = 512;

/**
 * Keys of external signers by endpoint and key id. For an unknown key id it downloads the key set,
 * at most once per second; a failed download changes nothing. Keys that disappear from an endpoint
 * stay until many newer ones replace them, so that a faulty endpoint does not stop logins.
 */
export class JwksKeys {
  /** By endpoint, the least recently used first. */
  readonly #sets = new Map<string, KeySet>();

  constructor(private readonly options: JwksKeysOptions) {}

  /** The key; undefined if the endpoint does not have it or does not answer. Never throws. */
  async find(endpoint: string, kid: string): Promise<VerificationKey | undefined> {
    const set = this.setOf(endpoint);
    if (!set.keys.has(kid)) await this.refresh(set);
    return set.keys.get(kid);
  }

  private setOf(endpoint: string): KeySet {
    const existing = this.#sets.get(endpoint);
    const set = existing ?? {
      endpoint,
      keys: new Map(),
      downloadBeganAt: -Infinity,
      download: undefined,
    };
    this.#sets.delete(endpoint);
    this.#sets.set(endpoint, set);
    dropOldest(this.#sets, MOST_ENDPOINTS);
    return set;
  }

  private async refresh(set: KeySet): Promise<void> {
    if (!set.download) {
      const elapsed = this.options.clock().getTime() - set.downloadBeganAt;
      // A clock that was set back must not stop downloads.
      if (elapsed >= 0 && elapsed < REFRESH_MS) return;
      set.downloadBeganAt = this.options.clock().getTime();
      set.download = this.download(set).finally(() => {
        set.download = undefined;
      });
    }
    await set.download;
  }

  private async download(set: KeySet): Promise<void> {
    const { allowPrivate, ca, onFault, resolve = resolveHost } = this.options;
    const timeoutMs = this.options.timeoutMs ?? TIMEOUT_MS;
    try {
      const text = await downloadJwks(set.endpoint, { timeoutMs, allowPrivate, resolve, ca });
      const keySet = parseKeySet(text);
      if (!keySet) throw new DownloadFault('answered with something else than a key set');
      for (const [kid, key] of keySet) {
        set.keys.delete(kid);
        set.keys.set(kid, key);
      }
      dropOldest(set.keys, MOST_KEYS);
    } catch (error) {
      const reason = error instanceof DownloadFault ? error.message : 'the download failed';
      onFault?.(withoutSecrets(set.endpoint), reason);
    }
  }
}

function dropOldest(map: Map<string, unknown>, most: number): void {
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
