import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { within } from '../kernel/request-scope.js';
import { senderOf } from './address.js';
import { Lanes } from './lanes.js';
import { LimitedRequest } from './limited-request.js';
import { TokenBuckets } from './token-buckets.js';

/** 0 takes a limit away. */
export interface LimitSettings {
  /** `OVERGRAPH_RATE_LIMIT`: requests a second for each address. */
  readonly addressRate: number;
  /** `OVERGRAPH_SESSION_RATE_LIMIT`: requests a second for each API session. */
  readonly sessionRate: number;
  /** `OVERGRAPH_CONCURRENCY`: requests that work at the same time. */
  readonly concurrency: number;
  /** `OVERGRAPH_REQUEST_TIMEOUT`: how long a request may take; always set. */
  readonly requestMs: number;
  /** `OVERGRAPH_MAX_CONNECTIONS`: open connections. */
  readonly connections: number;
  /** `OVERGRAPH_ADDRESS_CONNECTIONS`: open connections of one address. */
  readonly addressConnections: number;
  /** `OVERGRAPH_GRAPHQL_BUDGET`: cost of the documents of one caller in a minute. */
  readonly graphqlBudget: number;
}

/**
 * A client that sends nothing for so long in the middle of a request is cut off; one that takes
 * nothing of its answer after twice that at the latest.
 */
export const STALL_MILLIS = 20_000;

const BURST_SECONDS = 2;
/** No token of ours is longer; others are no sessions, and not worth remembering. */
const LONGEST_TOKEN = 64;
const PAUSE_MILLIS = 1_000;
/** Sent ahead without waiting for answers; more is no client that means well. */
const MOST_REFUSED_AHEAD = 100;

/** The limits of one controller; what they count is not shared with others. */
export class RequestLimits {
  readonly #addresses: TokenBuckets;
  readonly #sessions: TokenBuckets;
  readonly #budget: TokenBuckets;
  readonly #lanes: Lanes;
  /** Refusals on connections that are not read for a moment. */
  readonly #paused = new WeakMap<Socket, { refused: number }>();

  constructor(
    readonly settings: LimitSettings,
    now: () => number = () => performance.now(),
  ) {
    const rate = (perSecond: number): TokenBuckets =>
      new TokenBuckets({ perSecond, burst: perSecond * BURST_SECONDS }, now);
    const { addressRate, sessionRate, graphqlBudget, concurrency } = settings;
    this.#addresses = rate(addressRate);
    this.#sessions = rate(sessionRate);
    this.#budget = new TokenBuckets({ perSecond: graphqlBudget / 60, burst: graphqlBudget }, now);
    this.#lanes = new Lanes({ places: concurrency, bySender: addressRate > 0 });
  }

  /** Seconds that a request comes too early; 0 lets it pass. Looks at its first lines alone. */
  tooEarly(request: IncomingMessage): number {
    if (!this.#addresses.isOff) {
      const wait = this.#addresses.take(senderOf(request.socket.remoteAddress));
      if (wait > 0) return wait;
    }
    const token = this.#sessions.isOff ? undefined : tokenOf(request);
    return token === undefined ? 0 : this.#sessions.take(token);
  }

  /** Whose budget a document is taken from. */
  payer(identityId: string | undefined, address: string): string {
    return identityId ?? `from ${senderOf(address)}`;
  }

  /** Takes the cost of a document from what its caller may ask; gives seconds when it is too much. */
  spend(caller: string, cost: number): number {
    return this.#budget.take(caller, cost);
  }

  /** What is left of it in this minute; undefined without a limit. */
  budgetOf(caller: string): { remaining: number; perMinute: number } | undefined {
    if (this.#budget.isOff) return undefined;
    return { remaining: this.#budget.left(caller), perMinute: this.settings.graphqlBudget };
  }

  /**
   * Reads nothing more from a connection for a moment: whoever sends on regardless of refusals
   * waits, instead of making us refuse as fast as he can send.
   */
  holdOff({ socket }: IncomingMessage, response: ServerResponse): void {
    const paused = this.#paused.get(socket);
    if (paused) {
      paused.refused += 1;
      if (paused.refused > MOST_REFUSED_AHEAD) socket.destroy();
      return;
    }
    this.#paused.set(socket, { refused: 1 });
    response.once('finish', () => {
      // After the rest of the request, which the server itself reads now.
      setImmediate(() => socket.pause());
    });
    setTimeout(() => {
      this.#paused.delete(socket);
      socket.resume();
    }, PAUSE_MILLIS).unref();
  }

  /** Serves a request within its time. */
  serve(request: IncomingMessage, response: ServerResponse, work: () => void): LimitedRequest {
    const { requestMs } = this.settings;
    const { socket } = request;
    const sender = senderOf(socket.remoteAddress);
    const limited = new LimitedRequest(this.#lanes, socket, sender, requestMs, STALL_MILLIS);
    response.once('close', () => {
      limited.close(response.writableFinished);
    });
    within(limited, work);
    return limited;
  }
}

/** What is presented as the session, without looking it up. */
function tokenOf({ headers }: IncomingMessage): string | undefined {
  const named = headers['zt-session'];
  if (typeof named === 'string') return named.length <= LONGEST_TOKEN ? named : undefined;
  const bearer = headers.authorization;
  const isSession = bearer !== undefined && bearer.length <= LONGEST_TOKEN && !bearer.includes('.');
  return isSession && bearer.startsWith('Bearer ') ? bearer.slice('Bearer '.length) : undefined;
}
