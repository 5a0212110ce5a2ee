import type { ServerResponse } from 'node:http';
import { Router, type Request, type Response } from 'express';
import type { ExecutionResult, GraphQLFormattedError } from 'graphql';
import { failure, type ApiError } from '../../base/errors.js';
import { parseJson } from '../../base/json-text.js';
import { isObject } from '../../base/row.js';
import { limitOf, type RequestLimits } from '../../requests/limits/index.js';
import type { GraphQuery } from '../documents/admission.js';
import type { OnUnexpected } from '../result.js';
import { refuse } from '../server/server-admit.js';
import { anyBody } from '../server/server-body.js';
import { refusalOf } from './subscription-refusal.js';
import type { Results } from './results.js';
import type { Subscriptions } from './subscriptions.js';

const PING_MILLIS = 15_000;
/** The time to send the rest before a client is disconnected. */
const FAREWELL_MILLIS = 30_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // Proxies that collect answers would hold events back.
  'x-accel-buffering': 'no',
};

/**
 * Serves subscriptions as event streams, by the distinct connections mode of the protocol "GraphQL
 * over Server-Sent Events": one request is one subscription. It asks for an event when the one before
 * has been sent, so that no queue grows for a client that does not read.
 *
 * Own code for that reason: `graphql-sse` 2.6.1 asks for the next event at once and puts it into a
 * queue without a bound, and `better-sse` 0.16.1 writes without waiting for the socket.
 */
export function streamRouter(
  subscriptions: Subscriptions,
  limits: RequestLimits,
  onUnexpected: OnUnexpected,
): Router {
  const router = Router();
  router.use(anyBody({ limits, onUnexpected }));
  router.use(async (request: Request, response: Response) => {
    try {
      const limit = limitOf(request);
      const results = await startSubscription(
        subscriptions,
        request,
        response,
        onUnexpected,
      ).finally(() => {
        limit?.leave();
      });
      limit?.stay();
      await stream(response, results);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else refuse(response, error, onUnexpected);
    }
  });
  return router;
}

function startSubscription(
  subscriptions: Subscriptions,
  request: Request,
  response: Response,
  onUnexpected: OnUnexpected,
): Promise<Results> {
  if (request.method !== 'GET' && request.method !== 'POST') throw failure('METHOD_NOT_ALLOWED');
  if (request.accepts('text/event-stream') === false) throw failure('NOT_ACCEPTABLE');
  const cutOff = (error: ApiError): void => {
    const refusal = refusalOf(error, onUnexpected).error;
    response.write(eventOf({ errors: [refusal] }));
    response.end(COMPLETE);
    setTimeout(() => response.destroy(), FAREWELL_MILLIS).unref();
  };
  return subscriptions.start(request, queryOf(request), cutOff, { endsWithToken: true });
}

function queryOf(request: Request): GraphQuery {
  const source: unknown = request.method === 'GET' ? request.query : request.body;
  const { query, variables, operationName } = isObject(source) ? source : {};
  if (typeof query !== 'string') throw failure('COULD_NOT_PARSE_BODY', 'there is no query');
  return {
    query,
    variables: variablesOf(variables),
    operationName: typeof operationName === 'string' ? operationName : undefined,
  };
}

function variablesOf(value: unknown): Record<string, unknown> {
  if (value === undefined || value === null || value === '') return {};
  const variables: unknown =
    typeof value === 'string' ? parseJson(value, { at: 'variables' }) : value;
  if (isObject(variables)) return variables;
  throw failure('COULD_NOT_PARSE_BODY', 'variables are no object');
}

async function stream(response: ServerResponse, results: Results): Promise<void> {
  response.on('close', () => void results.return?.());
  response.on('error', () => undefined);
  response.writeHead(200, HEADERS);
  await writeText(response, PING);
  const timer = setInterval(() => {
    if (response.writableLength === 0) void writeText(response, PING);
  }, PING_MILLIS);
  try {
    for await (const result of results) await writeText(response, eventOf(result));
  } finally {
    clearInterval(timer);
  }
  if (!response.writableEnded) response.end(COMPLETE);
}

interface EventContent {
  readonly errors?: ExecutionResult['errors'] | readonly GraphQLFormattedError[];
}

/** JSON text has no line breaks, which would end the event. */
const eventOf = (result: EventContent): string =>
  `event: next\ndata: ${JSON.stringify(result)}\n\n`;

const COMPLETE = 'event: complete\ndata: \n\n';
/** A comment line, which clients ignore. */
const PING = ':\n\n';

/** Resolves when the text is sent or the client has disconnected. */
const writeText = (response: ServerResponse, text: string): Promise<void> =>
  new Promise((resolve) => {
    if (response.writableEnded || response.destroyed) {
      resolve();
      return;
    }
    const done = (): void => {
      response.off('close', done);
      resolve();
    };
    response.once('close', done);
    response.write(text, done);
  });
