import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { senderOf } from './address.js';
import { answerBroken } from './answer-broken.js';
import { paceHandshakes } from './handshake-pace.js';
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
const MOST_HEADERS = 100;

/**
 * Allowed handshakes for each allowed request of an address: a handshake costs as much as many
 * requests.
 */
const HANDSHAKES_FOR_REQUEST = 1 / 10;

export type ConnectionLimits = Pick<
  LimitSettings,
  'connections' | 'addressConnections' | 'addressRate'
>;

/** Limits the connections of a server, in total and for each address. */
export function limitConnections(
  server: Server,
  { connections, addressConnections, addressRate }: ConnectionLimits,
): void {
  server.headersTimeout = HEAD_MILLIS;
  server.requestTimeout = BODY_MILLIS;
  server.keepAliveTimeout = IDLE_MILLIS;
  server.timeout = STALL_MILLIS;
  server.maxHeadersCount = MOST_HEADERS;
  answerBroken(server);
  if (connections > 0) server.maxConnections = connections;
  if (addressConnections > 0) limitEach(server, addressConnections);
  if (addressRate > 0) paceHandshakes(server, addressRate * HANDSHAKES_FOR_REQUEST);
}

function limitEach(server: Server, most: number): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const sender = senderOf(socket.remoteAddress);
    const count = (open.get(sender) ?? 0) + 1;
    if (count > most) {
      socket.destroy();
      return;
    }
    open.set(sender, count);
    socket.once('close', () => {
      const remaining = (open.get(sender) ?? 0) - 1;
      if (remaining > 0) open.set(sender, remaining);
      else open.delete(sender);
    });
  });
}
