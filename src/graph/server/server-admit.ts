import type { Request, RequestHandler, Response } from 'express';
import type { ExecutionResult } from 'graphql';
import type { RequestContext } from '../../kernel/request/context.js';
import { ApiError, retryAfterOf } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { parseJson } from '../../base/json-text.js';
import { answerAnyway } from '../../base/last-resort.js';
import { noteOf } from '../../requests/observability/index.js';
import { isObject } from '../../base/row.js';
import { limitOf, type RequestLimits } from '../../requests/limits/index.js';
import type { Admission, Admitted } from '../documents/admission.js';
import type { ContextFactory } from '../context-factory.js';
import { DocumentFault } from '../documents/document-fault.js';
import type { Executor } from '../executor.js';
import { apiErrorOf, graphErrors } from '../format-error.js';
import type { OnUnexpected } from '../result.js';

export interface GraphqlDependencies {
  readonly executor: Executor;
  readonly admission: Admission;
  readonly contexts: ContextFactory;
  readonly limits: RequestLimits;
  readonly onUnexpected: OnUnexpected;
}

/** A request whose document may run, with its cost. */
export interface GraphContext extends Partial<
  Pick<Admitted, 'document' | 'text' | 'isAboutSchema'>
> {
  readonly ctx: RequestContext;
  readonly message: Request;
  readonly cost: number;
  readonly payer: string;
  /** The budget that the caller has left in this minute. */
  readonly budget: { readonly remaining: number; readonly perMinute: number } | undefined;
  /** The run of its document, once it has begun. */
  running?: Promise<ExecutionResult>;
}

/** Puts a `GraphContext` in `res.locals`, or refuses in time, with a `retry-after` hint. */
export const admit =
  (parts: GraphqlDependencies): RequestHandler =>
  (request, response, next) => {
    const limit = limitOf(request);
    const admitting = admitted(parts, request);
    const inTime = limit ? limit.limited(admitting) : admitting;
    inTime.then(
      (context) => {
        Object.assign(response.locals, context);
        next();
      },
      (error: unknown) => {
        limit?.leave();
        refuse(response, error, parts.onUnexpected);
      },
    );
  };

async function admitted(
  { admission, contexts, limits }: GraphqlDependencies,
  request: Request,
): Promise<GraphContext> {
  const { query, variables, operationName } = rawQueryOf(request);
  if (typeof query === 'string' && query !== '') {
    const allowed = await admission.admit(request, { query, variables, operationName });
    return { message: request, budget: limits.budgetOf(allowed.payer), ...allowed };
  }
  // Apollo refuses a request without a document.
  await limitOf(request)?.enter({ lane: 'ordinary' });
  const ctx = await contexts.create(request);
  const payer = limits.payer(ctx.caller?.identityId, ctx.address);
  return { ctx, payer, message: request, cost: 0, budget: limits.budgetOf(payer) };
}

/** Ends a request of this door without running it. Never throws. */
export function refuse(response: Response, error: unknown, onUnexpected: OnUnexpected): void {
  try {
    sendRefusal(response, error, onUnexpected);
  } catch {
    answerAnyway(response);
  }
}

function sendRefusal(response: Response, error: unknown, onUnexpected: OnUnexpected): void {
  const requestId = noteOf(response.req)?.requestId ?? newId();
  // The rest of a body would be read as the next request.
  if (!response.req.complete) response.setHeader('connection', 'close');
  if (error instanceof DocumentFault) {
    response.status(error.status).json(faultErrors(error, requestId));
    return;
  }
  const apiError = apiErrorOf(error);
  if (!apiError) onUnexpected(error, requestId);
  const refusal = apiError ?? new ApiError('UNHANDLED');
  const retryAfter = retryAfterOf(refusal);
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
  if (refusal.challenge !== undefined) response.setHeader('www-authenticate', refusal.challenge);
  response.status(refusal.status).json(graphErrors(refusal, requestId));
}

const faultErrors = ({ code, status, faults }: DocumentFault, requestId: string): object => ({
  errors: faults.map((fault) => ({ ...fault, extensions: { code, status, requestId } })),
});

interface RawQuery {
  readonly query: unknown;
  readonly variables: Record<string, unknown>;
  readonly operationName: string | undefined;
}

/** Reads the query from the place in the protocol: the body of a GET does not count. */
function rawQueryOf(request: Request): RawQuery {
  const isGet = request.method === 'GET' || request.method === 'HEAD';
  const source: unknown = isGet ? fromAddress(request) : request.body;
  const { query, variables, operationName } = isObject(source) ? source : {};
  return {
    query,
    variables: isObject(variables) ? variables : {},
    operationName: typeof operationName === 'string' ? operationName : undefined,
  };
}

/**
 * Reads the parameters of a GET. It rewrites the address from them, so that later handlers can not
 * read it in another way.
 */
function fromAddress(request: Request): Record<string, unknown> {
  const [path = '', ...rest] = request.url.split('?');
  const search = new URLSearchParams(rest.join('?'));
  request.url = `${path}?${search.toString()}`;
  const { variables, extensions, ...others } = Object.fromEntries(
    // Keeps the first of repeated parameters; later handlers refuse repeats.
    [...search].reverse(),
  );
  if (extensions !== undefined) parseJson(extensions, { at: 'extensions' });
  if (variables === undefined) return others;
  return { ...others, variables: parseJson(variables, { at: 'variables' }) };
}
