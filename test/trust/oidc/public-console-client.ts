import { createHash, randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import type { TestController } from '../../support/controller.js';
import { PASSWORD } from '../auth/client.js';
import type { MfaHolder } from '../auth/mfa-holder.js';
import { oneTimeCode } from '../auth/one-time-code.js';
import { ask, type OidcAnswer, type OidcCall } from './login-client.js';

/*
 * The console of OpenZiti 4.5 in a browser: it follows the redirects, and reads the address at which it arrives.
 */

const CLIENT_ID = 'openziti';
const MAX_REDIRECTS = 20;

export interface Arrival extends OidcAnswer {
  /** Where the redirects ended. */
  readonly url: URL;
}

export interface ConsoleTokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

interface Version {
  readonly capabilities: readonly string[];
  readonly apiVersions: Readonly<Record<string, { v1?: { path?: string } }>>;
}

export const tokensIn = ({ body }: OidcAnswer): ConsoleTokens => body as unknown as ConsoleTokens;

const urlSafe = (bytes: number): string => randomBytes(bytes).toString('base64url');

/** The console in a browser, at an address of the controller or at one of its own. */
export class PublicConsole {
  readonly origin: string;
  readonly redirectUri: string;
  readonly state = urlSafe(32);
  private readonly verifier = urlSafe(48);
  private id = '';

  constructor(
    private readonly controller: Pick<TestController, 'port'>,
    own?: string,
  ) {
    this.origin = own ?? this.controllerOrigin;
    this.redirectUri = `${this.origin}/auth/callback`;
  }

  private get controllerOrigin(): string {
    return `https://localhost:${String(this.controller.port)}`;
  }

  /** As `fetch` does it: a redirect after a POST becomes a GET. */
  private async fetch(method: string, path: string, call: OidcCall = {}): Promise<Arrival> {
    let url = new URL(path, this.controllerOrigin);
    const headers = { accept: 'application/json', origin: this.origin, ...call.headers };
    let answer = await this.ask(method, url, { ...call, headers });
    for (let n = 0; n < MAX_REDIRECTS && typeof answer.headers.location === 'string'; n += 1) {
      url = new URL(answer.headers.location, url);
      // The answer of the console's own server does not matter there.
      if (url.origin !== this.controllerOrigin) break;
      answer = await this.ask('GET', url, { headers });
    }
    return { ...answer, url };
  }

  /** A page of another origin gets only answers that allow it. */
  private async ask(method: string, url: URL, call: OidcCall): Promise<OidcAnswer> {
    const answer = await ask(this.controller.port, method, url.pathname + url.search, call);
    if (this.origin !== this.controllerOrigin) {
      expect([url.pathname, answer.headers['access-control-allow-origin']]).toEqual([
        url.pathname,
        '*',
      ]);
    }
    return answer;
  }

  /** Whether the console logs in over OpenID Connect; otherwise it uses the older login. */
  async usesOpenId(): Promise<boolean> {
    const { body } = await this.fetch('GET', '/edge/client/v1/version');
    const { capabilities, apiVersions } = (body as unknown as { data: Version }).data;
    return capabilities.includes('OIDC_AUTH') && apiVersions['edge-oidc']?.v1?.path === '/oidc';
  }

  async begin(): Promise<void> {
    const query = new URLSearchParams({
      ...{ client_id: CLIENT_ID, response_type: 'code', scope: 'openid offline_access' },
      ...{ state: this.state, nonce: urlSafe(32), code_challenge_method: 'S256' },
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      redirect_uri: this.redirectUri,
    });
    const { url } = await this.fetch('GET', `/oidc/authorize?${query.toString()}`);
    this.id = url.searchParams.get('authRequestID') ?? '';
    expect(this.id).not.toBe('');
  }

  prove(page: 'username' | 'totp', fields: Readonly<Record<string, string>>): Promise<Arrival> {
    const body = new URLSearchParams({ id: this.id, ...fields }).toString();
    const type = 'application/x-www-form-urlencoded;charset=UTF-8';
    return this.fetch('POST', `/oidc/login/${page}`, { text: { type, body } });
  }

  token(fields: Readonly<Record<string, string>>): Promise<Arrival> {
    return this.fetch('POST', '/oidc/oauth/token', { form: { client_id: CLIENT_ID, ...fields } });
  }

  exchange(code: string): Promise<Arrival> {
    return this.token({
      ...{ grant_type: 'authorization_code', code },
      ...{ code_verifier: this.verifier, redirect_uri: this.redirectUri },
    });
  }

  /** A request of one of its pages; a browser asks first whether another origin may send it. */
  async send(method: string, path: string, token: string, json?: unknown): Promise<Arrival> {
    if (this.origin !== this.controllerOrigin) await this.expectAllowed(method, path);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return this.fetch(method, path, { headers, ...(json === undefined ? {} : { json }) });
  }

  private async expectAllowed(method: string, path: string): Promise<void> {
    const names = 'authorization,content-type';
    const { status, headers } = await this.fetch('OPTIONS', path, {
      headers: { 'access-control-request-method': method, 'access-control-request-headers': names },
    });
    expect(status).toBeLessThan(300);
    expect(String(headers['access-control-allow-methods'])).toContain(method);
    const allowed = String(headers['access-control-allow-headers']).toLowerCase().split(/, */);
    expect(allowed).toEqual(expect.arrayContaining(names.split(',')));
  }

  /** Logs in by password and code. */
  async logIn(holder: MfaHolder, secret: string): Promise<ConsoleTokens> {
    await this.begin();
    await this.prove('username', { username: holder.person.username, password: PASSWORD });
    const { url } = await this.prove('totp', { code: oneTimeCode(secret) });
    expect(url.searchParams.get('state')).toBe(this.state);
    return tokensIn(await this.exchange(url.searchParams.get('code') ?? ''));
  }

  async logOut({ refresh_token: token }: ConsoleTokens): Promise<void> {
    const form = { token, token_type_hint: 'refresh_token', client_id: CLIENT_ID };
    await this.fetch('POST', '/oidc/oauth/revoke', { form });
  }
}
