import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestLimits } from '../requests/limits/index.js';

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A WebSocket counts as a request of its address and its session. */
export const limitedUpgrade =
  (limits: RequestLimits, upgrade: Upgrade): Upgrade =>
  (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const wait = limits.tooEarly(request);
    if (wait === 0) {
      upgrade(request, socket, head);
      return;
    }
    const seconds = String(Math.max(1, Math.ceil(wait)));
    socket.end(
      `HTTP/1.1 429 Too Many Requests\r\nretry-after: ${seconds}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
    );
  };
