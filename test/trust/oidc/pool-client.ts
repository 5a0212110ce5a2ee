import { createHash, randomBytes } from 'node:crypto';
import { Agent, request as httpsRequest } from 'node:https';
import { text as textOf } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { ClientCertificate } from '../auth/certificates.js';
import { claimsOf, REDIRECT, type Tokens } from './login-client.js';

/*
 * A client with a pool of controllers, which follows the Go SDK step by step: it asks the active one, and a
 * random other one when the connection fails or the answer of an interface is a fault of the server. A login
 * and a refresh are tried as a whole. It learns of controllers after each login.
 */

export interface PoolAnswer {
  readonly status: number;
  readonly location: string | undefined;
  readonly authRequestId: string | undefined;
  readonly body: { readonly data?: unknown };
}

/** The steps of a login that an answer has come for. */
export type LoginStep = 'authorize' | 'proof' | 'callback';

interface PoolClientOptions {
  /** The addresses of the client interface in its identity file. */
  readonly urls: readonly string[];
  readonly certificate?: ClientCertificate;
  readonly password?: { readonly username: string; readonly password: string };
  /** Called after each step of a login. */
  readonly onStep?: (step: LoginStep) => Promise<void>;
}

/** The answer of a controller that has another one asked. */
class ServerFault extends Error {
  constructor(readonly answer: PoolAnswer) {
    super(`${String(answer.status)} ${JSON.stringify(answer.body)}`);
  }
}

interface Sent {
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export class PoolClient {
  readonly pool: Set<string>;
  active: string;
  tokens: Tokens | undefined;
  /** The token of an older login, in place of the tokens. */
  ztSession: string | undefined;
  readonly #agent: Agent;

  constructor(private readonly options: PoolClientOptions) {
    this.pool = new Set(options.urls);
    [this.active = ''] = this.pool;
    this.#agent = new Agent({ keepAlive: true, rejectUnauthorized: false, ...options.certificate });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Logs in over OpenID Connect, and learns of the controllers. */
  async logIn(): Promise<Tokens> {
    this.tokens = await this.tryEach((url) => this.logInAt(new URL(url).origin));
    await this.learnControllers();
    return this.tokens;
  }

  /** Logs in as before OpenID Connect. */
  async logInByOlderWay(): Promise<void> {
    const { certificate, password } = this.options;
    const method = certificate ? 'cert' : 'password';
    const { body } = await this.api('POST', `/authenticate?method=${method}`, password ?? {});
    this.ztSession = (body.data as { token: string }).token;
    await this.learnControllers();
  }

  /** Exchanges the refresh token, twice as the SDK does. */
  async refresh(): Promise<Tokens> {
    const { tokens } = this;
    if (!tokens) throw new Error('no login');
    this.tokens = await this.tryEach(async (url) => {
      const { origin } = new URL(url);
      const renewed = await this.exchange(origin, tokens.refresh_token, 'refresh_token');
      const id = await this.exchange(origin, tokens.refresh_token, 'id_token');
      return { ...renewed, id_token: id.access_token };
    });
    return this.tokens;
  }

  /** A request to the interface for clients. */
  api(
    method: string,
    path: string,
    json?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PoolAnswer> {
    return this.tryEach(async (url) => {
      const answer = await this.send(method, `${url}${path}`, {
        ...(json === undefined ? {} : { json }),
        headers: { ...this.session(), ...headers },
      });
      if (answer.status >= 500) throw new ServerFault(answer);
      return answer;
    });
  }

  private session(): Record<string, string> {
    if (this.ztSession !== undefined) return { 'zt-session': this.ztSession };
    return this.tokens ? { authorization: `Bearer ${this.tokens.access_token}` } : {};
  }

  private async learnControllers(): Promise<void> {
    const { body } = await this.api('GET', '/controllers');
    const controllers = body.data as readonly ListedController[];
    if (controllers.length <= 1) return;
    for (const { apiAddresses } of controllers) {
      const addresses = apiAddresses['edge-client'] ?? [];
      for (const { url, version } of addresses) if (version === 'v1') this.pool.add(url);
    }
  }

  private async tryEach<T>(attempt: (url: string) => Promise<T>): Promise<T> {
    try {
      return await attempt(this.active);
    } catch (error) {
      if (!isOfServer(error)) throw error;
      return await this.tryOthers(attempt, error);
    }
  }

  private async tryOthers<T>(attempt: (url: string) => Promise<T>, fault: unknown): Promise<T> {
    let last = fault;
    const others = [...this.pool].filter((url) => url !== this.active);
    for (const url of others.sort(() => Math.random() - 0.5)) {
      try {
        const result = await attempt(url);
        this.active = url;
        return result;
      } catch (error) {
        last = error;
      }
    }
    throw last;
  }

  private async logInAt(origin: string): Promise<Tokens> {
    const { onStep = () => Promise.resolve(), certificate, password = {} } = this.options;
    const verifier = randomBytes(32).toString('base64url');
    const [state, nonce] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')];
    const query = new URLSearchParams({
      ...{ client_id: 'native', response_type: 'code', scope: 'openid offline_access' },
      ...{ state, nonce, redirect_uri: REDIRECT, code_challenge_method: 'S256' },
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    });
    const page = await this.follow('GET', `${origin}/oidc/authorize?${query.toString()}`);
    if (page.status !== 200 || page.authRequestId === undefined) throw unexpected(page);
    await onStep('authorize');
    const proof = `${origin}/oidc/login/${certificate ? 'cert' : 'password'}`;
    const form = { id: page.authRequestId, ...password, envOs: 'linux', sdkType: 'test' };
    const back = await this.follow('POST', proof, { form }, () => onStep('proof'));
    const answer = new URL(back.location ?? 'http://none').searchParams;
    const code = answer.get('code');
    if (code === null || answer.get('state') !== state) throw unexpected(back);
    await onStep('callback');
    const tokens = await this.tokenRequest(origin, {
      ...{ grant_type: 'authorization_code', client_id: 'native', redirect_uri: REDIRECT },
      ...{ code_verifier: verifier, code },
    });
    if (claimsOf(tokens.id_token).nonce !== nonce) throw new Error('another nonce');
    return tokens;
  }

  /** Follows redirects until one leads to the client itself. */
  private async follow(
    method: string,
    url: string,
    sent: Sent = {},
    onRedirect: () => Promise<void> = () => Promise.resolve(),
  ): Promise<PoolAnswer> {
    const answer = await this.send(method, url, sent);
    const { status, location } = answer;
    if (status !== 302 || location === undefined || location.startsWith(REDIRECT)) return answer;
    await onRedirect();
    return this.follow('GET', new URL(location, url).href, {}, onRedirect);
  }

  private exchange(origin: string, token: string, requested: string): Promise<Tokens> {
    const type = 'urn:ietf:params:oauth:token-type';
    return this.tokenRequest(
      origin,
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        ...{ subject_token: token, subject_token_type: `${type}:refresh_token` },
        ...{ requested_token_type: `${type}:${requested}`, actor_token: '', scope: '' },
      },
      { authorization: `Basic ${Buffer.from('native:').toString('base64')}` },
    );
  }

  private async tokenRequest(
    origin: string,
    form: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Tokens> {
    const answer = await this.send('POST', `${origin}/oidc/oauth/token`, { form, headers });
    if (answer.status !== 200) throw unexpected(answer);
    return answer.body as unknown as Tokens;
  }

  private async send(
    method: string,
    url: string,
    { form, json, headers = {} }: Sent = {},
  ): Promise<PoolAnswer> {
    const given = json === undefined ? undefined : JSON.stringify(json);
    const body = form ? new URLSearchParams(form).toString() : given;
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
    const request = httpsRequest(url, {
      ...{ method, agent: this.#agent, family: 4 },
      headers: body === undefined ? headers : { ...headers, 'content-type': type },
    });
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const text = await textOf(response);
    const { location, 'auth-request-id': id } = response.headers;
    return {
      status: response.statusCode ?? 0,
      location,
      authRequestId: typeof id === 'string' ? id : undefined,
      body: (text.startsWith('{') ? JSON.parse(text) : {}) as PoolAnswer['body'],
    };
  }
}

export interface ListedController {
  readonly id: string;
  readonly isOnline: boolean;
  readonly apiAddresses: Readonly<
    Record<string, readonly { readonly url: string; readonly version: string }[]>
  >;
}

/** A fault of a connection has a code of the system. */
const isOfServer = (error: unknown): boolean =>
  error instanceof ServerFault || (error instanceof Error && 'code' in error);

const unexpected = ({ status, body }: PoolAnswer): Error =>
  new Error(`${String(status)} ${JSON.stringify(body)}`);
