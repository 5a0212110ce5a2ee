import type { RowOf } from '../../kernel/declare/rows.js';
import { ACTIVITY_GRACE } from './sessions.js';

/** The lives of the tokens that stand for API sessions over OpenID Connect, in milliseconds. */
interface TokenLives {
  readonly accessMs: number;
  readonly refreshMs: number;
}

/** How long somebody may hold a token that stands for an API session. */
export class TokenLife {
  readonly #longestMs: number;

  constructor({ accessMs, refreshMs }: TokenLives) {
    this.#longestMs = Math.max(accessMs, refreshMs);
  }

  /** When all tokens that were issued until now have expired. */
  endFrom(now: Date): Date {
    return new Date(now.getTime() + this.#longestMs);
  }

  /** Whether a session may have tokens. They are issued with activity, which controllers store late. */
  mayRemain(
    { oidcClient, lastActivityAt }: Pick<RowOf<'ApiSession'>, 'oidcClient' | 'lastActivityAt'>,
    now: Date,
  ): boolean {
    const idleMs = now.getTime() - lastActivityAt.getTime();
    return oidcClient !== null && idleMs < this.#longestMs * ACTIVITY_GRACE;
  }
}
