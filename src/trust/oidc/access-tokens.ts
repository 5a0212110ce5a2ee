import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { TOKEN_KIND } from './claims.js';
import type { RevokedTokens } from './revoked-tokens.js';
import {
  verifyToken,
  type TokenClaims,
  type TokenFault,
  type VerifyOptions,
} from './verify-token.js';

/** Enough for the clients that one process serves within the life of a token. */
const MAX_TOKENS = 50_000;

interface AccessTokensOptions extends VerifyOptions {
  readonly revoked: RevokedTokens;
}

/** Verifies access tokens, and remembers those that are valid, so that a signature is checked once. */
export class AccessTokens {
  readonly #verified = new LRUCache<string, TokenClaims>({ max: MAX_TOKENS });

  constructor(private readonly options: AccessTokensOptions) {}

  /** The claims of a token that was verified before, has not expired and was not revoked since. */
  remembered(token: string): TokenClaims | undefined {
    const claims = this.#verified.get(keyOf(token));
    if (!claims || claims.expiresAt <= this.options.now()) return undefined;
    return this.options.revoked.hasNow(claims.jti) ? undefined : claims;
  }

  /** The claims of a token, or why it is none of ours. */
  async verify(token: string): Promise<TokenClaims | TokenFault> {
    const remembered = this.remembered(token);
    if (remembered) return remembered;
    const claims = await verifyToken(token, TOKEN_KIND.access, this.options);
    if (typeof claims !== 'object') return claims;
    if (await this.options.revoked.has(claims.jti)) return 'invalid';
    this.#verified.set(keyOf(token), claims);
    return claims;
  }

  /** The id of the API session of a token; undefined for one that does not count. */
  async sessionOf(token: string): Promise<string | undefined> {
    const claims = await this.verify(token);
    return typeof claims === 'object' ? claims.apiSessionId : undefined;
  }
}

/** A digest, since tokens are long and secret. */
const keyOf = (token: string): string => createHash('sha256').update(token).digest('base64');
