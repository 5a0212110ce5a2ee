import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { tooManyRequests } from '../base/errors.js';
import { within } from '../kernel/request/request-scope.js';
import { senderOf } from './address.js';
import { Lanes } from './lanes.js';
import { LimitedRequest, type Stalling } from './limited-request.js';
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
/**
 * Milliseconds that the documents of one caller may take before they run: to be read, validated and
 * compiled, which is done once for each text. While it lasts nobody else is served.
 */
const PREPARATION = { perSecond: 10, burst: 500 };
/** A body of more than so many bytes counts for more than its request, up to that of 1 MiB. */
const BYTES_OF_REQUEST = 16 * 1024;
const MOST_OF_BODY = 64;
const UNTOLD_BYTES = 4 * BYTES_OF_REQUEST;
/** No token of ours is longer; others are no sessions, and not worth remembering. */
const LONGEST_TOKEN = 64;
/** Never longer than the shortest `Retry-After`. */
const PAUSE_MILLIS = { least: 500, most: 1_000 };
const TOO_MANY_REQUESTS = 429;
/** Sent ahead without waiting for answers; more is no client that means well. */
const MOST_REFUSED_AHEAD = 100;

/** What tells of a message who sends it. */
export type Sender = Pick<IncomingMessage, 'headers' | 'socket'>;

/** Connections with messages in both directions are watched elsewhere. */
const LASTING: Stalling = { setTimeout: () => undefined };

/** The limits of one controller; what they count is not shared with others. */
export class RequestLimits {
  readonly #addresses: TokenBuckets;
  readonly #sessions: TokenBuckets;
  readonly #budget: TokenBuckets;
  readonly #preparation: TokenBuckets;
  readonly #lanes: Lanes;
  /** Refusals on connections that are not read for a moment. */
  readonly #paused = new WeakMap<Socket, { refused: number }>();

  constructor(
    readonly settings: LimitSettings,
    private readonly now: () => number = () => performance.now(),
  ) {
    const rate = (perSecond: number): TokenBuckets =>
      new TokenBuckets({ perSecond, burst: perSecond * BURST_SECONDS }, now);
    const { addressRate, sessionRate, graphqlBudget, concurrency } = settings;
    this.#addresses = rate(addressRate);
    this.#sessions = rate(sessionRate);
    this.#budget = new TokenBuckets({ perSecond: graphqlBudget / 60, burst: graphqlBudget }, now);
    const preparation = graphqlBudget === 0 ? { perSecond: 0, burst: 0 } : PREPARATION;
    this.#preparation = new TokenBuckets(preparation, now);
    this.#lanes = new Lanes({ places: concurrency, bySender: addressRate > 0 });
  }

  /**
   * Seconds that a request comes too early; 0 lets it pass. Looks at its first lines alone: a large
   * body counts as several requests of its address.
   */
  tooEarly(request: Sender, bytes = announced(request)): number {
    if (!this.#addresses.isOff) {
      const count = 1 + Math.min(MOST_OF_BODY, Math.floor(bytes / BYTES_OF_REQUEST));
      const wait = this.#addresses.take(senderOf(request.socket.remoteAddress), count);
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
   * Begins to prepare a document, unless its payer has used up the time for that. The function
   * returned counts the time, where it was longer than what is free.
   * @throws ApiError SERVER_TOO_MANY_REQUESTS
   */
  beginPreparing(payer: string, freeMillis = 0): () => void {
    const wait = this.#preparation.wait(payer);
    if (wait > 0) throw tooManyRequests(wait);
    return this.countTime(payer, freeMillis);
  }

  /** Prepares a document: see `beginPreparing`. */
  prepare<T>(payer: string, work: () => T, freeMillis?: number): T {
    const end = this.beginPreparing(payer, freeMillis);
    try {
      return work();
    } finally {
      end();
    }
  }

  /** Counts the time of what has to be done in any case. */
  measure<T>(payer: string, work: () => T): T {
    const end = this.countTime(payer, 0);
    try {
      return work();
    } finally {
      end();
    }
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
    // After the rest of the request, which the server itself reads now.
    const pause = (): unknown => setImmediate(() => socket.pause());
    if (response.writableFinished) pause();
    else response.once('finish', pause);
    setTimeout(() => {
      this.#paused.delete(socket);
      socket.resume();
    }, randomPause()).unref();
  }

  /** Serves a request within its time. */
  serve(request: IncomingMessage, response: ServerResponse, work: () => void): LimitedRequest {
    const { requestMs } = this.settings;
    const { socket } = request;
    const sender = senderOf(socket.remoteAddress);
    const limited = new LimitedRequest(this.#lanes, socket, sender, requestMs, STALL_MILLIS);
    response.once('close', () => {
      limited.close(response.writableFinished);
      if (response.statusCode === TOO_MANY_REQUESTS) this.holdOff(request, response);
    });
    within(limited, work);
    return limited;
  }

  /** Does what one message of a lasting connection asks for, within the time of a request. */
  async serveMessage<T>({ socket }: Sender, work: () => Promise<T>): Promise<T> {
    const sender = senderOf(socket.remoteAddress);
    const { requestMs } = this.settings;
    const limited = new LimitedRequest(this.#lanes, LASTING, sender, requestMs, STALL_MILLIS);
    try {
      return await within(limited, work);
    } finally {
      limited.leave();
      limited.end();
    }
  }

  private countTime(payer: string, freeMillis: number): () => void {
    const begin = this.now();
    return () => {
      const millis = this.now() - begin;
      if (millis > freeMillis) this.#preparation.charge(payer, millis);
    };
  }
}

/**
 * Connections that were refused together are not read again together: their next requests would all
 * be served before those of others.
 */
const randomPause = (): number =>
  PAUSE_MILLIS.least + Math.random() * (PAUSE_MILLIS.most - PAUSE_MILLIS.least);

/** The size of a body; one that does not tell its own may be of any. */
const announced = ({ headers }: Sender): number =>
  headers['transfer-encoding'] === undefined
    ? Number(headers['content-length'] ?? 0)
    : UNTOLD_BYTES;

/** What is presented as the session, without looking it up. */
function tokenOf({ headers }: Sender): string | undefined {
  const named = headers['zt-session'];
  if (typeof named === 'string') return named.length <= LONGEST_TOKEN ? named : undefined;
  const bearer = headers.authorization;
  const isSession = bearer !== undefined && bearer.length <= LONGEST_TOKEN && !bearer.includes('.');
  return isSession && bearer.startsWith('Bearer ') ? bearer.slice('Bearer '.length) : undefined;
}
