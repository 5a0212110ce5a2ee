import { sameKeyMaterial, type KeyMaterial } from './key-material.js';

export interface LiveKeysParts {
  /** The material in force until a reload changes it. */
  readonly first: KeyMaterial;
  /** Reads it again, and renews certificates that are about to end. */
  readonly load: () => Promise<KeyMaterial>;
  /** Throws unless the network may continue with the new material. */
  readonly accept: (next: KeyMaterial) => Promise<void>;
}

/** The key material of a running controller, which can change meanwhile. */
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

  /** Adds a listener for changes of the material. */
  onChange(listener: (keys: KeyMaterial) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Loads changes from the disk, and renews certificates when it is time. Gives whether anything
   * changed; an error leaves the material unchanged.
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
