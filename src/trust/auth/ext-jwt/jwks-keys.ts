import type { JwtSigner } from './jwt-signer.js';
import { dropOldest, KeySet, type KeySetOptions } from './key-set.js';
import type { VerificationKey } from './verification-key.js';

export interface JwksKeysOptions extends KeySetOptions {
  /** The accepted difference between the clocks of a signer and of the controller. */
  readonly leewayMs: number;
}

/** The facts of a signer that its keys belong to. */
export type KeyOwner = Pick<JwtSigner, 'id' | 'revision' | 'createdAt' | 'jwksEndpoint'>;

interface OwnedKeySet {
  readonly owner: KeyOwner;
  readonly keys: KeySet;
}

const MAX_SIGNERS = 256;

/**
 * Keys of external signers by signer and key id, from the endpoints of the signers. The keys end
 * with their signer. After a change of the signer its endpoint is read again; until that succeeds,
 * the keys from before the change count if the endpoint is the same. Never throws.
 */
export class JwksKeys {
  /** By the id of the signer, the least recently used first. */
  readonly #sets = new Map<string, OwnedKeySet>();

  constructor(private readonly options: JwksKeysOptions) {}

  get leewayMs(): number {
    return this.options.leewayMs;
  }

  /** The key; undefined if the endpoint does not have it or does not answer. */
  async find(signer: KeyOwner, kid: string): Promise<VerificationKey | undefined> {
    return this.setOf(signer)?.find(kid);
  }

  /**
   * The key after another read of the endpoint, for a token that the tried one does not verify;
   * undefined if there is no other key. See `KeySet` for how often it reads.
   */
  async findNewer(
    signer: KeyOwner,
    kid: string,
    tried: VerificationKey | undefined,
  ): Promise<VerificationKey | undefined> {
    return this.setOf(signer)?.findNewer(kid, tried);
  }

  /** Forgets the keys of a signer that is deleted. */
  forget(signerId: string): void {
    this.#sets.delete(signerId);
  }

  private setOf(signer: KeyOwner): KeySet | undefined {
    const { id, jwksEndpoint } = signer;
    if (jwksEndpoint === null) return undefined;
    const existing = this.#sets.get(id);
    const isCurrent = existing && isSameOwner(existing, signer) && !isChanged(existing, signer);
    const set = isCurrent ? existing : this.newSet(signer, jwksEndpoint, existing);
    this.#sets.delete(id);
    this.#sets.set(id, set);
    dropOldest(this.#sets, MAX_SIGNERS);
    return set.keys;
  }

  private newSet(
    owner: KeyOwner,
    endpoint: string,
    existing: OwnedKeySet | undefined,
  ): OwnedKeySet {
    const isContinued =
      existing && isSameOwner(existing, owner) && existing.keys.endpoint === endpoint;
    const earlier = isContinued ? existing.keys : undefined;
    return { owner, keys: new KeySet(endpoint, this.options, earlier) };
  }
}

const isSameOwner = ({ owner }: OwnedKeySet, { createdAt }: KeyOwner): boolean =>
  owner.createdAt.getTime() === createdAt.getTime();

/** A caller may hold a row from before the last change, which changes nothing. */
const isChanged = ({ owner }: OwnedKeySet, { revision }: KeyOwner): boolean =>
  revision > owner.revision;
