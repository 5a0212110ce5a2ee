import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { tooManyRequests } from '../../base/errors.js';
import { senderOf } from './address.js';
import { Lanes } from './lanes.js';
import { attachLimit, LimitedRequest, type Stalling } from './limited-request.js';
import { TokenBuckets } from './token-buckets.js';

/** 0 switches a limit off. */
export interface LimitSettings {
  /** `OVERGRAPH_RATE_LIMIT`: requests a second for each address. */
  readonly addressRate: number;
  /** `OVERGRAPH_SESSION_RATE_LIMIT`: requests a second for each API session. */
  readonly sessionRate: number;
  /** `OVERGRAPH_CONCURRENCY`: requests that work at the same time. */
  readonly concurrency: number;
  /** `OVERGRAPH_REQUEST_TIMEOUT`: time limit of a request; always set. */
  readonly requestMs: number;
  /** `OVERGRAPH_MAX_CONNECTIONS`: open connections. */
  readonly connections: number;
  /** `OVERGRAPH_ADDRESS_CONNECTIONS`: open connections of one address. */
  readonly addressConnections: number;
  /** `OVERGRAPH_GRAPHQL_BUDGET`: cost of the documents of one caller in a minute. */
  readonly graphqlBudget: number;
}

/**
 * A client that sends no data for this time within a request is disconnected; a client that
 * receives no data of its answer, after at most twice this time.
 */
export const STALL_MILLIS = 20_000;

const BURST_SECONDS = 2;
/**
 * Milliseconds for the preparation of one caller's documents: parsing, validation and compilation,
 * once for each text. It blocks all other requests.
 */
const PREPARATION = { perSecond: 10, burst: 500 };
/** Each such number of bytes in a body counts as one more request, up to 1 MiB. */
const BYTES_OF_REQUEST = 16 * 1024;
const MAX_OF_BODY = 64;
const ASSUMED_BYTES = 4 * BYTES_OF_REQUEST;
/** No session token is longer; longer texts that are not signed are not counted. */
const MAX_TOKEN_LENGTH = 64;
/** Pause of a refused connection; not longer than the shortest `Retry-After`. */
const PAUSE_MILLIS = { least: 500, most: 1_000 };
const TOO_MANY_REQUESTS = 429;
/** Limit of refused requests that a client sends without waiting for answers; more is an attack. */
const MAX_REFUSED_AHEAD = 100;

/** The parts of a message that identify its sender. */
export type Sender = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'socket'>;

/** Tokens that were taken: a map by key for each of the limits, in a fixed order. */
export type Spending = readonly ReadonlyMap<string, number>[];

/** A WebSocket has no inactivity timeout here. */
const LASTING: Stalling = { setTimeout: () => undefined };

/**
 * The limits of one controller; each controller counts separately. With several workers, each counts
 * and tells the others soon afterwards what it has counted.
 */
export class RequestLimits {
  readonly #addresses: TokenBuckets;
  readonly #sessions: TokenBuckets;
  readonly #budget: TokenBuckets;
  readonly #preparation: TokenBuckets;
  readonly #lanes: Lanes;
  /** Number of refusals on paused connections. */
  readonly #paused = new WeakMap<Socket, { refused: number }>();

  constructor(
    readonly settings: LimitSettings,
    private readonly now: () => number = () => performance.now(),
    /** Whether other processes of this controller count, too: see `newSpending`. */
    isShared = false,
  ) {
    const buckets = (perSecond: number, burst: number): TokenBuckets =>
      new TokenBuckets({ perSecond, burst }, now, isShared);
    const rate = (perSecond: number): TokenBuckets => buckets(perSecond, perSecond * BURST_SECONDS);
    const { addressRate, sessionRate, graphqlBudget, concurrency } = settings;
    this.#addresses = rate(addressRate);
    this.#sessions = rate(sessionRate);
    this.#budget = buckets(graphqlBudget / 60, graphqlBudget);
    const preparation = graphqlBudget === 0 ? { perSecond: 0, burst: 0 } : PREPARATION;
    this.#preparation = buckets(preparation.perSecond, preparation.burst);
    this.#lanes = new Lanes({ places: concurrency, bySender: addressRate > 0 });
  }

  /**
   * Counts a request; gives 0 if it may pass, else the seconds to wait. It reads only the head: a
   * large body counts as several requests of its address.
   */
  tooEarly(request: Sender, bytes = announced(request)): number {
    if (!this.#addresses.isOff) {
      const count = 1 + requestsOf(bytes);
      const wait = this.#addresses.take(senderOf(request.socket.remoteAddress), count);
      if (wait > 0) return wait;
    }
    const token = this.#sessions.isOff ? undefined : tokenOf(request);
    return token === undefined ? 0 : this.#sessions.take(token);
  }

  /**
   * Counts what a body has beyond `before` bytes and beyond the size that its head was counted for;
   * gives 0 if it may go on, else the seconds to wait.
   */
  tooLarge(request: Sender, before: number, size: number): number {
    const further = requestsOf(size) - requestsOf(Math.max(before, announced(request)));
    return further > 0 ? this.#addresses.take(senderOf(request.socket.remoteAddress), further) : 0;
  }

  /** What was counted here since the last call; undefined if nothing was. */
  newSpending(): Spending | undefined {
    const spending = this.shared.map((buckets) => buckets.newlyTaken());
    return spending.some(({ size }) => size > 0) ? spending : undefined;
  }

  /** Counts what another process of this controller has counted. */
  spentElsewhere(spending: Spending): void {
    for (const [i, buckets] of this.shared.entries()) {
      buckets.takenElsewhere(spending[i] ?? new Map());
    }
  }

  /** The key of the budget for a document: the identity, or else the address. */
  payer(identityId: string | undefined, address: string): string {
    return identityId ?? `from ${senderOf(address)}`;
  }

  /** Charges the cost of a document to its caller; gives 0, or the seconds to wait. */
  spend(caller: string, cost: number): number {
    return this.#budget.take(caller, cost);
  }

  /** The remaining budget; undefined without a limit. */
  budgetOf(caller: string): { remaining: number; perMinute: number } | undefined {
    if (this.#budget.isOff) return undefined;
    return { remaining: this.#budget.left(caller), perMinute: this.settings.graphqlBudget };
  }

  /**
   * Begins the preparation of a document, unless its payer has used up its time. The returned
   * function charges the time if it exceeds `freeMillis`.
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

  /** Charges the time of work that is never refused. */
  measure<T>(payer: string, work: () => T): T {
    const end = this.countTime(payer, 0);
    try {
      return work();
    } finally {
      end();
    }
  }

  /**
   * Stops reading from a connection for a moment, so that a client that ignores refusals does not
   * cause one after another.
   */
  holdOff({ socket }: IncomingMessage, response: ServerResponse): void {
    const paused = this.#paused.get(socket);
    if (paused) {
      paused.refused += 1;
      if (paused.refused > MAX_REFUSED_AHEAD) socket.destroy();
      return;
    }
    this.#paused.set(socket, { refused: 1 });
    // After the server has read the rest of the request.
    const pause = (): unknown => setImmediate(() => socket.pause());
    if (response.writableFinished) pause();
    else response.once('finish', pause);
    setTimeout(() => {
      this.#paused.delete(socket);
      socket.resume();
    }, randomPause()).unref();
  }

  /** Serves a request within its time limit. */
  serve(request: IncomingMessage, response: ServerResponse, work: () => void): LimitedRequest {
    const { requestMs } = this.settings;
    const { socket } = request;
    const sender = senderOf(socket.remoteAddress);
    const limited = new LimitedRequest(this.#lanes, socket, sender, requestMs, STALL_MILLIS);
    response.once('close', () => {
      limited.close(response.writableFinished);
      if (response.statusCode === TOO_MANY_REQUESTS) this.holdOff(request, response);
    });
    attachLimit(request, limited);
    work();
    return limited;
  }

  /**
   * Serves one message of a WebSocket within the time limit of a request: `work` takes the message,
   * which has the sender of its connection.
   */
  async serveMessage<T>(
    { headers, rawHeaders, socket }: Sender,
    work: (message: Sender) => Promise<T>,
  ): Promise<T> {
    const sender = senderOf(socket.remoteAddress);
    const { requestMs } = this.settings;
    const limited = new LimitedRequest(this.#lanes, LASTING, sender, requestMs, STALL_MILLIS);
    try {
      const message = { headers, rawHeaders, socket };
      attachLimit(message, limited);
      return await work(message);
    } finally {
      limited.leave();
      limited.end();
    }
  }

  private get shared(): readonly TokenBuckets[] {
    return [this.#addresses, this.#sessions, this.#budget, this.#preparation];
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
 * A random time, so that connections that were refused together do not resume together and delay
 * others.
 */
const randomPause = (): number =>
  PAUSE_MILLIS.least + Math.random() * (PAUSE_MILLIS.most - PAUSE_MILLIS.least);

/** The number of requests that a body counts as. */
const requestsOf = (bytes: number): number =>
  Math.min(MAX_OF_BODY, Math.floor(bytes / BYTES_OF_REQUEST));

/** The announced size of a body; an assumed one for chunked encoding. */
const announced = ({ headers }: Sender): number =>
  headers['transfer-encoding'] === undefined
    ? Number(headers['content-length'] ?? 0)
    : ASSUMED_BYTES;

/** The session token of a request, or the end of its access token, without a check. */
function tokenOf({ headers }: Sender): string | undefined {
  const headerToken = headers['zt-session'];
  const token = typeof headerToken === 'string' ? headerToken : bearerIn(headers.authorization);
  if (token === undefined || token.length <= MAX_TOKEN_LENGTH) return token;
  // The end of its signature: nobody else knows it.
  return token.includes('.') ? token.slice(-MAX_TOKEN_LENGTH) : undefined;
}

const bearerIn = (authorization = ''): string | undefined =>
  authorization.startsWith('Bearer ') ? authorization.slice('Bearer '.length).trim() : undefined;
