import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { largeCache } from '../../base/large-cache.js';
import { isPassword } from './password-hash.js';

/**
 * Argon2id with 1 MiB and three passes: a thirteenth of the work of a stored hash. So little memory
 * stays in the caches of the processor, and is cheap to get from the system each time. Several lanes
 * would each take a thread.
 */
const SETTINGS = { memoryCost: 1024, timeCost: 3, parallelism: 1 } as const;
/** After so long a password is proved by its stored hash again. */
const LIFE_MILLIS = 5 * 60_000;
const MAX_PASSWORDS = 5_000;

/**
 * Checks passwords. One that proved right is remembered for some minutes as a cheaper hash, so that
 * programs that log in again and again do not take the processor from others. That hash stays in
 * memory, and needs a secret of this process. A wrong password costs the same whether the right one
 * is remembered or not. Speed needs it (docs/benchmark.md, "password login").
 */
export class ProvedPasswords {
  readonly #secret = randomBytes(32);
  /** By the stored hash, so that a new password has no entry. */
  readonly #hashes = largeCache<string>(MAX_PASSWORDS, LIFE_MILLIS);
  #decoy: Promise<string> | undefined;

  /** Whether a stored hash is that of the password. */
  async isPassword(storedHash: string, password: string): Promise<boolean> {
    const rememberedHash = this.#hashes.get(storedHash);
    this.#decoy ??= this.cheapHash(randomBytes(32).toString('hex'));
    const expectedHash = rememberedHash ?? (await this.#decoy);
    if (await verify(expectedHash, password, { secret: this.#secret })) return true;
    if (!(await isPassword(storedHash, password))) return false;
    this.#hashes.set(storedHash, await this.cheapHash(password));
    return true;
  }

  private cheapHash(password: string): Promise<string> {
    return hash(password, { ...SETTINGS, secret: this.#secret });
  }
}
