import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import { apiErrorOf, filterWeight, type ContextFactory } from '../../src/graph/index.js';
import type { RequestContext } from '../../src/kernel/request/context.js';
import { announcesBody } from '../../src/base/announced-body.js';
import { ApiError, failure, tooManyRequests } from '../../src/base/errors.js';
import { answerAnyway } from '../../src/base/last-resort.js';
import { merged } from '../../src/base/merged.js';
import type { Pace } from '../../src/kernel/graph/pace.js';
import { permits, SESSION, unauthorized } from '../../src/kernel/declare/permissions.js';
import type { JsonObject } from '../../src/base/row.js';
import { refuseUnstorable } from '../../src/base/storable.js';
import { limitOf, type RequestLimits } from '../../src/requests/limits/index.js';
import { noteOf } from '../../src/requests/observability/index.js';

import { bodyOf, type CompiledRow } from './compile.js';
import { isExport } from './export-lines.js';
import { errorEnvelope } from './envelope.js';
import { readBody } from './read-body.js';
import {
  acceptable,
  errorHeaders,
  headersOf,
  JSON_TYPE,
  methodOf,
  sessionHeaders,
} from './reply-headers.js';
import {
  columnsFor,
  endOf,
  exported,
  inSlices,
  isAtOnce,
  send,
  success,
  type Reply,
  type ReplyOptions,
} from './reply.js';
import type { Match } from './route-table.js';
import type { RestRequest, RestRow } from './rest-row.js';
import { isUnlimited, SlicedList } from './sliced-list.js';

export interface HandlerOptions extends ReplyOptions {
  readonly contexts: ContextFactory;
  readonly limits?: RequestLimits;
}

/** Charges the terms of a filter, as on the graph. */
function charge({ limits }: HandlerOptions, ctx: RequestContext, { filter }: JsonObject): void {
  if (!limits || typeof filter !== 'string') return;
  const payer = limits.payer(ctx.caller?.identityId, ctx.address);
  const wait = limits.spend(payer, filterWeight(filter));
  if (wait > 0) throw tooManyRequests(wait);
}

const UNLIMITED = { limit: -1 };

/** Answers one request, whose URL has `search` after its `?`. Never throws. */
export async function answer(
  options: HandlerOptions,
  match: Match<CompiledRow> | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  search: string,
): Promise<void> {
  const limit = limitOf(request);
  try {
    const reply = await decideReply(options, match, request, response, search);
    // A streamed list is still being read and keeps its slot.
    if (isAtOnce(reply.body)) limit?.leave();
    // The timeout may have been answered already.
    const ending = response.headersSent ? endOf(reply) : send(request, response, reply);
    if (ending) await ending;
    limit?.leave();
  } catch (error) {
    limit?.leave();
    answerAnyway(response);
    options.onUnexpected(error, noteOf(request)?.requestId ?? '');
  }
}

async function decideReply(
  options: HandlerOptions,
  match: Match<CompiledRow> | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  search: string,
): Promise<Reply> {
  const limit = limitOf(request);
  let ctx: RequestContext | undefined;
  const errorReplyOf = (error: unknown): Reply => errorReply(options, error, ctx, match, request);
  limit?.atWork((error) => {
    void sendInTime(request, response, () => errorReplyOf(error));
  });
  try {
    const waiting = limit?.enter(match?.methods.get(methodOf(request))?.pace ?? ORDINARY);
    if (waiting) await waiting;
    ctx = await options.contexts.create(request);
    return await replyTo(options, ctx, match, request, search);
  } catch (error) {
    return errorReplyOf(error);
  } finally {
    limit?.decided();
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
  search: string,
): Promise<Reply> {
  if (!match) throw failure('NOT_FOUND');
  const compiled = match.methods.get(methodOf(request));
  if (!compiled) throw failure('METHOD_NOT_ALLOWED');
  const { row, run } = compiled;
  const contentType = acceptable(row, request);
  const query = valuesByName(search);
  refuseParameters(row, query);
  requirePermission(ctx, row);
  const body = announcesBody(request) ? await readSentBody(options, compiled, request) : undefined;
  const rest: RestRequest = {
    path: match.path,
    query,
    headers: request.headers,
    body: bodyOf(row.body, body),
  };
  const asked = row.variables(rest);
  const variables = isExport(contentType) ? { ...asked, ...UNLIMITED } : asked;
  charge(options, ctx, variables);
  const read = async (within: RequestContext): Promise<unknown> => {
    const { data, errors } = await run(within, variables);
    refuseFailed(compiled, variables, errors);
    return data?.result;
  };
  if (row.answer.kind === 'list' && isUnlimited(variables)) {
    await limitOf(request)?.enter({ lane: 'background' });
    const list = await SlicedList.open(ctx, read);
    const reply = isExport(contentType)
      ? exported(options, row, columnsFor(row.answer, variables), list, {
          contentType,
          requestId: ctx.requestId,
        })
      : await inSlices(options, row, row.answer, list, ctx.requestId);
    return { ...reply, headers: headersOf(ctx, row, undefined) };
  }
  const result = await read(ctx);
  const headers = headersOf(ctx, row, result);
  return merged(success(options, row, contentType, result), { headers });
}

function refuseFailed(
  { row, faultOf }: CompiledRow,
  variables: JsonObject,
  errors: readonly GraphQLError[] | undefined,
): void {
  const [error] = errors ?? [];
  if (!error || isMissingParent(row, error)) return;
  // An error without a path comes from before the execution: values of variables were refused.
  const refused = error.path ? undefined : faultOf(variables);
  throw apiErrorOf(error) ?? refused ?? error.originalError ?? error;
}

/** Checked before the body is read: a caller without the permission must not use memory. */
function requirePermission(ctx: RequestContext, { permission, forbids }: RestRow): void {
  if (permits(ctx.caller, permission)) return;
  throw forbids && permits(ctx.caller, SESSION) ? failure('FORBIDDEN') : unauthorized(ctx.caller);
}

async function readSentBody(
  { limits }: HandlerOptions,
  { row, pace }: CompiledRow,
  request: IncomingMessage,
): Promise<unknown> {
  if (request.complete) return readBody(request, row, limits);
  // A slow upload does not occupy a request slot.
  const limit = limitOf(request);
  limit?.leave();
  const body = await readBody(request, row, limits);
  await limit?.enter(pace);
  return body;
}

const isMissingParent = (row: RestRow, error: GraphQLError): boolean =>
  row.emptyWithoutParent === true &&
  error.path?.length === 1 &&
  apiErrorOf(error)?.code === 'NOT_FOUND';

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

const NO_VALUES: ReadonlyMap<string, readonly string[]> = new Map();

function valuesByName(search: string): ReadonlyMap<string, readonly string[]> {
  if (search === '') return NO_VALUES;
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(search)) {
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return values;
}
