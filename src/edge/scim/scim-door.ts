import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBytes } from '../../../rest-compat/engine/read-body.js';
import { openDirectory, ScimError } from '../../access/directories/index.js';
import { ApiError, failure } from '../../base/errors.js';
import { parseJson } from '../../base/json-text.js';
import { answerAnyway } from '../../base/last-resort.js';
import { isObject, type JsonObject } from '../../base/row.js';
import { isStorableText } from '../../base/storable.js';
import { apiErrorOf, type ContextFactory } from '../../graph/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { limitOf, type RequestLimits } from '../../requests/limits/index.js';
import { describeRequest, noteOf } from '../../requests/observability/index.js';
import { GROUP_ROWS } from './group-rows.js';
import { refusal, SCIM_TYPE, type ScimReply } from './scim-reply.js';
import type { ScimRow } from './scim-request.js';
import { DISCOVERY_ROWS } from './discovery-rows.js';
import { USER_ROWS } from './user-rows.js';

export const SCIM_PATH = '/scim';

/** The address of the interface; the version of the protocol is part of it (RFC 7644 3.13). */
const ROOT = `${SCIM_PATH}/v2`;

const ROWS: readonly ScimRow[] = [...DISCOVERY_ROWS, ...USER_ROWS, ...GROUP_ROWS];

export interface ScimDoorOptions {
  readonly contexts: ContextFactory;
  readonly limits: RequestLimits;
  readonly onUnexpected: (error: unknown, requestId: string) => void;
}

/** Serves the providers of directories over SCIM 2.0. The token of a directory opens this door, and nothing else does. */
export class ScimDoor {
  constructor(private readonly options: ScimDoorOptions) {}

  /** Whether a request is one to this door. */
  static serves({ url = '/' }: IncomingMessage): boolean {
    const next = url[SCIM_PATH.length];
    return url.startsWith(SCIM_PATH) && (next === undefined || next === '/' || next === '?');
  }

  /** Answers a request. Never throws. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const reply = await this.replyTo(request);
      if (!response.headersSent) send(response, reply);
    } catch (error) {
      answerAnyway(response);
      this.options.onUnexpected(error, noteOf(request)?.requestId ?? '');
    }
  }

  private async replyTo(request: IncomingMessage): Promise<ScimReply> {
    const limit = limitOf(request);
    try {
      const work = this.work(request);
      return await (limit ? limit.run(work) : work);
    } catch (error) {
      return this.refusalOf(request, error);
    }
  }

  /** The token comes before the body: a stranger must not use memory. */
  private async work(request: IncomingMessage): Promise<ScimReply> {
    const limit = limitOf(request);
    describeRequest(request, { door: 'scim', route: ROOT });
    await limit?.enter({ lane: 'ordinary' });
    const scope = await openDirectory(this.contextOf(request), bearerOf(request));
    const { pathname, query } = addressOf(request);
    const { row, id } = matchOf(request.method ?? 'GET', pathname);
    describeRequest(request, { route: ROOT + row.path, operation: row.path });
    const body = await this.bodyOf(request, row);
    return row.serve({ scope, id, query, body, base: baseOf(request) });
  }

  private contextOf(request: IncomingMessage): RequestContext {
    const { contexts } = this.options;
    const limit = limitOf(request);
    const requestId = noteOf(request)?.requestId;
    const { store } = contexts.make('', undefined);
    return contexts.make(request.socket.remoteAddress ?? '', undefined, {
      ...(requestId === undefined ? {} : { requestId }),
      ...(limit ? { scope: limit, store: store.within(limit) } : {}),
    });
  }

  private async bodyOf(request: IncomingMessage, { method }: ScimRow): Promise<JsonObject> {
    if (method === 'GET' || method === 'DELETE') return {};
    const limit = limitOf(request);
    // A slow upload does not occupy a request slot.
    limit?.leave();
    const bytes = await readBytes(request, this.options.limits);
    await limit?.enter({ lane: 'ordinary' });
    const body = parseJson(bytes.toString('utf8'));
    if (!isObject(body)) throw new ScimError(400, 'invalidSyntax', 'the body must be an object');
    return body;
  }

  private refusalOf(request: IncomingMessage, error: unknown): ScimReply {
    if (error instanceof ScimError) return refusal(error);
    const apiError = apiErrorOf(error);
    if (!apiError) this.options.onUnexpected(error, noteOf(request)?.requestId ?? '');
    return refusal(apiError ?? new ApiError('UNHANDLED'));
  }
}

function bearerOf({ headers: { authorization = '' } }: IncomingMessage): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1];
}

function addressOf({ url = '/' }: IncomingMessage): {
  readonly pathname: string;
  readonly query: URLSearchParams;
} {
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  const query = new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
  if (!path.startsWith(`${ROOT}/`)) throw failure('NOT_FOUND');
  return { pathname: path.slice(ROOT.length).replace(/\/$/, ''), query };
}

/** @throws ApiError NOT_FOUND or METHOD_NOT_ALLOWED */
function matchOf(method: string, pathname: string): { readonly row: ScimRow; readonly id: string } {
  const [, collection = '', id, ...rest] = pathname.split('/');
  const path = id === undefined ? `/${collection}` : `/${collection}/{id}`;
  const rows = rest.length > 0 ? [] : ROWS.filter((row) => row.path === path);
  if (rows.length === 0) throw failure('NOT_FOUND');
  const row = rows.find((one) => one.method === method);
  if (!row) throw failure('METHOD_NOT_ALLOWED');
  return { row, id: decodedId(id ?? '') };
}

function decodedId(text: string): string {
  try {
    const id = decodeURIComponent(text);
    if (isStorableText(id)) return id;
  } catch {
    // No UTF-8.
  }
  throw failure('NOT_FOUND');
}

const baseOf = ({ headers: { host = '' } }: IncomingMessage): string => `https://${host}${ROOT}`;

function send(response: ServerResponse, { status, headers = {}, body }: ScimReply): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    ...(body === undefined ? {} : { 'content-type': SCIM_TYPE }),
    ...(status === 204 ? {} : { 'content-length': Buffer.byteLength(text) }),
  });
  response.end(text);
}
