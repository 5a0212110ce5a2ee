import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorEnvelope } from '../../rest-compat/index.js';
import { graphErrors } from '../graph/index.js';
import { noteOf } from '../observability/index.js';
import { retryAfterOf, type ApiError } from '../base/errors.js';

/** A body up to this size is read and forgotten, so that the connection can go on. */
const READ_ANYWAY = 64 * 1024;

const GRAPH = /^\/graphql(?:[/?]|$)/;

/** Answers without looking at more of a request than its head, in the form of the door it knocks at. */
export function refuse(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
  const requestId = noteOf(request)?.requestId ?? '';
  const text = GRAPH.test(request.url ?? '/')
    ? JSON.stringify(graphErrors(error, requestId))
    : errorEnvelope(error, requestId);
  const { headers } = request;
  const isLong =
    headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) > READ_ANYWAY;
  const retryAfter = retryAfterOf(error);
  response.writeHead(error.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    ...(isLong ? { connection: 'close' } : {}),
  });
  response.end(request.method === 'HEAD' ? '' : text);
}
