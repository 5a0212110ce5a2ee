import type { ServerResponse } from 'node:http';

/**
 * Answers when making the answer failed: 500 without a body, or it closes the connection if an
 * answer has begun. Never throws.
 */
export function answerAnyway(response: ServerResponse): void {
  try {
    if (response.writableEnded) return;
    if (response.headersSent) response.destroy();
    else response.writeHead(500, { 'content-length': 0, connection: 'close' }).end();
  } catch {
    response.destroy();
  }
}
