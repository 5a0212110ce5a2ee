import type { Store } from '../../kernel/request/store-port.js';
import { externalJwtSigners, type KnownSigner } from '../../data/rows/external-jwt-signer/index.js';
import { hasRights, type Rights } from './rules/index.js';

/** The trust in the identities that a signer or an authority authenticates. */
export interface Vouching {
  /** Whether it may also authenticate identities with permissions. */
  readonly trustedForManagement: boolean;
}

/** Whether a signer or an authority may authenticate an identity with these rights. */
export const vouchesFor = ({ trustedForManagement }: Vouching, rights: Rights): boolean =>
  trustedForManagement || !hasRights(rights);

/** The external signers, cached until a change; a login reads the current ones. */
export class ExternalSigners {
  #all: Promise<readonly KnownSigner[]> | undefined;

  constructor(private readonly store: Store) {
    store.onChange((changes) => {
      if (changes.some((c) => c.resource === 'ExternalJwtSigner')) this.#all = undefined;
    });
  }

  all(): Promise<readonly KnownSigner[]> {
    this.#all ??= this.read();
    return this.#all;
  }

  /** Reads the signers again, for a login. */
  current(): Promise<readonly KnownSigner[]> {
    this.#all = undefined;
    return this.all();
  }

  async find(id: string): Promise<KnownSigner | undefined> {
    return (await this.all()).find((signer) => signer.id === id);
  }

  private async read(): Promise<readonly KnownSigner[]> {
    try {
      return await externalJwtSigners.all(this.store);
    } catch (error) {
      this.#all = undefined;
      throw error;
    }
  }
}
