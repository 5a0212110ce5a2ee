import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { authPolicy, newPerson, PASSWORD } from '../auth/client.js';
import { MfaHolder } from '../auth/mfa-holder.js';
import { oneTimeCode, wrongCode } from '../auth/one-time-code.js';
import { claimsOf } from './login-client.js';
import { PublicConsole, tokensIn } from './public-console-client.js';

/* The requests of the console of OpenZiti 4.5, when an administrator with a second factor logs in. */

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

describe('the console of OpenZiti, for an administrator with a second factor', () => {
  const MANAGEMENT = '/edge/management/v1';

  test('asks for a code, and has a session that lasts until the logout', async () => {
    const holder = await MfaHolder.create(controller, { isAdmin: true });
    const { secret } = await holder.complete();
    const own = new PublicConsole(controller);
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
      expect([
        path,
        (await own.send('GET', `${MANAGEMENT}/${path}`, tokens.access_token)).status,
      ]).toEqual([path, 200]);
    }
    const identities = async (token: string) =>
      (await own.send('GET', `${MANAGEMENT}/identities`, token)).status;
    const refreshed = tokensIn(
      await own.token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token }),
    );
    expect(await identities(refreshed.access_token)).toBe(200);
    await own.logOut(refreshed);
    expect(await identities(refreshed.access_token)).toBe(401);
    // The console takes 400 for the end of the session.
    const late = await own.token({
      grant_type: 'refresh_token',
      refresh_token: refreshed.refresh_token,
    });
    expect(late.status).toBe(400);
  });

  test('shows a wrong password, and begins anew', async () => {
    const holder = await MfaHolder.create(controller, { isAdmin: true });
    const own = new PublicConsole(controller);
    await own.begin();
    const { username } = holder.person;
    const refused = await own.prove('username', { username, password: 'wrong password' });
    expect(refused.status).toBe(401);
    expect(refused.body.message).toEqual(expect.any(String));
    await own.begin();
    const { url } = await own.prove('username', { username, password: PASSWORD });
    expect(url.searchParams.get('code')).toMatch(/^[\w-]+$/);
  });

  test('logs in from an address of its own that an administrator allows', async () => {
    const holder = await MfaHolder.create(controller, { isAdmin: true });
    const { secret } = await holder.complete();
    const origin = 'https://console.example.com';
    await controller.rest('PATCH', '/controller-settings/global/effective', {
      oidc: { redirectUris: [`${origin}/auth/callback`] },
    });
    const own = new PublicConsole(controller, origin);
    const { access_token: token } = await own.logIn(holder, secret);
    expect((await own.send('GET', `${MANAGEMENT}/current-identity`, token)).status).toBe(200);
  });

  test('ends its session when an administrator ended it', async () => {
    const holder = await MfaHolder.create(controller, { isAdmin: true });
    const { secret } = await holder.complete();
    const own = new PublicConsole(controller);
    const { access_token: token, refresh_token: refresh } = await own.logIn(holder, secret);
    await controller.rest('DELETE', `/api-sessions/${String(claimsOf(token).z_asid)}`);
    expect((await own.send('GET', `${MANAGEMENT}/edge-routers`, token)).status).toBe(401);
    // The console logs out after 400 alone, and tries again after others.
    const renewed = await own.token({ grant_type: 'refresh_token', refresh_token: refresh });
    expect(renewed.status).toBe(400);
  });

  test('learns that a second factor is wanted and not set up', async () => {
    const secondary = { secondary: { requireTotp: true } };
    const authPolicyId = await controller.create('auth-policies', authPolicy(secondary));
    const { username } = await newPerson(controller, { isAdmin: true, authPolicyId });
    const own = new PublicConsole(controller);
    await own.begin();
    const asked = await own.prove('username', { username, password: PASSWORD });
    expect([asked.status, asked.body.authQueries]).toMatchObject([
      200,
      [{ typeId: 'TOTP', isTotpEnrolled: false }],
    ]);
  });
});
