import { STATUS_CODES, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/** How long, and how much, is still read of a client that has not finished its request. */
const LINGER_MILLIS = 2_000;
const LINGER_BYTES = 8 * 1024 * 1024;

const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

interface Connection extends Socket {
  /** The answer under way, where Node itself keeps it. */
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Answers what is no HTTP, has too large a head or comes too slowly, and ends its connection. What
 * the client still sends is read for a moment: a connection that is closed on unread bytes is reset,
 * and the answer may be lost with it (RFC 9112 9.6).
 */
export function answerBroken(server: Server | HttpServer): void {
  /** The bytes that a connection may have sent when it ends at last. */
  const lingering = new WeakMap<Connection, number>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Connection) => {
    const most = lingering.get(socket);
    if (most !== undefined) {
      // Each further part of a broken request is an error of its own.
      if (socket.bytesRead > most) socket.destroy();
      return;
    }
    // An answer that is complete may still be on its way; ours comes after it.
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
