import { createHash, randomBytes } from 'node:crypto';
import { Agent, request as httpsRequest } from 'node:https';
import type { TestController } from '../../support/controller.js';
import type { ClientCertificate } from '../auth/certificates.js';

/* A client of the provider, as the SDKs and tunnelers of the field follow its steps. */

export interface OidcAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed body; undefined when it is no JSON. */
  readonly body: Readonly<Record<string, never>>;
}

export interface OidcCall {
  readonly form?: Readonly<Record<string, string | readonly string[]>>;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly certificate?: ClientCertificate | undefined;
  /** Instead of the form or the JSON. */
  readonly text?: { readonly type: string; readonly body: string };
  /** Instead of a connection of its own. */
  readonly agent?: Agent;
}

/** The tokens of a login. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  readonly expires_in: number;
  readonly token_type: string;
  readonly scope: string;
  /** A certificate of the session with its chain, if the client asked for one. */
  readonly session_cert?: string;
}

export const REDIRECT = 'http://localhost:8080/auth/callback';

const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url');

const newVerifier = (): string => randomBytes(32).toString('base64url');

function bodyOf({ form, json, text }: OidcCall): { type: string; body: string } | undefined {
  if (text) return text;
  if (json !== undefined) return { type: 'application/json', body: JSON.stringify(json) };
  if (!form) return undefined;
  const fields = Object.entries(form).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((each): [string, string] => [name, each]),
  );
  const body = new URLSearchParams(fields).toString();
  return { type: 'application/x-www-form-urlencoded', body };
}

/** One request, usually on a connection of its own; redirects are not followed. */
export function ask(
  port: number,
  method: string,
  path: string,
  call: OidcCall = {},
): Promise<OidcAnswer> {
  const sent = bodyOf(call);
  const agent =
    call.agent ??
    new Agent({ rejectUnauthorized: false, maxCachedSessions: 0, ...call.certificate });
  const headers = {
    host: `localhost:${String(port)}`,
    ...(sent
      ? { 'content-type': sent.type, 'content-length': String(Buffer.byteLength(sent.body)) }
      : {}),
    ...call.headers,
  };
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      method,
      path,
      agent,
      headers,
    };
    const request = httpsRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (!call.agent) agent.destroy();
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: parsed(text) as OidcAnswer['body'],
        });
      });
    });
    request.on('error', reject);
    request.end(sent?.body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The path and the query of a `Location`, whether it is relative or not. */
export function pathIn(answer: OidcAnswer): string {
  const { location } = answer.headers;
  if (typeof location !== 'string')
    throw new Error(`no redirect: ${String(answer.status)} ${answer.text}`);
  const { pathname, search } = new URL(location, 'https://localhost');
  return pathname + search;
}

export const locationOf = (answer: OidcAnswer): URL => {
  const { location } = answer.headers;
  if (typeof location !== 'string')
    throw new Error(`no redirect: ${String(answer.status)} ${answer.text}`);
  return new URL(location);
};

export interface LoginClientOptions {
  readonly clientId?: string;
  readonly certificate?: ClientCertificate;
  readonly redirect?: string;
  readonly bearers?: readonly string[];
}

/** A client that logs in. */
export class LoginClient {
  readonly verifier = newVerifier();
  readonly clientId: string;
  readonly redirect: string;
  /** The id of its authorization request. */
  id = '';

  constructor(
    private readonly controller: Pick<TestController, 'port'>,
    private readonly options: LoginClientOptions = {},
  ) {
    this.clientId = options.clientId ?? 'native';
    this.redirect = options.redirect ?? REDIRECT;
  }

  ask(method: string, path: string, call: OidcCall = {}): Promise<OidcAnswer> {
    const { certificate, bearers = [] } = this.options;
    const authorization = bearers.map((token) => `Bearer ${token}`);
    return ask(this.controller.port, method, path, {
      certificate,
      ...call,
      headers: { ...(bearers.length > 0 ? { authorization } : {}), ...call.headers },
    });
  }

  /** The parameters of its authorization request. */
  parameters(change: Readonly<Record<string, string>> = {}): URLSearchParams {
    return new URLSearchParams({
      client_id: this.clientId,
      response_type: 'code',
      scope: 'openid offline_access',
      state: 'its state',
      nonce: 'its nonce',
      code_challenge: challengeOf(this.verifier),
      code_challenge_method: 'S256',
      redirect_uri: this.redirect,
      ...change,
    });
  }

  authorize(change: Readonly<Record<string, string>> = {}): Promise<OidcAnswer> {
    return this.ask('GET', `/oidc/authorize?${this.parameters(change).toString()}`);
  }

  /** Begins a login, and gives the id of the authorization request. */
  async begin(change: Readonly<Record<string, string>> = {}): Promise<string> {
    const answer = await this.authorize(change);
    this.id = new URL(pathIn(answer), 'https://x').searchParams.get('authRequestID') ?? '';
    return this.id;
  }

  password(username: string, password: string): Promise<OidcAnswer> {
    return this.ask('POST', '/oidc/login/password', { form: { id: this.id, username, password } });
  }

  /** Follows the answer to the last proof to the code. */
  async code(answer: OidcAnswer): Promise<string> {
    const back = locationOf(await this.ask('GET', pathIn(answer)));
    return back.searchParams.get('code') ?? '';
  }

  exchange(code: string, change: Readonly<Record<string, string>> = {}): Promise<OidcAnswer> {
    return this.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.redirect,
      code_verifier: this.verifier,
      ...change,
    });
  }

  refresh(token: string, change: Readonly<Record<string, string>> = {}): Promise<OidcAnswer> {
    return this.token({ grant_type: 'refresh_token', refresh_token: token, ...change });
  }

  token(form: Readonly<Record<string, string>>): Promise<OidcAnswer> {
    return this.ask('POST', '/oidc/oauth/token', { form: { client_id: this.clientId, ...form } });
  }

  /** A whole login after its last proof. */
  async tokens(answer: OidcAnswer): Promise<Tokens> {
    const issued = await this.exchange(await this.code(answer));
    if (issued.status !== 200) throw new Error(`no tokens: ${issued.text}`);
    return issued.body as unknown as Tokens;
  }

  async logInByPassword(username: string, password: string): Promise<Tokens> {
    await this.begin();
    return this.tokens(await this.password(username, password));
  }
}

/** The claims of a token, unverified. */
export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >;
