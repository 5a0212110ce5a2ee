import { DownloadFault, downloadJwks, resolveHost, type ResolveHost } from './jwks-download.js';
import { parseKeySet, type VerificationKey } from './verification-key.js';

export interface JwksKeysOptions {
  readonly clock: () => Date;
  /** Whether key sets may live on loopback and private addresses. */
  readonly allowPrivate: boolean;
  /** Told about every failed download: the endpoint without credentials and query, and why. */
  readonly onFault?: (endpoint: string, reason: string) => void;
  /** 5000 by default. */
  readonly timeoutMs?: number;
  readonly resolve?: ResolveHost;
  readonly ca?: string;
}

/** What is known of one endpoint. */
interface KeySet {
  readonly endpoint: string;
  /** Oldest first. */
  readonly keys: Map<string, VerificationKey>;
  /** Milliseconds; when the last download began. */
  askedAt: number;
  asking: Promise<void> | undefined;
}

const TIMEOUT_MS = 5000;
const REFRESH_MS = 1000;
const MOST_ENDPOINTS = 256;
const MOST_KEYS = 512;

/**
 * Keys of external signers by endpoint and key id. An unknown key id asks the endpoint, at most once
 * per second whatever the outcome; a failed download changes nothing. Keys that an endpoint shows no
 * more stay (until many newer ones push them out), so that an endpoint in trouble locks nobody out.
 */
export class JwksKeys {
  /** Least recently asked first. */
  readonly #sets = new Map<string, KeySet>();

  constructor(private readonly options: JwksKeysOptions) {}

  /** The key, undefined when the endpoint does not show it or can not be asked. Never throws. */
  async find(endpoint: string, kid: string): Promise<VerificationKey | undefined> {
    const set = this.setOf(endpoint);
    if (!set.keys.has(kid)) await this.refresh(set);
    return set.keys.get(kid);
  }

  private setOf(endpoint: string): KeySet {
    const known = this.#sets.get(endpoint);
    const set = known ?? { endpoint, keys: new Map(), askedAt: -Infinity, asking: undefined };
    this.#sets.delete(endpoint);
    this.#sets.set(endpoint, set);
    dropOldest(this.#sets, MOST_ENDPOINTS);
    return set;
  }

  private async refresh(set: KeySet): Promise<void> {
    if (!set.asking) {
      const elapsed = this.options.clock().getTime() - set.askedAt;
      // A clock that was set back must not keep the keys from being read.
      if (elapsed >= 0 && elapsed < REFRESH_MS) return;
      set.askedAt = this.options.clock().getTime();
      set.asking = this.download(set).finally(() => {
        set.asking = undefined;
      });
    }
    await set.asking;
  }

  private async download(set: KeySet): Promise<void> {
    const { allowPrivate, ca, onFault, resolve = resolveHost } = this.options;
    const timeoutMs = this.options.timeoutMs ?? TIMEOUT_MS;
    try {
      const text = await downloadJwks(set.endpoint, { timeoutMs, allowPrivate, resolve, ca });
      const found = parseKeySet(text);
      if (!found) throw new DownloadFault('answered with something else than a key set');
      for (const [kid, key] of found) {
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
