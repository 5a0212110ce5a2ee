import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { PASSWORD } from '../auth/client.js';
import { MfaHolder } from '../auth/mfa-holder.js';
import { oneTimeCode, wrongCode } from '../auth/one-time-code.js';
import { ask, claimsOf, type OidcAnswer, type OidcCall } from './login-client.js';

/*
 * The requests of the console of OpenZiti 4.5, served by the controller, when an administrator with a second
 * factor logs in: a browser follows the redirects, and the console reads the address at which it arrives.
 */

let controller: TestController & { dataDir: string };

beforeAll(async () => {
  controller = await startController({
    env: {
      OVERGRAPH_LOGIN_LIMIT: '0',
      OVERGRAPH_OIDC: 'announce',
      OVERGRAPH_ROUTER_CAPABILITIES: 'data-model,grouped-channels,jwt-sessions',
    },
  });
});
afterAll(() => controller.stop());

const CLIENT_ID = 'openziti';
const MAX_REDIRECTS = 20;

interface Arrival extends OidcAnswer {
  /** Where the redirects ended. */
  readonly url: URL;
}

interface ConsoleTokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

interface Version {
  readonly capabilities: readonly string[];
  readonly apiVersions: Readonly<Record<string, { v1?: { path?: string } }>>;
}

const urlSafe = (bytes: number): string => randomBytes(bytes).toString('base64url');

/** The console in a browser. */
class PublicConsole {
  readonly origin = `https://localhost:${String(controller.port)}`;
  readonly redirectUri = `${this.origin}/auth/callback`;
  readonly state = urlSafe(32);
  private readonly verifier = urlSafe(48);
  private id = '';

  /** As `fetch` does it: a redirect after a POST becomes a GET. */
  private async fetch(method: string, path: string, call: OidcCall = {}): Promise<Arrival> {
    let url = new URL(path, this.origin);
    const headers = { accept: 'application/json', origin: this.origin, ...call.headers };
    let answer = await ask(controller.port, method, url.pathname + url.search, {
      ...call,
      headers,
    });
    for (let n = 0; n < MAX_REDIRECTS && typeof answer.headers.location === 'string'; n += 1) {
      url = new URL(answer.headers.location, url);
      answer = await ask(controller.port, 'GET', url.pathname + url.search, { headers });
    }
    return { ...answer, url };
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

  async read(path: string, token: string): Promise<number> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await this.fetch('GET', path, { headers })).status;
  }

  async logOut({ refresh_token: token }: ConsoleTokens): Promise<void> {
    const form = { token, token_type_hint: 'refresh_token', client_id: CLIENT_ID };
    await this.fetch('POST', '/oidc/oauth/revoke', { form });
  }
}

const tokensIn = ({ body }: OidcAnswer): ConsoleTokens => body as unknown as ConsoleTokens;

describe('the console of OpenZiti, for an administrator with a second factor', () => {
  const MANAGEMENT = '/edge/management/v1';

  test('asks for a code, and has a session that lasts until the logout', async () => {
    const holder = await MfaHolder.create(controller, { isAdmin: true });
    const { secret } = await holder.complete();
    const own = new PublicConsole();
    expect(await own.usesOpenId()).toBe(true);
    await own.begin();
    const { username } = holder.person;
    const asked = await own.prove('username', { username, password: PASSWORD });
    expect(asked.status).toBe(200);
    expect(asked.body.authQueries).toMatchObject([{ typeId: 'TOTP', isTotpEnrolled: true }]);
    // Another status would end the login: the console asks again after 400 alone.
    expect((await own.prove('totp', { code: wrongCode(secret) })).status).toBe(400);
    const { url } = await own.prove('totp', { code: oneTimeCode(secret) });
    expect(url.href.startsWith(own.redirectUri)).toBe(true);
    expect(url.searchParams.get('error')).toBeNull();
    expect(url.searchParams.get('state')).toBe(own.state);
    const tokens = tokensIn(await own.exchange(url.searchParams.get('code') ?? ''));
    expect(claimsOf(tokens.access_token)).toMatchObject({
      exp: expect.any(Number),
      amr: ['password', 'totp'],
    });
    for (const path of ['controllers', 'identities?limit=10', 'current-identity', 'summary']) {
      expect([path, await own.read(`${MANAGEMENT}/${path}`, tokens.access_token)]).toEqual([
        path,
        200,
      ]);
    }
    const refreshed = tokensIn(
      await own.token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token }),
    );
    expect(await own.read(`${MANAGEMENT}/identities`, refreshed.access_token)).toBe(200);
    await own.logOut(refreshed);
    expect(await own.read(`${MANAGEMENT}/identities`, refreshed.access_token)).toBe(401);
    // The console takes 400 for the end of the session.
    const late = await own.token({
      grant_type: 'refresh_token',
      refresh_token: refreshed.refresh_token,
    });
    expect(late.status).toBe(400);
  });

  test('shows a wrong password, and begins anew', async () => {
    const holder = await MfaHolder.create(controller, { isAdmin: true });
    const own = new PublicConsole();
    await own.begin();
    const { username } = holder.person;
    const refused = await own.prove('username', { username, password: 'wrong password' });
    expect(refused.status).toBe(401);
    expect(refused.body.message).toEqual(expect.any(String));
    await own.begin();
    const { url } = await own.prove('username', { username, password: PASSWORD });
    expect(url.searchParams.get('code')).toMatch(/^[\w-]+$/);
  });
});
