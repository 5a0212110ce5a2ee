import type { Request, RequestHandler } from 'express';
import { GraphQLError, Kind, type DocumentNode } from 'graphql';
import { ApiError, failure, tooManyRequests } from '../../base/errors.js';
import { ADMIN, permits, unauthorized } from '../../kernel/declare/permissions.js';
import { limitOf, type RequestLimits } from '../../requests/limits/index.js';
import { parseDocument } from '../documents/parse-document.js';
import { refuse, type GraphqlDependencies } from './server-admit.js';
import { jsonBody, type ParseAround } from './server-json.js';

const MAX_BODY_BYTES = 1024 * 1024;
const IMPORT_LIMIT = '64mb';
/** The operations that accept a whole network. */
const IMPORT_OPERATIONS = ['importNetwork', 'simulateImport'];

/** Parsing a smaller body takes too little time to count. */
const SMALL_LENGTH = 8 * 1024;
const FREE_MILLIS = 0.5;

/** Parses larger bodies within the time budget of their address for documents. */
const parsedWithin =
  (limits: RequestLimits): ParseAround =>
  ({ socket }, length, parse) =>
    length < SMALL_LENGTH
      ? parse()
      : limits.prepare(limits.payer(undefined, socket.remoteAddress ?? ''), parse, FREE_MILLIS);

/** Reads the body of any request that was not read yet: up to 1 MiB, within the request's time. */
export function anyBody({
  limits,
  onUnexpected,
}: Pick<GraphqlDependencies, 'limits' | 'onUnexpected'>): RequestHandler {
  const readJson = jsonBody(MAX_BODY_BYTES, { around: parsedWithin(limits) });
  return (request, response, next) => {
    if (request.body !== undefined) {
      next();
      return;
    }
    const bodyRead = new Promise<unknown>((resolve) => {
      stopAt(request, limits, resolve);
      void readJson(request, response, resolve);
    });
    const limit = limitOf(request);
    (limit ? limit.limited(bodyRead) : bodyRead).then(
      (fault) => {
        if (fault === undefined) next();
        else if (fault instanceof ApiError && fault.code === 'SERVER_TOO_MANY_REQUESTS') {
          refuse(response, fault, onUnexpected);
        } else next(fault);
      },
      (error: unknown) => {
        refuse(response, error, onUnexpected);
      },
    );
  };
}

/** Stops early: the parser would read a body to its end before refusing it for its size. */
function stopAt(request: Request, limits: RequestLimits, stop: (fault: unknown) => void): void {
  const tooLarge = failure('REQUEST_ENTITY_TOO_LARGE');
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) stop(tooLarge);
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    const before = size;
    size += chunk.length;
    const wait = limits.tooLarge(request, before, size);
    if (size > MAX_BODY_BYTES) stop(tooLarge);
    else if (wait > 0) {
      // The parser would hold the rest in memory until it ends.
      request.removeAllListeners('data');
      stop(tooManyRequests(wait));
    }
  });
}

/**
 * Reads the body of a request that imports a network or simulates that: the only large body, without
 * a time limit. A caller who is no administrator is refused before the first byte, and the larger
 * limit serves no other operation.
 */
export const importBody = ({ contexts, onUnexpected }: GraphqlDependencies): RequestHandler[] => [
  (request, response, next) => {
    contexts.create(request).then(
      ({ caller }) => {
        if (permits(caller, ADMIN)) {
          limitOf(request)?.lift();
          next();
        } else refuse(response, unauthorized(caller), onUnexpected);
      },
      (error: unknown) => {
        refuse(response, error, onUnexpected);
      },
    );
  },
  // An import lists all faults of its document at once.
  jsonBody(IMPORT_LIMIT, { anyText: true }),
  (request, response, next) => {
    const { query } = (request.body ?? {}) as { query?: unknown };
    try {
      if (typeof query !== 'string' || !importsOnly(query)) throw NOT_SERVED;
      next();
    } catch (error) {
      refuse(response, error, onUnexpected);
    }
  },
];

const NOT_SERVED = failure(
  'COULD_NOT_PARSE_BODY',
  `only ${IMPORT_OPERATIONS.join(' and ')} are served here`,
);

function importsOnly(query: string): boolean {
  try {
    const field = onlyField(parseDocument(query));
    return field !== undefined && IMPORT_OPERATIONS.includes(field);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return false;
  }
}

/** Gives the name of the only field of the only operation, if the document has just one. */
function onlyField({ definitions }: DocumentNode): string | undefined {
  const [operation, ...others] = definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0) return undefined;
  const [field, ...otherFields] = operation.selectionSet.selections;
  return field?.kind === Kind.FIELD && otherFields.length === 0 ? field.name.value : undefined;
}
