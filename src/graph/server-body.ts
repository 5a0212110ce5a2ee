import { json, type RequestHandler, type Response } from 'express';
import { Kind, parse, type DocumentNode } from 'graphql';
import { failure, type ApiError } from '../kernel/errors.js';
import { permits, ADMIN } from '../kernel/permissions.js';
import type { ContextFactory } from './context-factory.js';
import { formatApiError } from './format-error.js';

const BODY_LIMIT = '1mb';
const IMPORT_LIMIT = '64mb';
const IMPORT = 'importNetwork';

/** The body of any request: read up to 1 MiB. */
export const anyBody: RequestHandler = json({ limit: BODY_LIMIT });

/**
 * The body of a request that imports a network: the only large one. Who is no administrator is
 * refused before the first byte of it is read, and the larger limit serves no other operation.
 */
export const importBody = (contexts: ContextFactory): RequestHandler[] => [
  async (request, response, next) => {
    const ctx = await contexts.create(request);
    if (permits(ctx.caller, ADMIN)) next();
    else refuse(response.setHeader('connection', 'close'), failure('UNAUTHORIZED'), ctx.requestId);
  },
  json({ limit: IMPORT_LIMIT }),
  (request, response, next) => {
    const { query } = (request.body ?? {}) as { query?: unknown };
    if (typeof query === 'string' && importsOnly(query)) next();
    else refuse(response, failure('COULD_NOT_PARSE_BODY', `only ${IMPORT} is served here`));
  },
];

function importsOnly(query: string): boolean {
  try {
    return onlyField(parse(query, { maxTokens: 500, noLocation: true })) === IMPORT;
  } catch {
    return false;
  }
}

/** The name of the one field of the one operation. */
function onlyField({ definitions }: DocumentNode): string | undefined {
  const [operation, ...others] = definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0) return undefined;
  const [field, ...more] = operation.selectionSet.selections;
  return field?.kind === Kind.FIELD && more.length === 0 ? field.name.value : undefined;
}

function refuse(response: Response, error: ApiError, requestId = ''): void {
  const errors = [formatApiError({ message: '' }, error, requestId)];
  response.status(error.status).json({ errors });
}
