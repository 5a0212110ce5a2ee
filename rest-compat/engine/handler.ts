import { link } from '../../src/kernel/declare/rest.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { GraphQLError } from 'graphql';
import {
  apiErrorOf,
  filterWeight,
  refusedVariable,
  type ContextFactory,
} from '../../src/graph/index.js';
import type { RequestContext } from '../../src/kernel/request/context.js';
import { ApiError, failure, retryAfterOf, tooManyRequests } from '../../src/base/errors.js';
import { answerAnyway } from '../../src/base/last-resort.js';
import type { Pace } from '../../src/kernel/graph/pace.js';
import { permits, SESSION, type Permission } from '../../src/kernel/declare/permissions.js';
import { isObject, type JsonObject } from '../../src/base/row.js';
import { refuseUnstorable } from '../../src/base/storable.js';
import { currentRequest, type RequestLimits } from '../../src/limits/index.js';
import { noteOf } from '../../src/observability/index.js';

import { bodyOf, type CompiledRow } from './compile.js';
import { CSV, csvLines, EXPORTS, isExport, jsonLines } from './export-lines.js';
import { dataEnvelope, errorEnvelope, listEnvelope, listEnvelopeInSlices } from './envelope.js';
import { readBody } from './read-body.js';
import type { Match } from './route-table.js';
import type { Answer, Connection, RestRequest, RestRow } from './rest-row.js';
import { isUnlimited, SlicedList } from './sliced-list.js';

/** A body that is sent while it is read; `end` releases its resources. */
interface StreamedBody {
  readonly chunks: AsyncIterable<string>;
  readonly end: () => Promise<void>;
}

/** An answer: complete before the first byte is sent, except for the rows of long lists. */
interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | StreamedBody;
}

export interface HandlerOptions {
  readonly contexts: ContextFactory;
  readonly filterableFields: (resource: string) => string;
  readonly onUnexpected: (error: unknown, requestId: string) => void;
  readonly limits?: RequestLimits;
}

/** Charges the terms of a filter, as on the graph. */
function charge({ limits }: HandlerOptions, ctx: RequestContext, { filter }: JsonObject): void {
  if (!limits || typeof filter !== 'string') return;
  const payer = limits.payer(ctx.caller?.identityId, ctx.address);
  const wait = limits.spend(payer, filterWeight(filter));
  if (wait > 0) throw tooManyRequests(wait);
}

const JSON_TYPE = 'application/json';
const UNLIMITED = { limit: -1 };

type ListAnswer = Answer & { readonly kind: 'list' };

/** Answers one request. Never throws. */
export async function answer(
  options: HandlerOptions,
  match: Match<CompiledRow> | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  search: URLSearchParams,
): Promise<void> {
  try {
    await answerMatch(options, match, request, response, search);
  } catch (error) {
    currentRequest()?.leave();
    answerAnyway(response);
    options.onUnexpected(error, noteOf(request)?.requestId ?? '');
  }
}

async function answerMatch(
  options: HandlerOptions,
  match: Match<CompiledRow> | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  search: URLSearchParams,
): Promise<void> {
  const limits = currentRequest();
  const reply = await decideReply(options, match, request, response, search);
  // A streamed list is still being read and keeps its slot.
  if (isAtOnce(reply.body)) limits?.leave();
  // The timeout may have been answered already.
  if (response.headersSent) await endOf(reply);
  else await send(request, response, reply);
  limits?.leave();
}

async function decideReply(
  options: HandlerOptions,
  match: Match<CompiledRow> | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  search: URLSearchParams,
): Promise<Reply> {
  const limits = currentRequest();
  let ctx: RequestContext | undefined;
  const errorReplyOf = (error: unknown): Reply => errorReply(options, error, ctx, match, request);
  limits?.atWork((error) => {
    void sendInTime(request, response, () => errorReplyOf(error));
  });
  try {
    const waiting = limits?.enter(match?.methods.get(methodOf(request))?.pace ?? ORDINARY);
    if (waiting) await waiting;
    ctx = await options.contexts.create(request);
    return await replyTo(options, ctx, match, request, search);
  } catch (error) {
    return errorReplyOf(error);
  } finally {
    limits?.decided();
  }
}

/** Sends a refusal from a timer, so it must not throw. */
async function sendInTime(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: () => Reply,
): Promise<void> {
  try {
    await send(request, response, refusal());
  } catch {
    answerAnyway(response);
  }
}

const ORDINARY: Pace = { lane: 'ordinary' };

async function replyTo(
  options: HandlerOptions,
  ctx: RequestContext,
  match: Match<CompiledRow> | undefined,
  request: IncomingMessage,
  search: URLSearchParams,
): Promise<Reply> {
  if (!match) throw failure('NOT_FOUND');
  const compiled = match.methods.get(methodOf(request));
  if (!compiled) throw failure('METHOD_NOT_ALLOWED');
  const { row, run } = compiled;
  const contentType = acceptable(row, request);
  const query = valuesByName(search);
  refuseParameters(row, query);
  const body = await readAllowed(ctx, compiled, request);
  const rest: RestRequest = {
    path: match.path,
    query,
    headers: request.headers,
    body: bodyOf(row.body, body),
  };
  const variables = { ...row.variables(rest), ...(isExport(contentType) ? UNLIMITED : {}) };
  charge(options, ctx, variables);
  const read = async (within: RequestContext): Promise<unknown> => {
    const { data, errors } = await run(within, variables);
    refuseFailed(row, errors);
    return data?.result;
  };
  if (row.answer.kind === 'list' && isUnlimited(variables)) {
    await currentRequest()?.enter({ lane: 'background' });
    const list = await SlicedList.open(ctx, read);
    const reply = isExport(contentType)
      ? exported(options, row, row.answer, list, { contentType, requestId: ctx.requestId })
      : await inSlices(options, row, row.answer, list, ctx.requestId);
    return { ...reply, headers: headersOf(ctx, row, undefined) };
  }
  const result = await read(ctx);
  return {
    ...success(options, row, contentType, result),
    headers: headersOf(ctx, row, result),
  };
}

/** Streams an unlimited list; a list of one slice is sent like other answers. */
async function inSlices(
  options: HandlerOptions,
  row: RestRow,
  shape: ListAnswer,
  list: SlicedList,
  requestId: string,
): Promise<Omit<Reply, 'headers'>> {
  if (list.isWhole) {
    await list.end();
    return success(options, row, JSON_TYPE, list.first);
  }
  const pageOf = (result: unknown): Connection => shape.page(result as never) ?? EMPTY_PAGE;
  const slices = nodesOf(options, shape, list, requestId, shape.view);
  return {
    status: row.status,
    contentType: JSON_TYPE,
    body: {
      chunks: listEnvelopeInSlices(slices, pageOf(list.first), fieldsOf(options, shape)),
      end: () => list.end(),
    },
  };
}

/** Streams a whole list as lines. */
function exported(
  options: HandlerOptions,
  row: RestRow,
  shape: ListAnswer,
  list: SlicedList,
  { contentType, requestId }: { readonly contentType: string; readonly requestId: string },
): Omit<Reply, 'headers'> {
  const unchanged = (node: never): never => node;
  const chunks =
    contentType === CSV
      ? csvLines(nodesOf(options, shape, list, requestId, unchanged), shape.columns ?? [])
      : jsonLines(nodesOf(options, shape, list, requestId, shape.view));
  return { status: row.status, contentType, body: { chunks, end: () => list.end() } };
}

/** Reads the nodes slice by slice. It reports unexpected errors, since the answer has begun. */
async function* nodesOf<T>(
  options: HandlerOptions,
  shape: ListAnswer,
  list: SlicedList,
  requestId: string,
  view: (node: never) => T,
): AsyncGenerator<T[]> {
  try {
    for await (const result of list.results()) {
      yield (shape.page(result as never) ?? EMPTY_PAGE).nodes.map(view);
    }
  } catch (error) {
    if (!apiErrorOf(error)) options.onUnexpected(error, requestId);
    throw error;
  }
}

const fieldsOf = (options: HandlerOptions, shape: ListAnswer): string =>
  shape.resource
    ? options.filterableFields(shape.resource.name)
    : JSON.stringify(shape.fields ?? []);

/** The method of the row: HEAD uses the row of GET, without the body. */
export const methodOf = ({ method = 'GET' }: IncomingMessage): string =>
  method === 'HEAD' ? 'GET' : method;

function refuseFailed(row: RestRow, errors: readonly GraphQLError[] | undefined): void {
  const [error] = errors ?? [];
  if (error && !isMissingParent(row, error)) {
    throw apiErrorOf(error) ?? refusedVariable(error) ?? error.originalError ?? error;
  }
}

/**
 * Reads a body after the permission check, since a caller without the permission must not use
 * memory.
 */
async function readAllowed(
  ctx: RequestContext,
  { row, pace }: CompiledRow,
  request: IncomingMessage,
): Promise<unknown> {
  if (!permits(ctx.caller, row.permission)) {
    throw failure(row.forbids && permits(ctx.caller, SESSION) ? 'FORBIDDEN' : 'UNAUTHORIZED');
  }
  if (request.complete) return readBody(request, row);
  // A slow upload does not occupy a request slot.
  const limits = currentRequest();
  limits?.leave();
  const body = await readBody(request, row);
  await limits?.enter(pace);
  return body;
}

const isMissingParent = (row: RestRow, error: GraphQLError): boolean =>
  row.emptyWithoutParent === true &&
  error.path?.length === 1 &&
  apiErrorOf(error)?.code === 'NOT_FOUND';

function success(
  options: HandlerOptions,
  row: RestRow,
  contentType: string,
  result: unknown,
): Omit<Reply, 'headers'> {
  const json = (body: string): Omit<Reply, 'headers'> => ({
    status: row.status,
    contentType: JSON_TYPE,
    body,
  });
  const { answer: shape } = row;
  switch (shape.kind) {
    case 'empty':
      return json(dataEnvelope({}));
    case 'created': {
      const id = shape.id(result as never);
      const self = link(shape.self ?? `${shape.collection ?? ''}/${id}`);
      return json(dataEnvelope({ _links: { self }, id }));
    }
    case 'data':
      return json(dataEnvelope(shape.view(result as never)));
    case 'list': {
      const page = shape.page(result as never) ?? EMPTY_PAGE;
      const rows = page.nodes.map((node) => shape.view(node));
      return json(listEnvelope(rows, page, fieldsOf(options, shape)));
    }
    case 'raw':
      return {
        status: row.status,
        contentType,
        body: shape.view(result as never, contentType),
      };
  }
}

const EMPTY_PAGE: Connection = { nodes: [], pagination: { limit: 10, offset: 0, totalCount: 0 } };

function headersOf(
  ctx: RequestContext,
  { answer: shape, isPublic }: RestRow,
  result: unknown,
): Record<string, string> {
  // Caches may store it but must revalidate, so that a new release or authority is visible at once.
  const headers: Record<string, string> = isPublic ? { 'cache-control': 'no-cache' } : {};
  if (shape.kind === 'data' && isObject(result) && typeof result.revision === 'number') {
    headers.etag = `"${String(result.revision)}"`;
  }
  if (shape.kind === 'data') Object.assign(headers, shape.headers?.(result as never));
  if (shape.kind === 'raw') Object.assign(headers, shape.headers);
  return Object.assign(headers, sessionHeaders(ctx));
}

/** The end of the session, as headers of all answers and refusals. */
function sessionHeaders(ctx: RequestContext | undefined): Record<string, string> {
  if (!ctx?.caller) return {};
  const sessions = ctx.modules.apiSessions;
  return {
    'expiration-seconds': String(sessions.timeoutSeconds),
    'expires-at': sessions.expiryOf(ctx.now(), ctx.caller.apiSessionId).toISOString(),
  };
}

/** The content type of the answer, from the types of the row and the `accept` header. */
function acceptable({ answer: shape }: RestRow, { headers }: IncomingMessage): string {
  const first = shape.kind === 'raw' ? shape.contentType : JSON_TYPE;
  const accepted = (headers.accept ?? '*/*').split(',').map((a) => a.split(';')[0]?.trim() ?? '');
  const fits = (type: string): boolean =>
    accepted.some((a) => ['', '*/*', `${type.split('/')[0] ?? ''}/*`, type].includes(a));
  if (fits(first)) return first;
  const lines = shape.kind === 'list' && shape.columns ? EXPORTS.find(fits) : undefined;
  if (lines !== undefined) return lines;
  if (shape.kind !== 'raw') throw failure('NOT_ACCEPTABLE');
  // Raw documents have one form, and old clients send any `accept` header.
  return shape.alternative !== undefined && fits(shape.alternative) ? shape.alternative : first;
}

/**
 * The `WWW-Authenticate` header for a refused caller; public operations never ask for credentials.
 */
function authenticate(
  permission: Permission | undefined,
  ctx: RequestContext | undefined,
  { headers }: IncomingMessage,
): Record<string, string> {
  if (!permission || permission.need === 'nothing') return {};
  if (ctx?.caller) {
    const challenge = permits(ctx.caller, permission) ? undefined : ctx.caller.challenge;
    return challenge === undefined ? {} : { 'www-authenticate': challenge };
  }
  const session = 'zt-session realm="zt-session"';
  const bearer = 'Bearer realm="openziti-oidc"';
  const missing = 'error="missing" error_description="no matching token was provided"';
  const invalid = 'error="invalid" error_description="token is invalid"';
  if (headers['zt-session'] !== undefined) return { 'www-authenticate': `${session} ${invalid}` };
  if (headers.authorization !== undefined) return { 'www-authenticate': `${bearer} ${invalid}` };
  return { 'www-authenticate': `${session} ${missing},${bearer} ${missing}` };
}

function errorReply(
  options: HandlerOptions,
  error: unknown,
  ctx: RequestContext | undefined,
  match: Match<CompiledRow> | undefined,
  request: IncomingMessage,
): Reply {
  const requestId = ctx?.requestId ?? noteOf(request)?.requestId ?? '';
  const apiError = apiErrorOf(error);
  if (!apiError) options.onUnexpected(error, requestId);
  const shownError = apiError ?? new ApiError('UNHANDLED');
  return {
    status: shownError.status,
    contentType: JSON_TYPE,
    headers: { ...sessionHeaders(ctx), ...errorHeaders(shownError, ctx, match, request) },
    body: errorEnvelope(shownError, requestId),
  };
}

/** Headers that help a refused client, such as `retry-after`. */
function errorHeaders(
  error: ApiError,
  ctx: RequestContext | undefined,
  match: Match<CompiledRow> | undefined,
  request: IncomingMessage,
): Record<string, string> {
  const { status, challenge } = error;
  if (status === 401) {
    if (challenge !== undefined) return { 'www-authenticate': challenge };
    return authenticate(match?.methods.get(methodOf(request))?.row.permission, ctx, request);
  }
  if (status === 405 && match) return { allow: [...match.methods.keys()].join(', ') };
  const retryAfter = retryAfterOf(error);
  return retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, contentType, body }: Reply,
): Promise<void> {
  // The rest of a refused body would be read as the next request.
  const unread = !request.readableEnded && Number(request.headers['content-length'] ?? 0) > 0;
  const chunked = !request.readableEnded && request.headers['transfer-encoding'] !== undefined;
  response.writeHead(status, {
    ...headers,
    ...(unread || chunked ? { connection: 'close' } : {}),
    'content-type': contentType,
    ...(isAtOnce(body) ? { 'content-length': Buffer.byteLength(body) } : {}),
  });
  const sentBody = request.method === 'HEAD' ? '' : body;
  // A complete body is sent together with the head.
  if (isAtOnce(sentBody)) response.end(sentBody);
  // A failure now closes the connection: the status is already sent.
  else await pipeline(sentBody.chunks, response).catch(() => undefined);
  await endOf({ body });
}

async function endOf({ body }: Pick<Reply, 'body'>): Promise<void> {
  if (!isAtOnce(body)) await body.end();
}

const isAtOnce = (body: Reply['body']): body is string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body);

/** Parameters that the filter parser checks; unknown parameters are ignored. */
const FILTERS = new Set(['filter', 'sort']);

function refuseParameters(
  { parameters = [], anyText = false }: RestRow,
  query: ReadonlyMap<string, readonly string[]>,
): void {
  if (anyText) return;
  for (const { name } of parameters) {
    if (!FILTERS.has(name)) for (const text of query.get(name) ?? []) refuseUnstorable(text, name);
  }
}

function valuesByName(search: URLSearchParams): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of search) values.set(name, [...(values.get(name) ?? []), value]);
  return values;
}
