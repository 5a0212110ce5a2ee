import type { Request, RequestHandler, Response } from 'express';
import { GraphQLError, parse, type DocumentNode } from 'graphql';
import type { RequestContext } from '../kernel/context.js';
import { ApiError, failure, retryAfterOf, tooManyRequests } from '../kernel/errors.js';
import { newId } from '../kernel/ids.js';
import { noteOf } from '../observability/index.js';
import { paceOf, type Pace } from '../kernel/pace.js';
import { isObject } from '../kernel/row.js';
import { currentRequest, type RequestLimits } from '../limits/index.js';
import type { ContextFactory } from './context-factory.js';
import type { Executor } from './executor.js';
import { apiErrorOf, graphErrors } from './format-error.js';
import type { OnUnexpected } from './result.js';
import { MAX_TOKENS, refuseTooMuch, weigh } from './limits.js';

export interface GraphDoorParts {
  readonly executor: Executor;
  readonly contexts: ContextFactory;
  readonly limits: RequestLimits;
  readonly onUnexpected: OnUnexpected;
}

/** A request of this door whose document may run, with what that was weighed at. */
export interface GraphContext {
  readonly ctx: RequestContext;
  readonly message: Request;
  readonly cost: number;
  /** What the caller may still ask in this minute. */
  readonly budget: { readonly remaining: number; readonly perMinute: number } | undefined;
}

/** What a document of this cost asks of the process makes everybody else wait. */
const HEAVY = 50_000;

/** Leaves a `GraphContext` in `res.locals`, or refuses: in time, with the hint when to come back. */
export const admit =
  (parts: GraphDoorParts): RequestHandler =>
  (request, response, next) => {
    const current = currentRequest();
    const admitting = admitted(parts, request);
    const inTime = current ? current.limited(admitting) : admitting;
    inTime.then(
      (context) => {
        Object.assign(response.locals, context);
        next();
      },
      (error: unknown) => {
        current?.leave();
        refuse(response, error, parts.onUnexpected);
      },
    );
  };

async function admitted(
  { executor, contexts, limits }: GraphDoorParts,
  request: Request,
): Promise<GraphContext> {
  const { query, variables, operationName } = asked(request);
  const document = typeof query === 'string' ? parsed(query) : undefined;
  let cost = 0;
  let pace: Pace = { lane: 'ordinary' };
  if (document) {
    const weight = weigh(document, variables);
    refuseTooMuch(weight);
    ({ cost } = weight);
    pace = cost > HEAVY ? { lane: 'background' } : paceOf(executor.schema, document, operationName);
  }
  await currentRequest()?.enter(pace);
  const ctx = await contexts.create(request);
  const payer = limits.payer(ctx.caller?.identityId, ctx.address);
  const wait = limits.spend(payer, cost);
  if (wait > 0) throw tooManyRequests(wait);
  return { ctx, message: request, cost, budget: limits.budgetOf(payer) };
}

/** Ends a request of this door without running it. */
export function refuse(response: Response, error: unknown, onUnexpected: OnUnexpected): void {
  const requestId = noteOf(response.req)?.requestId ?? newId();
  const known = apiErrorOf(error);
  if (!known) onUnexpected(error, requestId);
  const refusal = known ?? new ApiError('UNHANDLED');
  const retryAfter = retryAfterOf(refusal);
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
  // What is left of a body would be read as the next request.
  if (!response.req.complete) response.setHeader('connection', 'close');
  response.status(refusal.status).json(graphErrors(refusal, requestId));
}

interface Asked {
  readonly query: unknown;
  readonly variables: Record<string, unknown>;
  readonly operationName: string | undefined;
}

/** Where the protocol looks for them: a GET may bring a body, which counts for nothing. */
function asked(request: Request): Asked {
  const isGet = request.method === 'GET' || request.method === 'HEAD';
  const source: unknown = isGet ? request.query : request.body;
  const { query, variables, operationName } = isObject(source) ? source : {};
  const given = isGet && typeof variables === 'string' ? fromJson(variables) : variables;
  return {
    query,
    variables: isObject(given) ? given : {},
    operationName: typeof operationName === 'string' ? operationName : undefined,
  };
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Nothing for a text that does not parse: that is Apollo's to report. */
function parsed(query: string): DocumentNode | undefined {
  try {
    return parse(query, { maxTokens: MAX_TOKENS, noLocation: true });
  } catch (error) {
    if (error instanceof GraphQLError && error.message.includes(`${String(MAX_TOKENS)} tokens`)) {
      throw failure('QUERY_TOO_COMPLEX', `the document has more than ${String(MAX_TOKENS)} tokens`);
    }
    return undefined;
  }
}
