import type { JsonWebKey, KeyObject, X509Certificate } from 'node:crypto';
import { signingKeys, type SigningKey } from '../../data/rows/controller/index.js';
import type { Rows } from '../../kernel/request/store-port.js';
import {
  storedCertificate,
  fingerprint,
  signingAlgorithm,
  type JwtSigner,
  type KeyMaterial,
  type SigningAlgorithm,
} from '../pki/index.js';

/** A public key, and the one algorithm that its signatures may have, whatever a token says. */
export interface VerificationKey {
  readonly key: KeyObject;
  readonly algorithm: SigningAlgorithm;
}

/** A JWK set (RFC 7517 5). */
export interface KeySet {
  readonly keys: readonly JsonWebKey[];
}

export interface TokenKeysOptions {
  readonly rows: Rows;
  /** Gives the current keys, which are renewed while the controller runs. */
  readonly keyMaterial: () => Pick<KeyMaterial, 'server'>;
  readonly now: () => Date;
}

type Keys = ReadonlyMap<string, VerificationKey>;

const NO_KEYS: Keys = new Map();
/** The form of `kid`: other texts are answered without a look at the table. */
const KID = /^[0-9a-f]{40}$/;
/** The table is read again for an unknown `kid`, but not more often: strangers choose what tokens say. */
const PAUSE_MILLIS = 1_000;
/**
 * A new key signs after this time even if a router has not read it: one that reads nothing for so long is
 * disconnected, since it answers no heartbeats.
 */
const MAX_PUBLISHING_MILLIS = 60_000;
/** A key that was deleted counts for so long. */
const MAX_AGE_MILLIS = 60_000;

/**
 * The keys of tokens: this controller signs with its own, and any controller of the network verifies what
 * another one signed, also with a key that was replaced since.
 */
export class TokenKeys {
  #stored: Keys = NO_KEYS;
  /** The ids of the keys that may sign, since routers have them. */
  #published: ReadonlySet<string> = new Set();
  /** The private key stays in memory after another one has replaced its file. */
  #signer: JwtSigner | undefined;
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;
  #own: { readonly server: KeyMaterial['server']; readonly keys: Keys } | undefined;

  constructor(private readonly options: TokenKeysOptions) {}

  /** The key that signs now. */
  signer(): JwtSigner {
    const { server } = this.options.keyMaterial();
    return this.#signer ?? signerOf(server, server.leaf);
  }

  /**
   * Lets a new key sign as soon as routers have it; until then the former one signs. Call it at the start, and
   * every second.
   */
  async refresh(): Promise<void> {
    const { server } = this.options.keyMaterial();
    const next = signerOf(server, server.leaf);
    if (this.#signer?.kid === next.kid) return;
    await this.read(0);
    this.#signer = this.#published.has(next.kid)
      ? next
      : (this.#signer ?? this.former(server) ?? next);
  }

  /** Gives the key of any controller of the network by its id. */
  async find(kid: string): Promise<VerificationKey | undefined> {
    const own = this.ownKeys().get(kid);
    if (own ?? !KID.test(kid)) return own;
    await this.read(MAX_AGE_MILLIS);
    if (!this.#stored.has(kid)) await this.read(PAUSE_MILLIS);
    return this.#stored.get(kid);
  }

  /** The public keys of all controllers, the own one first. */
  async jwks(): Promise<KeySet> {
    await this.read(PAUSE_MILLIS);
    const { kid } = this.signer();
    const all = [...new Map([...this.ownKeys(), ...this.#stored])];
    const ordered = [...all.filter(([id]) => id === kid), ...all.filter(([id]) => id !== kid)];
    return { keys: ordered.map(([id, key]) => jwkOf(id, key)) };
  }

  /** A certificate that is renewed has the same key, so a program that starts can sign in the name of the former. */
  private former(server: KeyMaterial['server']): JwtSigner | undefined {
    const certificate = server.formerLeaves.find(
      (former) =>
        former.publicKey.equals(server.leaf.publicKey) && this.#published.has(fingerprint(former)),
    );
    return certificate && signerOf(server, certificate);
  }

  /** The keys of this controller, which need no statement. */
  private ownKeys(): Keys {
    const { server } = this.options.keyMaterial();
    if (this.#own?.server !== server) {
      const keys = keysOf([server.leaf, ...server.formerLeaves]);
      this.#own = { server, keys };
    }
    return this.#own.keys;
  }

  /** Reads the table again if it was read longer ago than this. Reads at the same time are one. */
  private async read(millis: number): Promise<void> {
    const now = this.options.now().getTime();
    // A clock that was set back must not stop the reads.
    if (Math.abs(now - this.#readAt) < millis) return;
    this.#reading ??= this.readStored(now).finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  private async readStored(now: number): Promise<void> {
    const rows = await signingKeys.all(this.options.rows, new Date(now));
    this.#stored = keysOf(rows.flatMap(({ certPem }) => storedCertificate(certPem) ?? []));
    this.#published = new Set(rows.filter((row) => isPublished(row, now)).map(({ kid }) => kid));
    this.#readAt = now;
  }
}

const signerOf = (
  { privateKey, algorithm }: KeyMaterial['server'],
  certificate: X509Certificate,
): JwtSigner => ({ privateKey, algorithm, kid: fingerprint(certificate) });

const isPublished = ({ publishedAt, sentAt }: SigningKey, now: number): boolean =>
  sentAt !== null || publishedAt.getTime() + MAX_PUBLISHING_MILLIS <= now;

const keysOf = (certificates: readonly X509Certificate[]): Keys =>
  new Map(
    certificates.flatMap((certificate): [string, VerificationKey][] => {
      const { publicKey: key } = certificate;
      const algorithm = signingAlgorithm(key);
      return algorithm ? [[fingerprint(certificate), { key, algorithm }]] : [];
    }),
  );

const jwkOf = (kid: string, { key, algorithm }: VerificationKey): JsonWebKey => ({
  use: 'sig',
  kid,
  alg: algorithm.jws,
  ...key.export({ format: 'jwk' }),
});
