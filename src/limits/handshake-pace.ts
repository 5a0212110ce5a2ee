import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { senderOf } from './address.js';
import { TokenBuckets } from './token-buckets.js';

/**
 * Handshakes of one address without waiting: fleets and browsers open several connections together.
 */
const BURST = 50;
const LONGEST_WAIT_SECONDS = 10;

type Begin = (this: Server, socket: Socket) => void;

/**
 * Limits the handshakes per second of each address and delays more. A handshake costs more CPU time
 * than a request, and many handshakes that arrive together would delay all other clients. A
 * connection that would wait too long is closed.
 */
export function paceHandshakes(server: Server, perSecond: number): void {
  const buckets = new TokenBuckets({ perSecond, burst: BURST }, () => performance.now());
  // The first listener is that of the server itself, which begins TLS.
  const [beginTls] = server.listeners('connection') as Begin[];
  if (!beginTls) throw new Error('the server does not take connections itself');
  server.off('connection', beginTls);
  const begin = (socket: Socket): void => {
    if (!socket.destroyed) beginTls.call(server, socket);
  };
  server.on('connection', (socket: Socket) => {
    if (socket.destroyed) return;
    const wait = buckets.reserve(senderOf(socket.remoteAddress), LONGEST_WAIT_SECONDS);
    if (wait === undefined) socket.destroy();
    else if (wait === 0) begin(socket);
    else waitFor(socket, wait, begin);
  });
}

/** Calls a function after a delay, unless the client disconnects meanwhile. */
function waitFor(socket: Socket, seconds: number, begin: (socket: Socket) => void): void {
  const timer = setTimeout(begin, seconds * 1_000, socket);
  socket.on('error', () => undefined);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}
