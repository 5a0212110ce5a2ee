import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { GraphQLError, parse, type DocumentNode } from 'graphql';
import { apiErrorOf, formatApiError } from './format-error.js';
import { ApiError, failure } from '../kernel/errors.js';
import { newId } from '../kernel/ids.js';
import { isObject } from '../kernel/row.js';
import { MAX_TOKENS, refuseTooMuch, weigh } from './limits.js';

/** Refuses what is too much, and leaves the cost in `res.locals.cost`. */
export const admit =
  (): RequestHandler =>
  (request: Request, response: Response, next: NextFunction): void => {
    const { query, variables } = asked(request);
    if (typeof query !== 'string') {
      next();
      return;
    }
    try {
      const document = parsed(query);
      if (document) {
        const weight = weigh(document, variables);
        refuseTooMuch(weight);
        (response.locals as { cost?: number }).cost = weight.cost;
      }
      next();
    } catch (error) {
      const refusal = apiErrorOf(error) ?? new ApiError('UNHANDLED');
      const errors = [formatApiError({ message: '' }, refusal, newId())];
      response.status(refusal.status).json({ errors });
    }
  };

/** Where the protocol looks for them: a GET may bring a body, which counts for nothing. */
function asked(request: Request): { query: unknown; variables: Record<string, unknown> } {
  const isGet = request.method === 'GET' || request.method === 'HEAD';
  const source: unknown = isGet ? request.query : request.body;
  const { query, variables } = isObject(source) ? source : {};
  const given = isGet && typeof variables === 'string' ? fromJson(variables) : variables;
  return { query, variables: isObject(given) ? given : {} };
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
