import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Config } from '../config.js';
import {
  apiErrorOf,
  graphErrors,
  graphqlRouter,
  streamRouter,
  type Admission,
  type ControllerFacts,
  type Executor,
  type Subscriptions,
} from '../graph/index.js';
import { failure, tooManyRequests, type ApiError } from '../base/errors.js';
import { answerAnyway } from '../base/last-resort.js';
import type { RequestLimits } from '../limits/index.js';
import { describeRequest, noteOf, type RequestObserver } from '../observability/index.js';
import { cors } from './cors.js';
import { operatorDoors, type OperatorParts } from './operator-doors.js';
import type { RestHandler } from '../../rest-compat/index.js';
import { apiPage, graphiqlPage } from './pages.js';
import { refuse } from './refuse.js';

export interface HttpParts extends Omit<OperatorParts, 'metricsToken'> {
  readonly config: Pick<Config, 'corsOrigins' | 'metricsToken'>;
  readonly facts: ControllerFacts;
  readonly executor: Executor;
  readonly admission: Admission;
  readonly subscriptions: Subscriptions;
  readonly rest: RestHandler;
  readonly limits: RequestLimits;
  readonly observer: RequestObserver;
}

/** What is not an operation of the REST interfaces. */
const ELSEWHERE = /^\/(graphql|graphiql|docs|assets)(?:[/?]|$)/;

/** Both doors, the pages that show them, and the headers that all answers carry. */
export async function httpApp(parts: HttpParts): Promise<RequestListener> {
  const { facts, rest, limits } = parts;
  const others = await graphAndPages(parts);
  const operators = operatorDoors({ ...parts, metricsToken: parts.config.metricsToken });
  const product = `ziti-controller/${facts.version}`;
  const answer: RequestListener = (request, response) => {
    const { url = '/' } = request;
    const [, elsewhere] = ELSEWHERE.exec(url) ?? [];
    if (elsewhere === undefined) {
      rest(request, response).catch((error: unknown) => {
        endUnanswered(parts.onUnexpected, request, response, error);
      });
      return;
    }
    const door = elsewhere === 'graphql' ? elsewhere : 'pages';
    describeRequest(request, { door, route: `/${elsewhere}` });
    others(request, response);
  };
  const serve: RequestListener = (request, response) => {
    const isQuestion = cors(parts.config.corsOrigins, request, response);
    const wait = limits.tooEarly(request);
    const operator = operators.get(request.url?.split('?', 1)[0] ?? '');
    if (wait > 0) {
      limits.holdOff(request, response);
      refuse(request, response, tooManyRequests(wait));
    } else if (isQuestion) {
      response.statusCode = 200;
      response.end();
    } else if (operator) operator(request, response);
    else {
      limits.serve(request, response, () => {
        answer(request, response);
      });
    }
  };
  return guarded(parts.onUnexpected, (request, response) => {
    response.setHeader('server', product);
    response.setHeader('ziti-instance-id', facts.instanceId);
    // Answers carry tokens and secrets; what caches may keep says so itself (RFC 9111 5.2.2.5).
    response.setHeader('cache-control', 'no-store');
    parts.observer.handle(request, response, () => {
      serve(request, response);
    });
  });
}

/** Whatever fails while a request is served ends that request, and nothing else. */
const guarded =
  (onUnexpected: HttpParts['onUnexpected'], listener: RequestListener): RequestListener =>
  (request, response) => {
    try {
      listener(request, response);
    } catch (error) {
      endUnanswered(onUnexpected, request, response, error);
    }
  };

function endUnanswered(
  onUnexpected: HttpParts['onUnexpected'],
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  answerAnyway(response);
  onUnexpected(error, noteOf(request)?.requestId ?? '');
}

/** What express serves; the REST door needs nothing of it. */
async function graphAndPages(parts: HttpParts): Promise<RequestListener> {
  const { executor, admission, contexts, subscriptions, rest, limits, onUnexpected } = parts;
  const app = express();
  app.disable('x-powered-by');
  // Answers of the graph are never kept; files have tags of their own.
  app.disable('etag');
  app.get('/graphiql', page(graphiqlPage));
  app.get('/docs', page(apiPage));
  app.get('/graphql', pageOfBrowsers(page(graphiqlPage)));
  for (const [path, folder] of assets()) {
    app.use(
      path,
      mayBeKept,
      express.static(folder, { index: false, immutable: true, maxAge: '1d' }),
    );
  }
  app.use('/graphql/stream', streamRouter(subscriptions, limits, onUnexpected));
  const graph = { executor, admission, contexts, limits, onUnexpected };
  app.use('/graphql', await graphqlRouter(graph));
  app.use((request: Request, response: Response) => rest(request, response));
  app.use(refuseFault(onUnexpected));
  return app as RequestListener;
}

/**
 * What failed before an operation of the graph ran: bodies that could not be read, paths that name
 * no file. Anything else is unexpected.
 */
const refuseFault =
  (onUnexpected: HttpParts['onUnexpected']): ErrorRequestHandler =>
  (fault: unknown, request, response, next) => {
    // Its time was up while it was read.
    if (response.headersSent) {
      next();
      return;
    }
    const requestId = noteOf(request)?.requestId ?? '';
    const known = apiErrorOf(fault) ?? bodyFault(fault);
    if (!known) onUnexpected(fault, requestId);
    const error = known ?? failure('UNHANDLED');
    // What is left of a body would be read as the next request.
    if (!request.complete) response.setHeader('connection', 'close');
    response.status(error.status).json(graphErrors(error, requestId));
  };

/** What the libraries say of requests that they refuse. */
function bodyFault(fault: unknown): ApiError | undefined {
  const { status } = fault as { status?: unknown };
  if (typeof status !== 'number' || status >= 500) return undefined;
  return failure(status === 413 ? 'REQUEST_ENTITY_TOO_LARGE' : 'COULD_NOT_PARSE_BODY');
}

/** The files say how long. */
const mayBeKept: RequestHandler = (_, response, next) => {
  response.removeHeader('cache-control');
  next();
};

const page =
  (html: string) =>
  (_: Request, response: Response): void => {
    response.type('html').send(html);
  };

/** A browser that opens the address of the graph, without a document. */
const pageOfBrowsers =
  (show: RequestHandler): RequestHandler =>
  (request, response, next) => {
    const isBrowser = request.headers.accept?.split(',')[0] === 'text/html';
    if (isBrowser && request.query.query === undefined) void show(request, response, next);
    else next();
  };

/** The files of the pages come from packages: nothing is loaded from other hosts. */
function assets(): [string, string][] {
  const require = createRequire(import.meta.url);
  const folder = (name: string, below = ''): string =>
    join(dirname(require.resolve(`${name}/package.json`)), below);
  return [
    ['/assets/graphiql', folder('graphiql')],
    ['/assets/react', folder('react', 'umd')],
    ['/assets/react-dom', folder('react-dom', 'umd')],
    ['/assets/swagger-ui', folder('swagger-ui-dist')],
  ];
}
