import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import type { Config } from '../config.js';
import {
  graphqlRouter,
  type ContextFactory,
  type ControllerFacts,
  type Executor,
} from '../graph/index.js';
import { failure } from '../kernel/errors.js';
import type { RestHandler } from '../../rest-compat/index.js';
import { apiPage, graphiqlPage } from './pages.js';

export interface HttpParts {
  readonly config: Pick<Config, 'corsOrigins'>;
  readonly facts: ControllerFacts;
  readonly executor: Executor;
  readonly contexts: ContextFactory;
  readonly rest: RestHandler;
  readonly onUnexpected: (error: unknown, requestId: string) => void;
}

const ALLOWED_HEADERS =
  'content-type, accept, authorization, zt-session, if-match, apollo-require-preflight, mfa-validation-code, session-token';
const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const EXPOSED_HEADERS = 'etag, zt-session, expiration-seconds, expires-at, www-authenticate';

/** What is not an operation of the REST interfaces. */
const ELSEWHERE = /^\/(?:graphql|graphiql|docs|assets)(?:[/?]|$)/;

/** Both doors, the pages that show them, and the headers that all answers carry. */
export async function httpApp(parts: HttpParts): Promise<RequestListener> {
  const { facts, rest } = parts;
  const others = await graphAndPages(parts);
  const product = `ziti-controller/${facts.version}`;
  return (request, response) => {
    response.setHeader('server', product);
    response.setHeader('ziti-instance-id', facts.instanceId);
    if (cors(parts.config.corsOrigins, request, response)) {
      response.statusCode = 200;
      response.end();
    } else if (ELSEWHERE.test(request.url ?? '/')) others(request, response);
    else void rest(request, response);
  };
}

/** What express serves; the REST door needs nothing of it. */
async function graphAndPages(parts: HttpParts): Promise<RequestListener> {
  const { executor, contexts, rest, onUnexpected } = parts;
  const app = express();
  app.disable('x-powered-by');
  app.get('/graphiql', page(graphiqlPage));
  app.get('/docs', page(apiPage));
  for (const [path, folder] of assets()) {
    app.use(path, express.static(folder, { index: false, immutable: true, maxAge: '1d' }));
  }
  app.use('/graphql', await graphqlRouter(executor, contexts, onUnexpected));
  app.use((request: Request, response: Response) => rest(request, response));
  app.use(refuseUnreadable);
  return app as RequestListener;
}

/** A body that the parser in front of the graph could not take; nothing else comes here. */
const refuseUnreadable: ErrorRequestHandler = (fault: { status?: number }, _, response, next) => {
  if (response.headersSent) {
    next(fault);
    return;
  }
  const isTooLarge = fault.status === 413;
  const error = failure(isTooLarge ? 'REQUEST_ENTITY_TOO_LARGE' : 'COULD_NOT_PARSE_BODY');
  response.setHeader('connection', 'close');
  response.status(error.status).json({
    errors: [{ message: error.message, extensions: { code: error.code, status: error.status } }],
  });
};

const page =
  (html: string) =>
  (_: Request, response: Response): void => {
    response.type('html').send(html);
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

/** Sets the headers for requests from pages of other origins; true when it was only a question. */
function cors(
  allowed: readonly string[] | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return false;
  response.setHeader('vary', 'origin');
  if (allowed === undefined) response.setHeader('access-control-allow-origin', '*');
  else if (allowed.includes(origin)) {
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-allow-credentials', 'true');
  } else return false;
  response.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
  const asks = request.method === 'OPTIONS' && request.headers['access-control-request-method'];
  if (typeof asks !== 'string') return false;
  response.setHeader('access-control-allow-headers', ALLOWED_HEADERS);
  response.setHeader('access-control-allow-methods', ALLOWED_METHODS);
  return true;
}
