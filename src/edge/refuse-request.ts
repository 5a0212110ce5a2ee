import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorEnvelope } from '../../rest-compat/index.js';
import { graphErrors } from '../graph/index.js';
import { noteOf } from '../requests/observability/index.js';
import { retryAfterOf, type ApiError } from '../base/errors.js';

/** A body up to this size is read and ignored, so that the connection can be reused. */
const READ_ANYWAY = 64 * 1024;

const GRAPH = /^\/graphql(?:[/?]|$)/;

/** Refuses a request before its body is read, in the error form of GraphQL or REST. */
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
