import { TokenBuckets } from './token-buckets.js';

/**
 * Handshakes of one address without waiting: fleets and browsers open several connections together.
 */
const BURST = 50;
const MAX_WAIT_SECONDS = 10;

/**
 * Limits the handshakes per second of each address. A handshake costs more CPU time than a request,
 * and many handshakes that arrive together would delay all other clients.
 */
export class HandshakePace {
  readonly #buckets: TokenBuckets;

  constructor(perSecond: number) {
    this.#buckets = new TokenBuckets({ perSecond, burst: BURST }, () => performance.now());
  }

  /** Gives the seconds to delay a handshake; undefined if they are too many. */
  delay(sender: string): number | undefined {
    return this.#buckets.reserve(sender, MAX_WAIT_SECONDS);
  }
}
