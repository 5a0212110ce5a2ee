import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { ExternalSigners } from '../trust/auth/index.js';
import {
  apiErrorOf,
  graphErrors,
  graphqlRouter,
  streamRouter,
  type Admission,
  type ContextFactory,
  type ControllerFacts,
  type Executor,
  type Subscriptions,
} from '../graph/index.js';
import { failure, tooManyRequests, type ApiError } from '../base/errors.js';
import { answerAnyway } from '../base/last-resort.js';
import type { RequestLimits } from '../requests/limits/index.js';
import { describeRequest, noteOf, type RequestObserver } from '../requests/observability/index.js';
import { cors } from './cors.js';
import { endWithBody } from './end-with-body.js';
import { expressMessages, type MessageClasses } from './express-messages.js';
import { loginOriginsOf } from './login-origins.js';
import { monitorDoor, operatorDoors, type OperatorDependencies } from './operator-doors.js';
import { OidcDoor } from './oidc/oidc-door.js';
import type { DirectoryDoor } from './directories/directory-door.js';
import { NON_REST, pageDoors } from './page-doors.js';
import type { RestHandler, RestRow } from '../../rest-compat/index.js';
import { apiPage, graphiqlPage } from './pages.js';
import { refuse } from './refuse-request.js';
import type { SpaFolder } from './spa-folders.js';
import { pathOf } from './static-files.js';

/** The settings of both doors. */
export interface HttpSettings {
  /** Origins that may send credentials; undefined: any origin without them. */
  readonly corsOrigins: readonly string[] | undefined;
  readonly metricsToken: string | undefined;
  readonly spas: readonly SpaFolder[];
  readonly spaOrigins: readonly string[];
}

export interface HttpDependencies extends Omit<OperatorDependencies, 'metricsToken' | 'contexts'> {
  readonly contexts: ContextFactory;
  readonly config: HttpSettings;
  readonly facts: ControllerFacts;
  readonly executor: Executor;
  readonly admission: Admission;
  readonly subscriptions: Subscriptions;
  readonly rest: RestHandler;
  readonly rows: readonly RestRow[];
  readonly signers: ExternalSigners;
  /** Undefined: it is not served. */
  readonly oidc: OidcDoor | undefined;
  readonly directories: readonly DirectoryDoor[];
  readonly limits: RequestLimits;
  /** Of the port for monitors: clients of the same address do not use up theirs. */
  readonly monitorLimits: RequestLimits;
  readonly observer: RequestObserver;
}

const NON_REST_PATH = new RegExp(`^/(${NON_REST.join('|')})(?:[/?]|$)`);

/** A listener for requests, and the messages that it takes. */
interface ServedMessages {
  readonly app: RequestListener;
  /** The classes that a server makes its messages of; it takes others, too, but slower. */
  readonly messages: MessageClasses;
}

/** The listener for all requests. */
export interface HttpApp extends ServedMessages {
  /** Health and metrics alone, for a port of their own. */
  readonly monitors: RequestListener;
}

/** Serves GraphQL, REST and the pages for both, and sets the headers of all answers. */
export async function httpApp(dependencies: HttpDependencies): Promise<HttpApp> {
  const { facts, rest, rows, limits, monitorLimits } = dependencies;
  const { app: serveNonRest, messages } = await graphAndPages(dependencies);
  const operatorOptions = { ...dependencies, metricsToken: dependencies.config.metricsToken };
  const operators = operatorDoors(operatorOptions);
  const product = `ziti-controller/${facts.version}`;
  const { spas, spaOrigins: assetOrigins } = dependencies.config;
  const operatorPaths = [...operators.keys()];
  const loginOrigins = loginOriginsOf(dependencies.signers);
  const pages = pageDoors({ spas, assetOrigins, rows, operatorPaths, loginOrigins });
  const answer: RequestListener = (request, response) => {
    const { url = '/' } = request;
    const page = pages.find((door) => door.isFor(request));
    if (page) {
      describeRequest(request, { door: 'pages', route: page.route });
      page.serve(request, response);
      return;
    }
    if (servedByProtocol(dependencies, request, response)) return;
    const [, firstSegment] = NON_REST_PATH.exec(url) ?? [];
    if (firstSegment === undefined) {
      rest(request, response).catch((error: unknown) => {
        endUnanswered(dependencies.onUnexpected, request, response, error);
      });
      return;
    }
    const door = firstSegment === 'graphql' ? firstSegment : 'pages';
    describeRequest(request, { door, route: `/${firstSegment}` });
    serveNonRest(request, response);
  };
  const serve: RequestListener = (request, response) => {
    const isPreflight = cors(dependencies.config.corsOrigins, request, response);
    const operator = operators.get(pathOf(request));
    if (isTooEarly(limits, request, response)) return;
    if (isPreflight) {
      response.statusCode = 200;
      response.end();
    } else if (operator) operator(request, response);
    else {
      limits.serve(request, response, () => {
        answer(request, response);
      });
    }
  };
  const observed = (listener: RequestListener): RequestListener =>
    guarded(dependencies.onUnexpected, (request, response) => {
      endWithBody(request, response);
      response.setHeader('server', product);
      response.setHeader('ziti-instance-id', facts.instanceId);
      // Answers contain tokens and secrets; a public answer overrides this header (RFC 9111 5.2.2.5).
      response.setHeader('cache-control', 'no-store');
      dependencies.observer.handle(request, response, () => {
        listener(request, response);
      });
    });
  const serveMonitors = monitorDoor(operatorOptions);
  const monitors: RequestListener = (request, response) => {
    if (!isTooEarly(monitorLimits, request, response)) serveMonitors(request, response);
  };
  return { app: observed(serve), messages, monitors: observed(monitors) };
}

/** Refuses a request of an address that sends too many. */
function isTooEarly(
  limits: RequestLimits,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const wait = limits.tooEarly(request);
  if (wait === 0) return false;
  limits.holdOff(request, response);
  refuse(request, response, tooManyRequests(wait));
  return true;
}

/** Whether the door of a protocol beside REST and the graph serves a request. */
function servedByProtocol(
  { oidc, directories }: Pick<HttpDependencies, 'oidc' | 'directories'>,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (oidc && OidcDoor.serves(request)) {
    void oidc.serve(request, response);
    return true;
  }
  const door = directories.find((one) => one.serves(request));
  void door?.serve(request, response);
  return door !== undefined;
}

/** Limits the effect of an exception to its own request. */
const guarded =
  (onUnexpected: HttpDependencies['onUnexpected'], listener: RequestListener): RequestListener =>
  (request, response) => {
    try {
      listener(request, response);
    } catch (error) {
      endUnanswered(onUnexpected, request, response, error);
    }
  };

function endUnanswered(
  onUnexpected: HttpDependencies['onUnexpected'],
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  answerAnyway(response);
  onUnexpected(error, noteOf(request)?.requestId ?? '');
}

/** The express application for GraphQL and the pages; REST does not use express. */
async function graphAndPages(dependencies: HttpDependencies): Promise<ServedMessages> {
  const { executor, admission, contexts, subscriptions, rest, limits, onUnexpected } = dependencies;
  const app = express();
  app.disable('x-powered-by');
  // Answers of the graph are not cached; files have their own tags.
  app.disable('etag');
  app.get('/graphiql', page(graphiqlPage));
  app.get('/docs', page(apiPage));
  app.get('/graphql', pageForBrowsers(page(graphiqlPage)));
  for (const [path, folder] of assets()) {
    app.use(
      path,
      allowCaching,
      express.static(folder, { index: false, immutable: true, maxAge: '1d' }),
    );
  }
  app.use('/graphql/stream', streamRouter(subscriptions, limits, onUnexpected));
  const graph = { executor, admission, contexts, limits, onUnexpected };
  app.use('/graphql', await graphqlRouter(graph));
  app.use((request: Request, response: Response) => rest(request, response));
  app.use(refuseFault(onUnexpected));
  return { app: app as RequestListener, messages: expressMessages(app) };
}

/**
 * Answers failures before an operation of the graph ran, such as an unreadable body or an unknown
 * file. Other failures are unexpected.
 */
const refuseFault =
  (onUnexpected: HttpDependencies['onUnexpected']): ErrorRequestHandler =>
  (fault: unknown, request, response, next) => {
    // The request was answered with a timeout while its body was read.
    if (response.headersSent) {
      next();
      return;
    }
    const requestId = noteOf(request)?.requestId ?? '';
    const apiError = apiErrorOf(fault) ?? bodyFault(fault);
    if (!apiError) onUnexpected(fault, requestId);
    const error = apiError ?? failure('UNHANDLED');
    // The rest of the body would be read as the next request.
    if (!request.complete) response.setHeader('connection', 'close');
    response.status(error.status).json(graphErrors(error, requestId));
  };

/** The error for a request that a library refused. */
function bodyFault(fault: unknown): ApiError | undefined {
  const { status } = fault as { status?: unknown };
  if (typeof status !== 'number' || status >= 500) return undefined;
  return failure(status === 413 ? 'REQUEST_ENTITY_TOO_LARGE' : 'COULD_NOT_PARSE_BODY');
}

/** Allows caching of files; `maxAge` sets the time. */
const allowCaching: RequestHandler = (_, response, next) => {
  response.removeHeader('cache-control');
  next();
};

const page =
  (html: string) =>
  (_: Request, response: Response): void => {
    response.type('html').send(html);
  };

/** Shows a page to a browser that opens the address of the graph without a document. */
const pageForBrowsers =
  (show: RequestHandler): RequestHandler =>
  (request, response, next) => {
    const isBrowser = request.headers.accept?.split(',')[0] === 'text/html';
    if (isBrowser && request.query.query === undefined) void show(request, response, next);
    else next();
  };

/** The folders of the pages' files, which come from packages: pages load no file from other hosts. */
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
