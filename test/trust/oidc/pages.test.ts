import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADMIN_PASSWORD, startController, type TestController } from '../../support/controller.js';
import { authPolicy, newPerson, PASSWORD } from '../auth/client.js';
import { oneTimeCode, wrongCode } from '../auth/one-time-code.js';
import { newDevice } from './device.js';
import { formIn } from './device-client.js';
import { LoginClient, locationOf, pathIn, REDIRECT, type OidcAnswer } from './login-client.js';

/* The pages of a login, as a browser without scripts uses them. */

let controller: TestController & { dataDir: string };

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());

const headers = { accept: 'text/html,application/xhtml+xml' };

/** Where the one form of a page leads. */
const actionOf = (page: OidcAnswer): string => formIn(page).action;

async function firstPage(client: LoginClient): Promise<OidcAnswer> {
  return client.ask('GET', pathIn(await client.authorize()), { headers });
}

test('a person logs in, also after a wrong password', async () => {
  const client = new LoginClient(controller);
  const page = await firstPage(client);
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(page.text).not.toContain('<script');
  const form = { username: 'admin', password: 'wrong password' };
  const again = await client.ask('POST', actionOf(page), { form, headers });
  expect(again.status).toBe(401);
  expect(again.text).toContain('role="alert"');
  const right = { ...form, password: ADMIN_PASSWORD };
  const proved = await client.ask('POST', actionOf(again), { form: right, headers });
  const back = locationOf(await client.ask('GET', pathIn(proved), { headers }));
  expect(back.href.startsWith(`${REDIRECT}?code=`)).toBe(true);
});

describe('a person without a second factor', () => {
  /** Sends the one form of a page, with the fields that the person fills in. */
  const send = (page: OidcAnswer, filledIn: Record<string, string> = {}): Promise<OidcAnswer> => {
    const { action, fields } = formIn(page);
    const form = { ...fields, ...filledIn };
    return new LoginClient(controller).ask('POST', action, { form, headers });
  };
  const secretOn = ({ text }: OidcAnswer): string => /secret=([A-Z2-7]+)/.exec(text)?.[1] ?? '';

  /** The page that offers the set-up. */
  async function offer(): Promise<OidcAnswer> {
    const policy = authPolicy({ secondary: { requireTotp: true } });
    const authPolicyId = await controller.create('auth-policies', policy);
    const { username } = await newPerson(controller, { authPolicyId });
    return send(await firstPage(new LoginClient(controller)), { username, password: PASSWORD });
  }

  test('sets one up', async () => {
    const setUp = await send(await offer());
    expect(setUp.text).toContain('data:image/png;base64,');
    const verified = await send(setUp, { code: oneTimeCode(secretOn(setUp)) });
    expect(pathIn(verified)).toContain('/oidc/authorize/callback?id=');
  });

  test('gives the first code again after a wrong one', async () => {
    const setUp = await send(await offer());
    const again = await send(setUp, { code: wrongCode(secretOn(setUp)) });
    expect([again.status, again.text.includes('role="alert"')]).toEqual([401, true]);
    expect(formIn(again)).toStrictEqual(formIn(setUp));
    const verified = await send(again, { code: oneTimeCode(secretOn(setUp)) });
    expect(pathIn(verified)).toContain('/oidc/authorize/callback?id=');
  });

  test('begins anew when the page of the set-up is loaded again', async () => {
    const page = await offer();
    const first = await send(page);
    const second = await send(page);
    expect([second.status, secretOn(second) === secretOn(first)]).toEqual([201, false]);
    const verified = await send(second, { code: oneTimeCode(secretOn(second)) });
    expect(pathIn(verified)).toContain('/oidc/authorize/callback?id=');
  });
});

describe('a person whose browser shows a certificate', () => {
  const begin = async (): Promise<{ client: LoginClient; page: OidcAnswer }> => {
    const client = new LoginClient(controller, await newDevice(controller));
    return { client, page: await firstPage(client) };
  };

  test('logs in by it with a button', async () => {
    const { client, page } = await begin();
    expect(page.headers['content-type']).toContain('text/html');
    const { action, fields: form } = formIn(page);
    const proved = await client.ask('POST', action, { form, headers });
    expect(pathIn(proved)).toContain('/oidc/authorize/callback?id=');
  });

  test('logs in by password instead', async () => {
    const { client, page } = await begin();
    const [, path = ''] = /<a href="([^"]+)">/.exec(page.text) ?? [];
    const asked = await client.ask('GET', path, { headers });
    const form = { username: 'admin', password: ADMIN_PASSWORD };
    const proved = await client.ask('POST', actionOf(asked), { form, headers });
    expect(pathIn(proved)).toContain('/oidc/authorize/callback?id=');
  });

  test('is no program, which gets a text', async () => {
    const client = new LoginClient(controller, await newDevice(controller));
    const page = await client.ask('GET', pathIn(await client.authorize()));
    expect(page.headers).toMatchObject({ 'content-type': 'text/plain; charset=utf-8' });
    expect(page.text).toBe('POST to this address to log in by cert');
  });
});

test('a page shows no text of the request', async () => {
  const client = new LoginClient(controller);
  const path = `/oidc/login/username?authRequestID=${encodeURIComponent('"><script>alert(1)</script>')}`;
  const page = await client.ask('GET', path, { headers });
  expect(page.status).toBe(401);
  expect(page.text).not.toContain('<script');
});
