import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Server, Socket } from 'node:net';
import { senderOf } from './address.js';
import { answerBroken } from './answer-broken.js';
import { HandshakePace } from './handshake-pace.js';
import { STALL_MILLIS, type LimitSettings } from './request-limits.js';

/** Limits of a connection before and between requests. */
export const CONNECTION_OPTIONS = {
  maxHeaderSize: 32 * 1024,
  handshakeTimeout: 10_000,
  // Interval at which Node checks the time limits of head and body below.
  connectionsCheckingInterval: 1_000,
} as const;

const HEAD_MILLIS = 10_000;
/** Time for the largest body, that of an import; other requests have their own time limit. */
const BODY_MILLIS = 120_000;
const IDLE_MILLIS = 60_000;
const MAX_HEADERS = 100;

/**
 * Allowed handshakes for each allowed request of an address: a handshake costs as much as many
 * requests.
 */
const HANDSHAKES_FOR_REQUEST = 1 / 10;

export type ConnectionLimits = Pick<
  LimitSettings,
  'connections' | 'addressConnections' | 'addressRate'
>;

/** Limits the times and sizes of requests, and answers broken ones. */
export function limitMessages(server: HttpServer | HttpsServer): void {
  server.headersTimeout = HEAD_MILLIS;
  server.requestTimeout = BODY_MILLIS;
  server.keepAliveTimeout = IDLE_MILLIS;
  server.timeout = STALL_MILLIS;
  server.maxHeadersCount = MAX_HEADERS;
  answerBroken(server);
}

/**
 * Receives an accepted connection; it calls `onClosed` at its end. `start` is what was read of it,
 * which the socket gives once more.
 */
export type Receiver = (socket: Socket, onClosed: () => void, start?: Buffer) => void;

/**
 * Passes on the connections that an acceptor accepts, within limits in total and for each address. A
 * connection beyond a limit is closed. Handshakes of one address that are too many in a second wait.
 */
export function limitConnections(
  acceptor: Server,
  { addressRate, ...most }: ConnectionLimits,
  receive: Receiver,
): void {
  const open = new ConnectionCounts(most);
  const pace =
    addressRate > 0 ? new HandshakePace(addressRate * HANDSHAKES_FOR_REQUEST) : undefined;
  acceptor.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined);
    const sender = senderOf(socket.remoteAddress);
    const onClosed = open.add(sender);
    if (!onClosed) {
      socket.destroy();
      return;
    }
    const wait = pace ? pace.delay(sender) : 0;
    if (wait === undefined) {
      socket.destroy();
      onClosed();
    } else if (wait === 0) receive(socket, onClosed);
    else setTimeout(receive, wait * 1_000, socket, onClosed);
  });
}

/** The numbers of open connections; 0 means no limit. */
class ConnectionCounts {
  #total = 0;
  readonly #bySender = new Map<string, number>();

  constructor(
    private readonly most: Pick<ConnectionLimits, 'connections' | 'addressConnections'>,
  ) {}

  /** Counts a connection and gives the function that ends its count; undefined at a limit. */
  add(sender: string): (() => void) | undefined {
    const { connections, addressConnections } = this.most;
    const ofSender = this.#bySender.get(sender) ?? 0;
    if (connections > 0 && this.#total >= connections) return undefined;
    if (addressConnections > 0 && ofSender >= addressConnections) return undefined;
    this.#total += 1;
    this.#bySender.set(sender, ofSender + 1);
    return () => {
      this.remove(sender);
    };
  }

  private remove(sender: string): void {
    this.#total -= 1;
    const remaining = (this.#bySender.get(sender) ?? 0) - 1;
    if (remaining > 0) this.#bySender.set(sender, remaining);
    else this.#bySender.delete(sender);
  }
}
