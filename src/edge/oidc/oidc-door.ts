import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiErrorOf, type ContextFactory } from '../../graph/index.js';
import { ApiError } from '../../base/errors.js';
import { answerAnyway } from '../../base/last-resort.js';
import { readBytes } from '../../../rest-compat/engine/read-body.js';
import { limitOf, type RequestLimits } from '../../requests/limits/index.js';
import { describeRequest, noteOf } from '../../requests/observability/index.js';
import { OAuthError, OIDC_PATH, Parameters, type OidcSettings } from '../../trust/oidc/index.js';
import type { Endpoint, EndpointRequest } from './oidc-endpoint.js';
import { ENDPOINTS } from './endpoints.js';
import {
  loginRefusal,
  oauthRefusal,
  refusalHeaders,
  text,
  withHeaders,
  type OidcReply,
} from './oidc-reply.js';
import { refusedCodePage } from './device-pages.js';
import { errorPage, wantsPage } from './login-pages.js';
import { bodyOf } from './read-login.js';

export interface OidcDoorOptions {
  readonly contexts: ContextFactory;
  readonly limits: RequestLimits;
  readonly settings: OidcSettings;
  /** The issuer that a `Host` header addresses. */
  readonly issuerOf: (host: string | undefined) => string | undefined;
  readonly onUnexpected: (error: unknown, requestId: string) => void;
}

/** Serves the OpenID provider. */
export class OidcDoor {
  constructor(private readonly options: OidcDoorOptions) {}

  /** Whether a request is one to the provider. */
  static serves({ url = '/' }: IncomingMessage): boolean {
    const next = url[OIDC_PATH.length];
    return url.startsWith(OIDC_PATH) && (next === undefined || next === '/' || next === '?');
  }

  /** Answers a request. Never throws. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const reply = await this.replyTo(request);
      if (!response.headersSent) send(request, response, reply);
    } catch (error) {
      answerAnyway(response);
      this.options.onUnexpected(error, noteOf(request)?.requestId ?? '');
    }
  }

  private async replyTo(request: IncomingMessage): Promise<OidcReply> {
    const { pathname, search } = addressOf(request);
    const methods = Object.hasOwn(ENDPOINTS, pathname) ? ENDPOINTS[pathname] : undefined;
    if (!methods) return text('not found', 404);
    describeRequest(request, { door: 'oidc', route: OIDC_PATH + pathname, operation: pathname });
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET');
    const endpoint = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (!endpoint) {
      const allow = Object.keys(methods).join(', ');
      return withHeaders(text('method not allowed', 405), { allow });
    }
    const issuer = this.options.issuerOf(request.headers.host);
    if (issuer === undefined) return text('not found', 404);
    return this.runEndpoint(request, endpoint, issuer, new Parameters(new URLSearchParams(search)));
  }

  private async runEndpoint(
    request: IncomingMessage,
    endpoint: Endpoint,
    issuer: string,
    query: Parameters,
  ): Promise<OidcReply> {
    const limit = limitOf(request);
    try {
      const work = this.work(request, endpoint, issuer, query);
      return await (limit ? limit.run(work) : work);
    } catch (error) {
      return this.refusal(request, endpoint, query, error);
    }
  }

  private async work(
    request: IncomingMessage,
    endpoint: Endpoint,
    issuer: string,
    query: Parameters,
  ): Promise<OidcReply> {
    const { limits, contexts, settings } = this.options;
    const bytes = await readBytes(request, limits);
    await limitOf(request)?.enter({ lane: 'first' });
    const sent = bodyOf(bytes, request.headers['content-type']);
    const ctx = await contexts.create(request);
    const { headers } = request;
    const parameters = sent.form.before(query);
    const authorization = headers.authorization;
    const asked: EndpointRequest = {
      ctx,
      issuer,
      parameters,
      authorization,
      settings,
      query,
      sent,
      headers,
    };
    return endpoint.serve(asked);
  }

  private refusal(
    request: IncomingMessage,
    { form }: Endpoint,
    query: Parameters,
    error: unknown,
  ): OidcReply {
    const requestId = noteOf(request)?.requestId ?? '';
    if (error instanceof OAuthError) return oauthRefusal(error);
    const apiError = apiErrorOf(error);
    if (!apiError) this.options.onUnexpected(error, requestId);
    const shown = apiError ?? new ApiError('UNHANDLED');
    if (form === 'oauth') return oauthRefusal(shown);
    if (!wantsPage(request)) return loginRefusal(shown, requestId);
    const page = form === 'user code' ? refusedCodePage(shown) : errorPage(shown, query);
    return withHeaders(page, refusalHeaders(shown));
  }
}

function addressOf({ url = '/' }: IncomingMessage): { pathname: string; search: string } {
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  return { pathname: path.slice(OIDC_PATH.length), search: at === -1 ? '' : url.slice(at + 1) };
}

function send(request: IncomingMessage, response: ServerResponse, reply: OidcReply): void {
  const { status, headers = {}, body = '' } = reply;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(request.method === 'HEAD' ? '' : body);
}
