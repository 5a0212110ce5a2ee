import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBytes } from '../../../rest-compat/engine/read-body.js';
import { openDirectory } from '../../access/directories/index.js';
import { ApiError, failure, retryAfterOf } from '../../base/errors.js';
import { parseJson } from '../../base/json-text.js';
import { answerAnyway } from '../../base/last-resort.js';
import { isObject, type JsonObject } from '../../base/row.js';
import { isStorableText } from '../../base/storable.js';
import { apiErrorOf, type ContextFactory } from '../../graph/index.js';
import type { DirectoryRow } from '../../data/rows/directory/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { limitOf, type RequestLimits } from '../../requests/limits/index.js';
import { describeRequest, noteOf } from '../../requests/observability/index.js';
import type { DirectoryReply, DirectoryRoute } from './directory-request.js';

/** An interface for the systems that directories belong to. */
export interface DirectoryInterface {
  /** Its name in logs and metrics. */
  readonly door: 'scim' | 'devices';
  /** The first segment of its paths, with its slash. */
  readonly path: string;
  readonly version: string;
  /** The kind of the directories whose tokens open it. */
  readonly kind: DirectoryRow['kind'];
  readonly routes: readonly DirectoryRoute[];
  readonly contentType: string;
  readonly refusalBody: (error: ApiError, requestId: string) => JsonObject;
  /** The refusal of an error that only this interface knows. */
  readonly ownRefusal?: (error: unknown) => DirectoryReply | undefined;
}

export interface DirectoryDoorOptions {
  readonly contexts: ContextFactory;
  readonly limits: RequestLimits;
  readonly onUnexpected: (error: unknown, requestId: string) => void;
}

/** Serves an interface of directories. The tokens of directories of its kind open this door, and nothing else does. */
export class DirectoryDoor {
  /** The address of the interface; the version of the protocol is part of it (RFC 7644 3.13). */
  readonly #root: string;

  constructor(
    private readonly options: DirectoryDoorOptions,
    private readonly face: DirectoryInterface,
  ) {
    this.#root = `${face.path}/${face.version}`;
  }

  /** Whether a request is one to this door. */
  serves({ url = '/' }: IncomingMessage): boolean {
    const { path } = this.face;
    const next = url[path.length];
    return url.startsWith(path) && (next === undefined || next === '/' || next === '?');
  }

  /** Answers a request. Never throws. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const reply = await this.replyTo(request);
      if (!response.headersSent) send(response, reply, this.face.contentType);
    } catch (error) {
      answerAnyway(response);
      this.options.onUnexpected(error, noteOf(request)?.requestId ?? '');
    }
  }

  private async replyTo(request: IncomingMessage): Promise<DirectoryReply> {
    const limit = limitOf(request);
    try {
      const work = this.work(request);
      return await (limit ? limit.run(work) : work);
    } catch (error) {
      return this.refusalOf(request, error);
    }
  }

  /** The token comes before the body: a stranger must not use memory. */
  private async work(request: IncomingMessage): Promise<DirectoryReply> {
    const limit = limitOf(request);
    const { door, kind } = this.face;
    describeRequest(request, { door, route: this.#root });
    await limit?.enter({ lane: 'ordinary' });
    const scope = await openDirectory(this.contextOf(request), bearerOf(request), kind);
    const { pathname, query } = this.addressOf(request);
    const { route, id } = this.matchOf(request.method ?? 'GET', pathname);
    describeRequest(request, { route: this.#root + route.path, operation: route.path });
    const body = await this.bodyOf(request, route);
    const base = `https://${request.headers.host ?? ''}${this.#root}`;
    return route.serve({ scope, id, query, body, base });
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

  private async bodyOf(request: IncomingMessage, { method }: DirectoryRoute): Promise<JsonObject> {
    if (method === 'GET' || method === 'DELETE') return {};
    const limit = limitOf(request);
    // A slow upload does not occupy a request slot.
    limit?.leave();
    const bytes = await readBytes(request, this.options.limits);
    await limit?.enter({ lane: 'ordinary' });
    const body = parseJson(bytes.toString('utf8'));
    if (!isObject(body)) throw failure('COULD_NOT_PARSE_BODY', 'the body must be an object');
    return body;
  }

  private refusalOf(request: IncomingMessage, error: unknown): DirectoryReply {
    const own = this.face.ownRefusal?.(error);
    if (own) return own;
    const requestId = noteOf(request)?.requestId ?? '';
    const expected = apiErrorOf(error);
    if (!expected) this.options.onUnexpected(error, requestId);
    const apiError = expected ?? new ApiError('UNHANDLED');
    const body = this.face.refusalBody(apiError, requestId);
    return { status: apiError.status, headers: headersOf(apiError), body };
  }

  private addressOf({ url = '/' }: IncomingMessage): Address {
    const at = url.indexOf('?');
    const path = at === -1 ? url : url.slice(0, at);
    const query = new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
    if (!path.startsWith(`${this.#root}/`)) throw failure('NOT_FOUND');
    return { pathname: path.slice(this.#root.length).replace(/\/$/, ''), query };
  }

  /** @throws ApiError NOT_FOUND or METHOD_NOT_ALLOWED */
  private matchOf(method: string, pathname: string): Match {
    const [, collection = '', id, ...rest] = pathname.split('/');
    const path = id === undefined ? `/${collection}` : `/${collection}/{id}`;
    const routes = rest.length > 0 ? [] : this.face.routes.filter((one) => one.path === path);
    if (routes.length === 0) throw failure('NOT_FOUND');
    const route = routes.find((one) => one.method === method);
    if (!route) throw failure('METHOD_NOT_ALLOWED');
    return { route, id: decodedId(id ?? '') };
  }
}

interface Address {
  /** Below the interface. */
  readonly pathname: string;
  readonly query: URLSearchParams;
}

interface Match {
  readonly route: DirectoryRoute;
  readonly id: string;
}

function headersOf(error: ApiError): Record<string, string> {
  const seconds = retryAfterOf(error);
  return {
    ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
    ...(error.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  };
}

function bearerOf({ headers: { authorization = '' } }: IncomingMessage): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1];
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

function send(
  response: ServerResponse,
  { status, headers = {}, body }: DirectoryReply,
  contentType: string,
): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    ...(body === undefined ? {} : { 'content-type': contentType }),
    ...(status === 204 ? {} : { 'content-length': Buffer.byteLength(text) }),
  });
  response.end(text);
}
