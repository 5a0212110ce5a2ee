import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest, type Agent } from 'node:https';
import { text as textOf } from 'node:stream/consumers';

/* A login over OpenID Connect, with the requests of clients without a browser. */

const REDIRECT = 'http://localhost:8080/auth/callback';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** An answer that ends a login. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    /** Seconds; undefined if the answer does not say when to come again. */
    readonly retryAfter: number | undefined,
    text: string,
  ) {
    super(`${String(status)} ${text}`);
  }
}

export interface OidcTokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

interface Asked {
  readonly origin: string;
  readonly agent: Agent;
}

/** The requests of a login; the floor sends as many. */
export const LOGIN_REQUESTS = 4;

/** Logs in with one proof, e.g. `password` with its members. */
export async function logInOverOidc(
  asked: Asked,
  method: 'password' | 'cert',
  proof: Readonly<Record<string, string>> = {},
): Promise<OidcTokens> {
  const verifier = randomBytes(32).toString('base64url');
  const page = await redirectOf(asked, 'GET', `/oidc/authorize?${authorization(verifier, method)}`);
  const id = page.searchParams.get('authRequestID') ?? '';
  const callback = await redirectOf(asked, 'POST', `/oidc/login/${method}`, { id, ...proof });
  const back = await redirectOf(asked, 'GET', callback.pathname + callback.search);
  const code = back.searchParams.get('code') ?? '';
  const grant = { grant_type: 'authorization_code', redirect_uri: REDIRECT };
  return tokensOf(asked, { ...grant, code, code_verifier: verifier });
}

export const refreshOverOidc = (asked: Asked, token: string): Promise<OidcTokens> =>
  tokensOf(asked, { grant_type: 'refresh_token', refresh_token: token });

const authorization = (verifier: string, method: string): string =>
  new URLSearchParams({
    ...{ client_id: 'native', response_type: 'code', scope: 'openid offline_access', method },
    ...{ redirect_uri: REDIRECT, state: 'state', code_challenge_method: 'S256' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  }).toString();

async function tokensOf(asked: Asked, form: Readonly<Record<string, string>>): Promise<OidcTokens> {
  const all = { client_id: 'native', ...form };
  const { status, text, retryAfter } = await send(asked, 'POST', '/oidc/oauth/token', all);
  if (status !== 200) throw new Refusal(status, retryAfter, text);
  return JSON.parse(text) as OidcTokens;
}

async function redirectOf(
  asked: Asked,
  method: string,
  path: string,
  form?: Readonly<Record<string, string>>,
): Promise<URL> {
  const { status, location, text, retryAfter } = await send(asked, method, path, form);
  if (location === undefined) throw new Refusal(status, retryAfter, text);
  return new URL(location, asked.origin);
}

interface Received {
  readonly status: number;
  readonly location: string | undefined;
  readonly retryAfter: number | undefined;
  readonly text: string;
}

async function send(
  { origin, agent }: Asked,
  method: string,
  path: string,
  form?: Readonly<Record<string, string>>,
): Promise<Received> {
  const { port } = new URL(origin);
  // By a name that the certificate of the controller has.
  const host = `localhost:${port}`;
  const body = form && new URLSearchParams(form).toString();
  const headers = { host, ...(body === undefined ? {} : FORM) };
  const request = httpsRequest(`${origin}${path}`, { method, agent, headers });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const { location, 'retry-after': wait } = response.headers;
  return {
    status: response.statusCode ?? 0,
    location,
    retryAfter: wait === undefined ? undefined : Number(wait),
    text: await textOf(response),
  };
}
