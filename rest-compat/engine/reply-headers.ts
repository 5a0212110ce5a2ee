import type { IncomingMessage } from 'node:http';
import { failure, retryAfterOf, type ApiError } from '../../src/base/errors.js';
import { isObject } from '../../src/base/row.js';
import type { Permission } from '../../src/kernel/declare/permissions.js';
import type { RequestContext } from '../../src/kernel/request/context.js';
import type { CompiledRow } from './compile.js';
import { entityTag } from './entity-tag.js';
import { EXPORTS } from './export-lines.js';
import type { Match } from './route-table.js';
import type { RestRow } from './rest-row.js';

/** The headers of answers and refusals. */

export const JSON_TYPE = 'application/json';
const ANY_TYPE = '*/*';

/** The method of the row: HEAD uses the row of GET, without the body. */
export const methodOf = ({ method = 'GET' }: IncomingMessage): string =>
  method === 'HEAD' ? 'GET' : method;

export function headersOf(
  ctx: RequestContext,
  { answer: shape, isPublic }: RestRow,
  result: unknown,
): Record<string, string> {
  // Caches may store it but must revalidate, so that a new release or authority is visible at once.
  const headers: Record<string, string> = isPublic ? { 'cache-control': 'no-cache' } : {};
  if (shape.kind === 'data' && isObject(result)) {
    const { id, revision } = result;
    if (typeof id === 'string' && typeof revision === 'number') {
      headers.etag = entityTag({ id, revision });
    }
  }
  if (shape.kind === 'data') Object.assign(headers, shape.headers?.(result as never));
  if (shape.kind === 'raw') Object.assign(headers, shape.headers);
  return Object.assign(headers, sessionHeaders(ctx));
}

/** The end of the session, as headers of all answers and refusals. */
export function sessionHeaders(ctx: RequestContext | undefined): Record<string, string> {
  if (!ctx?.caller) return {};
  const sessions = ctx.modules.apiSessions;
  return {
    'expiration-seconds': String(sessions.secondsLeft(ctx.caller)),
    'expires-at': sessions.endOf(ctx.caller).toISOString(),
  };
}

/** The content type of the answer, from the types of the row and the `accept` header. */
export function acceptable({ answer: shape }: RestRow, { headers }: IncomingMessage): string {
  const first = shape.kind === 'raw' ? shape.contentType : JSON_TYPE;
  const { accept = ANY_TYPE } = headers;
  // Nearly all clients send one of these two.
  return accept === ANY_TYPE || accept === first ? first : chosenType(shape, first, accept);
}

function chosenType(shape: RestRow['answer'], first: string, accept: string): string {
  const accepted = accept.split(',').map((a) => a.split(';')[0]?.trim() ?? '');
  const fits = (type: string): boolean =>
    accepted.some((a) => ['', ANY_TYPE, `${type.split('/')[0] ?? ''}/*`, type].includes(a));
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
  if (ctx?.caller) return {};
  const session = 'zt-session realm="zt-session"';
  const bearer = 'Bearer realm="openziti-oidc"';
  const missing = 'error="missing" error_description="no matching token was provided"';
  const invalid = 'error="invalid" error_description="token is invalid"';
  if (ctx?.credentials.refusedToken === 'expired') {
    return { 'www-authenticate': `${bearer} error="expired" error_description="token expired"` };
  }
  if (headers['zt-session'] !== undefined) return { 'www-authenticate': `${session} ${invalid}` };
  if (headers.authorization !== undefined) return { 'www-authenticate': `${bearer} ${invalid}` };
  return { 'www-authenticate': `${session} ${missing},${bearer} ${missing}` };
}

/** Headers that help a refused client, such as `retry-after`. */
export function errorHeaders(
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
