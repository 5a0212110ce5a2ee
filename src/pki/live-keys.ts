import { sameKeyMaterial, type KeyMaterial } from './key-material.js';

export interface LiveKeysParts {
  /** In force until something else is taken up. */
  readonly first: KeyMaterial;
  /** Reads it again, which renews what is about to end. */
  readonly load: () => Promise<KeyMaterial>;
  /** Throws unless the network may go on with the new material. */
  readonly accept: (next: KeyMaterial) => Promise<void>;
}

/** The key material of a running controller, which can change under it. */
export class LiveKeys {
  readonly #parts: LiveKeysParts;
  readonly #listeners: ((keys: KeyMaterial) => void)[] = [];
  #current: KeyMaterial;

  constructor(parts: LiveKeysParts) {
    this.#parts = parts;
    this.#current = parts.first;
  }

  get current(): KeyMaterial {
    return this.#current;
  }

  /** Has the listener called with whatever is taken up from now on. */
  onChange(listener: (keys: KeyMaterial) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Takes up what has changed on disk, and certificates that it was time to renew. Whether there was
   * anything; a fault is thrown and leaves everything as it was.
   */
  async refresh(): Promise<boolean> {
    const next = await this.#parts.load();
    if (sameKeyMaterial(next, this.#current)) return false;
    await this.#parts.accept(next);
    this.#current = next;
    for (const listener of this.#listeners) listener(next);
    return true;
  }
}
