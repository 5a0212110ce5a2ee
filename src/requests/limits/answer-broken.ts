import { STATUS_CODES, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/** Time and bytes that are still read from a client with an unfinished request. */
const LINGER_MILLIS = 2_000;
const LINGER_BYTES = 8 * 1024 * 1024;

const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

interface Connection extends Socket {
  /** The current answer, in a private member of Node. */
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Answers a request that is not HTTP, has a too large head or is too slow, and ends its connection.
 * It reads from the client for a moment: a connection that is closed with unread bytes is reset,
 * and the client may lose the answer (RFC 9112 9.6).
 */
export function answerBroken(server: Server | HttpServer): void {
  /** The limit of bytes for each connection that is being closed. */
  const lingering = new WeakMap<Connection, number>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Connection) => {
    const limit = lingering.get(socket);
    if (limit !== undefined) {
      // Each further part of a broken request causes another error.
      if (socket.bytesRead > limit) socket.destroy();
      return;
    }
    // A complete answer may still be sending; the error answer comes after it.
    const answer = socket._httpMessage;
    if (!socket.writable || (answer?.headersSent && !answer.writableEnded)) {
      socket.destroy();
      return;
    }
    lingering.set(socket, socket.bytesRead + LINGER_BYTES);
    const timer = setTimeout(() => socket.destroy(), LINGER_MILLIS);
    socket.once('close', () => {
      clearTimeout(timer);
    });
    const status = STATUS_OF[error.code ?? ''] ?? 400;
    const reason = STATUS_CODES[status] ?? '';
    socket.end(`HTTP/1.1 ${String(status)} ${reason}\r\nConnection: close\r\n\r\n`);
  });
}
