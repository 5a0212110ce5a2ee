import { revocations } from '../../data/rows/revocation/index.js';
import { isChangeOf, type Change, type Store } from '../../kernel/request/store-port.js';

/**
 * The ids of the tokens that were revoked one by one, all in memory, so that a request with a token needs no
 * statement. Administrators revoke few, and each is forgotten when its token has expired.
 */
export class RevokedTokens {
  readonly #ids = new Set<string>();
  #loading: Promise<void> | undefined;

  constructor(private readonly store: Store) {
    store.onChange((changes) => {
      for (const change of changes) if (isChangeOf('Revocation', change)) this.apply(change);
    });
  }

  /** Whether a token was revoked, once `has` has been asked. */
  hasNow(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Whether a token was revoked. Reads the ids at the first call. */
  async has(id: string): Promise<boolean> {
    await (this.#loading ??= this.load());
    return this.hasNow(id);
  }

  private async load(): Promise<void> {
    try {
      // Changes meanwhile are applied at once; an id that is deleted meanwhile is of an expired token.
      for (const id of await revocations.tokenIds(this.store)) this.#ids.add(id);
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }

  private apply({ id, after }: Change<'Revocation'>): void {
    if (after?.type === 'JTI') this.#ids.add(id);
    else this.#ids.delete(id);
  }
}
