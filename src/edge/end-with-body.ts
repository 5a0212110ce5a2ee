import type { IncomingMessage, ServerResponse } from 'node:http';
import { announcesBody } from '../base/announced-body.js';

/** The rest of a body is read for so long after the answer. */
const LINGER_MILLIS = 5_000;

type End = (...chunk: unknown[]) => ServerResponse;

/**
 * Lets an answer that closes the connection wait for the rest of its request, which is dropped. A
 * client that still sends when the connection closes would lose the answer: a refusal of a body that
 * is too long could not be read.
 */
export function endWithBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || !announcesBody(request)) return;
  const endNow = response.end.bind(response) as End;
  const end: End = (...chunk) => {
    response.end = endNow as ServerResponse['end'];
    const isOver = request.complete || request.destroyed;
    if (isOver || response.getHeader('connection') !== 'close') return endNow(...chunk);
    const [text = ''] = chunk;
    if (typeof text === 'string' || Buffer.isBuffer(text)) {
      if (!response.headersSent) response.setHeader('content-length', Buffer.byteLength(text));
      response.write(text);
    }
    afterBody(request, () => endNow());
    return response;
  };
  response.end = end as ServerResponse['end'];
}

/** Drops the rest of a body, and calls `done` after it, or after a while. */
function afterBody(request: IncomingMessage, done: () => void): void {
  const timer = setTimeout(finish, LINGER_MILLIS).unref();
  function finish(): void {
    clearTimeout(timer);
    request.off('end', finish).off('close', finish).off('error', finish);
    done();
  }
  request.once('end', finish).once('close', finish).once('error', finish).resume();
}
