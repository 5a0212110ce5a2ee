import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { senderOf } from './address.js';
import { TokenBuckets } from './token-buckets.js';

/** Handshakes of one address that begin at once: fleets and browsers open a few connections together. */
const BURST = 50;
const LONGEST_WAIT_SECONDS = 10;

type Begin = (this: Server, socket: Socket) => void;

/**
 * Lets the handshakes of each address begin one after another, so many a second. Each of them takes
 * more of the processor than a request, and those that arrive together would all be done before
 * anybody else is served. A connection that would wait for too long is closed.
 */
export function paceHandshakes(server: Server, perSecond: number): void {
  const buckets = new TokenBuckets({ perSecond, burst: BURST }, () => performance.now());
  // TLS begins in the first listener, that of the server itself.
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

/** A client may leave meanwhile. */
function waitFor(socket: Socket, seconds: number, then: (socket: Socket) => void): void {
  const timer = setTimeout(then, seconds * 1_000, socket);
  socket.on('error', () => undefined);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}
