import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { apiErrorOf, type ContextFactory } from '../graph/index.js';
import { ApiError, failure } from '../base/errors.js';
import { ADMIN, permits } from '../kernel/declare/permissions.js';
import {
  describeRequest,
  noteOf,
  type Health,
  type Metrics,
} from '../requests/observability/index.js';
import { pathOf } from './static-files.js';
import { dataEnvelope, errorEnvelope } from '../../rest-compat/engine/envelope.js';

export interface OperatorDependencies {
  /** Gives the callers of requests; undefined: there are no sessions, only the token of the metrics. */
  readonly contexts: ContextFactory | undefined;
  readonly metrics: Metrics;
  readonly health: Health;
  /** A bearer token that gives access to the metrics without a session. */
  readonly metricsToken: string | undefined;
  readonly onUnexpected: (error: unknown, requestId: string) => void;
}

interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

type Serve = (request: IncomingMessage) => Promise<Reply>;

/**
 * The endpoints for monitoring. They are not operations of the graph, since they must answer while
 * the database does not.
 */
export function operatorDoors(
  dependencies: OperatorDependencies,
): ReadonlyMap<string, RequestListener> {
  const health = door('health', (request) => healthOf(dependencies.health, request), dependencies);
  return new Map([
    ['/metrics', door('metrics', (request) => metricsOf(dependencies, request), dependencies)],
    ['/health-checks', health],
    ['/health-checks/v1', health],
  ]);
}

/**
 * Serves these endpoints alone, at a port without TLS: nobody shows a session there, which others on the way could
 * read.
 */
export function monitorDoor(dependencies: Omit<OperatorDependencies, 'contexts'>): RequestListener {
  const doors = operatorDoors({ ...dependencies, contexts: undefined });
  const others = door('none', () => Promise.reject(failure('NOT_FOUND')), dependencies);
  return (request, response) => {
    (doors.get(pathOf(request)) ?? others)(request, response);
  };
}

const JSON_TYPE = 'application/json';

const door =
  (
    operation: string,
    serve: Serve,
    { onUnexpected }: Pick<OperatorDependencies, 'onUnexpected'>,
  ): RequestListener =>
  (request, response) => {
    describeRequest(request, { door: 'pages', route: `/${operation}`, operation });
    refuseOtherMethods(request, response)
      .then(() => serve(request))
      .catch((error: unknown) => {
        const requestId = noteOf(request)?.requestId ?? '';
        const apiError = apiErrorOf(error);
        if (!apiError) onUnexpected(error, requestId);
        return refusal(apiError ?? new ApiError('UNHANDLED'), requestId, response);
      })
      .then((reply) => {
        send(request, response, reply);
      })
      .catch(() => response.destroy());
  };

function refuseOtherMethods({ method }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (method === 'GET' || method === 'HEAD') return Promise.resolve();
  response.setHeader('allow', 'GET');
  response.setHeader('connection', 'close');
  return Promise.reject(failure('METHOD_NOT_ALLOWED'));
}

function refusal(error: ApiError, requestId: string, response: ServerResponse): Reply {
  if (error.status === 401) response.setHeader('www-authenticate', 'Bearer realm="metrics"');
  if (error.status === 503) response.setHeader('retry-after', '1');
  const body = errorEnvelope(error, requestId);
  return { status: error.status, contentType: JSON_TYPE, body };
}

function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  { status, contentType, body }: Reply,
): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
  });
  response.end(method === 'HEAD' ? '' : body);
}

async function metricsOf(
  dependencies: OperatorDependencies,
  request: IncomingMessage,
): Promise<Reply> {
  const { metrics, contexts, metricsToken } = dependencies;
  if (metricsToken === undefined || !hasBearer(request, metricsToken)) {
    const context = await contexts?.create(request);
    if (!context || !permits(context.caller, ADMIN)) throw failure('UNAUTHORIZED');
  }
  return { status: 200, contentType: metrics.contentType, body: await metrics.text() };
}

/**
 * Whether a request has this bearer token. Compares digests of equal length, so that the time does
 * not reveal the token.
 */
function hasBearer({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`));
}

async function healthOf(health: Health, { url = '' }: IncomingMessage): Promise<Reply> {
  const { healthy, checks } = await health.report();
  const isShort = new URLSearchParams(url.split('?')[1]).get('type') === 'short';
  const body = dataEnvelope(isShort ? { healthy } : { healthy, checks });
  return { status: healthy ? 200 : 503, contentType: JSON_TYPE, body };
}
