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

/** A body that is sent while it is read; what it holds is given back at the end. */
interface Streamed {
  readonly chunks: AsyncIterable<string>;
  readonly end: () => Promise<void>;
}

/** What goes out: everything is decided before the first byte, but for the rows of long lists. */
interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | Streamed;
}

export interface HandlerParts {
  readonly contexts: ContextFactory;
  readonly filterableFields: (resource: string) => string;
  readonly onUnexpected: (error: unknown, requestId: string) => void;
  readonly limits?: RequestLimits;
}

/** The terms of a filter cost what they cost on the graph. */
function spend({ limits }: HandlerParts, ctx: RequestContext, { filter }: JsonObject): void {
  if (!limits || typeof filter !== 'string') return;
  const payer = limits.payer(ctx.caller?.identityId, ctx.address);
  const wait = limits.spend(payer, filterWeight(filter));
  if (wait > 0) throw tooManyRequests(wait);
}

const JSON_TYPE = 'application/json';
const UNLIMITED = { limit: -1 };

type ListAnswer = Answer & { readonly kind: 'list' };

/** Answers one request that some row may serve. Never throws. */
export async function answer(
  parts: HandlerParts,
  match: Match<CompiledRow> | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  search: URLSearchParams,
): Promise<void> {
  try {
    await answered(parts, match, request, response, search);
  } catch (error) {
    currentRequest()?.leave();
    answerAnyway(response);
    parts.onUnexpected(error, noteOf(request)?.requestId ?? '');
  }
}

async function answered(
  parts: HandlerParts,
  match: Match<CompiledRow> | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  search: URLSearchParams,
): Promise<void> {
  const limits = currentRequest();
  const reply = await decided(parts, match, request, response, search);
  // Lists are read while they are taken; of others all is known.
  if (isAtOnce(reply.body)) limits?.leave();
  // When its time was up before, that was its answer.
  if (response.headersSent) await endOf(reply);
  else await send(request, response, reply);
  limits?.leave();
}

async function decided(
  parts: HandlerParts,
  match: Match<CompiledRow> | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  search: URLSearchParams,
): Promise<Reply> {
  const limits = currentRequest();
  let ctx: RequestContext | undefined;
  const refused = (error: unknown): Reply => errorReply(parts, error, ctx, match, request);
  limits?.atWork((error) => {
    void sendInTime(request, response, () => refused(error));
  });
  try {
    const waiting = limits?.enter(match?.methods.get(methodOf(request))?.pace ?? ORDINARY);
    if (waiting) await waiting;
    ctx = await parts.contexts.create(request);
    return await replyTo(parts, ctx, match, request, search);
  } catch (error) {
    return refused(error);
  } finally {
    limits?.decided();
  }
}

/** Called by a timer, which takes no failure. */
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
  parts: HandlerParts,
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
  const query = grouped(search);
  refuseParameters(row, query);
  const body = await readAllowed(ctx, compiled, request);
  const rest: RestRequest = {
    path: match.path,
    query,
    headers: request.headers,
    body: bodyOf(row.body, body),
  };
  const variables = { ...row.variables(rest), ...(isExport(contentType) ? UNLIMITED : {}) };
  spend(parts, ctx, variables);
  const read = async (within: RequestContext): Promise<unknown> => {
    const { data, errors } = await run(within, variables);
    refuseFailed(row, errors);
    return data?.result;
  };
  if (row.answer.kind === 'list' && isUnlimited(variables)) {
    await currentRequest()?.enter({ lane: 'background' });
    const list = await SlicedList.open(ctx, read);
    const reply = isExport(contentType)
      ? exported(parts, row, row.answer, list, { contentType, requestId: ctx.requestId })
      : await inSlices(parts, row, row.answer, list, ctx.requestId);
    return { ...reply, headers: headersOf(ctx, row, undefined) };
  }
  const result = await read(ctx);
  return {
    ...success(parts, row, contentType, result),
    headers: headersOf(ctx, row, result),
  };
}

/** Short lists go out like any other answer. */
async function inSlices(
  parts: HandlerParts,
  row: RestRow,
  shape: ListAnswer,
  list: SlicedList,
  requestId: string,
): Promise<Omit<Reply, 'headers'>> {
  if (list.isWhole) {
    await list.end();
    return success(parts, row, JSON_TYPE, list.first);
  }
  const pageOf = (result: unknown): Connection => shape.page(result as never) ?? EMPTY_PAGE;
  const slices = nodesOf(parts, shape, list, requestId, shape.view);
  return {
    status: row.status,
    contentType: JSON_TYPE,
    body: {
      chunks: listEnvelopeInSlices(slices, pageOf(list.first), fieldsOf(parts, shape)),
      end: () => list.end(),
    },
  };
}

/** All of a list as lines, however long or short it is. */
function exported(
  parts: HandlerParts,
  row: RestRow,
  shape: ListAnswer,
  list: SlicedList,
  { contentType, requestId }: { readonly contentType: string; readonly requestId: string },
): Omit<Reply, 'headers'> {
  const asIs = (node: never): never => node;
  const chunks =
    contentType === CSV
      ? csvLines(nodesOf(parts, shape, list, requestId, asIs), shape.columns ?? [])
      : jsonLines(nodesOf(parts, shape, list, requestId, shape.view));
  return { status: row.status, contentType, body: { chunks, end: () => list.end() } };
}

/** Slice by slice; what breaks them off unexpectedly is reported, since no answer can tell it. */
async function* nodesOf<T>(
  parts: HandlerParts,
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
    if (!apiErrorOf(error)) parts.onUnexpected(error, requestId);
    throw error;
  }
}

const fieldsOf = (parts: HandlerParts, shape: ListAnswer): string =>
  shape.resource ? parts.filterableFields(shape.resource.name) : JSON.stringify(shape.fields ?? []);

/** What a row is declared for: the answer to HEAD is that to GET, without its body. */
export const methodOf = ({ method = 'GET' }: IncomingMessage): string =>
  method === 'HEAD' ? 'GET' : method;

function refuseFailed(row: RestRow, errors: readonly GraphQLError[] | undefined): void {
  const [error] = errors ?? [];
  if (error && !isMissingParent(row, error)) {
    throw apiErrorOf(error) ?? refusedVariable(error) ?? error.originalError ?? error;
  }
}

/** A body is read only for somebody who may send it, and refused by size for anybody. */
async function readAllowed(
  ctx: RequestContext,
  { row, pace }: CompiledRow,
  request: IncomingMessage,
): Promise<unknown> {
  if (!permits(ctx.caller, row.permission)) {
    throw failure(row.forbids && permits(ctx.caller, SESSION) ? 'FORBIDDEN' : 'UNAUTHORIZED');
  }
  if (request.complete) return readBody(request, row);
  // Who is slow to send takes no place from others.
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
  parts: HandlerParts,
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
      return json(listEnvelope(rows, page, fieldsOf(parts, shape)));
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
  // Kept, but asked for again: a new release or authority is seen at once.
  const headers: Record<string, string> = isPublic ? { 'cache-control': 'no-cache' } : {};
  if (shape.kind === 'data' && isObject(result) && typeof result.revision === 'number') {
    headers.etag = `"${String(result.revision)}"`;
  }
  if (shape.kind === 'data') Object.assign(headers, shape.headers?.(result as never));
  if (shape.kind === 'raw') Object.assign(headers, shape.headers);
  return Object.assign(headers, sessionHeaders(ctx));
}

/** When the session of the request ends; refusals tell it too. */
function sessionHeaders(ctx: RequestContext | undefined): Record<string, string> {
  if (!ctx?.caller) return {};
  const sessions = ctx.modules.apiSessions;
  return {
    'expiration-seconds': String(sessions.timeoutSeconds),
    'expires-at': sessions.expiryOf(ctx.now(), ctx.caller.apiSessionId).toISOString(),
  };
}

/** The content type of the answer, by what the row can make and the request accepts. */
function acceptable({ answer: shape }: RestRow, { headers }: IncomingMessage): string {
  const first = shape.kind === 'raw' ? shape.contentType : JSON_TYPE;
  const accepted = (headers.accept ?? '*/*').split(',').map((a) => a.split(';')[0]?.trim() ?? '');
  const fits = (type: string): boolean =>
    accepted.some((a) => ['', '*/*', `${type.split('/')[0] ?? ''}/*`, type].includes(a));
  if (fits(first)) return first;
  const lines = shape.kind === 'list' && shape.columns ? EXPORTS.find(fits) : undefined;
  if (lines !== undefined) return lines;
  if (shape.kind !== 'raw') throw failure('NOT_ACCEPTABLE');
  // Raw documents have one form anyway; clients of old send whatever.
  return shape.alternative !== undefined && fits(shape.alternative) ? shape.alternative : first;
}

/** Only for those who could do better: operations that are open to all never ask for credentials. */
function authenticate(
  permission: Permission | undefined,
  ctx: RequestContext | undefined,
  { headers }: IncomingMessage,
): Record<string, string> {
  if (!permission || permission.need === 'nothing') return {};
  if (ctx?.caller) {
    const asked = permits(ctx.caller, permission) ? undefined : ctx.caller.challenge;
    return asked === undefined ? {} : { 'www-authenticate': asked };
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
  parts: HandlerParts,
  error: unknown,
  ctx: RequestContext | undefined,
  match: Match<CompiledRow> | undefined,
  request: IncomingMessage,
): Reply {
  const requestId = ctx?.requestId ?? noteOf(request)?.requestId ?? '';
  const known = apiErrorOf(error);
  if (!known) parts.onUnexpected(error, requestId);
  const shown = known ?? new ApiError('UNHANDLED');
  return {
    status: shown.status,
    contentType: JSON_TYPE,
    headers: { ...sessionHeaders(ctx), ...errorHeaders(shown, ctx, match, request) },
    body: errorEnvelope(shown, requestId),
  };
}

/** What a refused client can do about it. */
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
  // What is left of a body that was refused would be read as the next request.
  const unread = !request.readableEnded && Number(request.headers['content-length'] ?? 0) > 0;
  const chunked = !request.readableEnded && request.headers['transfer-encoding'] !== undefined;
  response.writeHead(status, {
    ...headers,
    ...(unread || chunked ? { connection: 'close' } : {}),
    'content-type': contentType,
    ...(isAtOnce(body) ? { 'content-length': Buffer.byteLength(body) } : {}),
  });
  const wanted = request.method === 'HEAD' ? '' : body;
  // Text leaves in one piece with the head, bytes would be a second write.
  if (isAtOnce(wanted)) response.end(wanted);
  // What fails now breaks the connection off: a status was sent, and half a list is none.
  else await pipeline(wanted.chunks, response).catch(() => undefined);
  await endOf({ body });
}

async function endOf({ body }: Pick<Reply, 'body'>): Promise<void> {
  if (!isAtOnce(body)) await body.end();
}

const isAtOnce = (body: Reply['body']): body is string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body);

/** Those in the language of filters are judged by its parser; unknown ones are not looked at. */
const LANGUAGE = new Set(['filter', 'sort']);

function refuseParameters(
  { parameters = [], anyText = false }: RestRow,
  query: ReadonlyMap<string, readonly string[]>,
): void {
  if (anyText) return;
  for (const { name } of parameters) {
    if (!LANGUAGE.has(name)) for (const text of query.get(name) ?? []) refuseUnstorable(text, name);
  }
}

function grouped(search: URLSearchParams): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of search) values.set(name, [...(values.get(name) ?? []), value]);
  return values;
}
