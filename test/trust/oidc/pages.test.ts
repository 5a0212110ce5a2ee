import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN_PASSWORD, startController, type TestController } from '../../support/controller.js';
import { authPolicy, newPerson, PASSWORD } from '../auth/client.js';
import { oneTimeCode } from '../auth/one-time-code.js';
import { LoginClient, locationOf, pathIn, REDIRECT, type OidcAnswer } from './login-client.js';

/* The pages of a login, as a browser without scripts uses them. */

let controller: TestController & { dataDir: string };

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());

const headers = { accept: 'text/html,application/xhtml+xml' };

/** Where the one form of a page leads. */
function actionOf({ text }: OidcAnswer): string {
  const [, action] = /<form method="post" action="([^"]+)">/.exec(text) ?? [];
  if (action === undefined) throw new Error(`no form: ${text}`);
  return action;
}

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

test('a person sets up a second factor', async () => {
  const policy = authPolicy({ secondary: { requireTotp: true } });
  const authPolicyId = await controller.create('auth-policies', policy);
  const person = await newPerson(controller, { authPolicyId });
  const client = new LoginClient(controller);
  const form = { username: person.username, password: PASSWORD };
  const offer = await client.ask('POST', actionOf(await firstPage(client)), { form, headers });
  const setUp = await client.ask('POST', actionOf(offer), { form: {}, headers });
  expect(setUp.text).toContain('data:image/png;base64,');
  const [, secret = ''] = /secret=([A-Z2-7]+)/.exec(setUp.text) ?? [];
  const verified = await client.ask('POST', actionOf(setUp), {
    form: { code: oneTimeCode(secret) },
    headers,
  });
  expect(pathIn(verified)).toContain('/oidc/authorize/callback?id=');
});

test('a page shows no text of the request', async () => {
  const client = new LoginClient(controller);
  const path = `/oidc/login/username?authRequestID=${encodeURIComponent('"><script>alert(1)</script>')}`;
  const page = await client.ask('GET', path, { headers });
  expect(page.status).toBe(401);
  expect(page.text).not.toContain('<script');
});
