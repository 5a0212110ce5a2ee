import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { newCsr, newKey, withKey } from '../auth/certificates.js';
import { authPolicy, newPerson, runSql } from '../auth/client.js';
import { oneTimeCode } from '../auth/one-time-code.js';
import { newDevice } from './device.js';
import { DeviceBrowser, DeviceClient, formIn, passTime } from './device-client.js';
import { ask, claimsOf, LoginClient, pathIn, type Tokens } from './login-client.js';

/* Device authorization (RFC 8628): a person lets a device in that has no browser. */

let controller: TestController & { dataDir: string };
let other: TestController;
let browser: DeviceBrowser;

beforeAll(async () => {
  const env = { OVERGRAPH_LOGIN_LIMIT: '0' };
  controller = await startController({ env });
  other = await startController({ with: controller, env });
  browser = new DeviceBrowser(controller);
});
afterAll(async () => {
  await other.stop();
  await controller.stop();
});

const statusOf = async (token: string, port = controller.port): Promise<number> =>
  (
    await ask(port, 'GET', '/edge/client/v1/current-identity', {
      headers: { authorization: `Bearer ${token}` },
    })
  ).status;

test('the request of a device gives codes, an address for people, and times', async () => {
  const { codes } = await DeviceClient.begin(controller);
  const issuer = `https://localhost:${String(controller.port)}/oidc`;
  expect(codes).toEqual({
    device_code: expect.stringMatching(/^[\w-]{43}$/),
    user_code: expect.stringMatching(/^[BCDFGHJ-NP-TV-XZ]{4}-[BCDFGHJ-NP-TV-XZ]{4}$/),
    verification_uri: `${issuer}/device`,
    verification_uri_complete: `${issuer}/device?user_code=${codes.user_code}`,
    expires_in: 600,
    interval: 5,
  });
});

test.each([
  [{}, 'invalid_client'],
  [{ client_id: 'other' }, 'invalid_client'],
])('the request of a device with %j is refused', async (form, error) => {
  const answer = await ask(controller.port, 'POST', '/oidc/device_authorization', { form });
  expect([answer.status, answer.body.error]).toEqual([400, error]);
});

describe('a person', () => {
  test('logs a device in, which gets the tokens of that login', async () => {
    const person = await newPerson(controller);
    const device = await DeviceClient.begin(controller);
    const { pathname, search } = new URL(device.codes.verification_uri_complete);
    const entry = await browser.get(pathname + search);
    expect(formIn(entry).fields.user_code).toBe(device.userCode);
    const page = await browser.logIn(device.userCode, person.username);
    expect(page.text).toContain('<strong>native</strong>');
    expect(page.text).toContain(`<strong>${person.username}</strong>`);
    expect(page.text).toContain('<strong>127.0.0.1</strong>');
    expect(page.text).not.toContain('<script');
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(await device.pollError()).toBe('authorization_pending');
    expect((await browser.decide(page, 'allow')).text).toContain('may log in');
    const answer = await device.poll();
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: { token_type: 'Bearer', scope: 'openid offline_access' },
    });
    const tokens = answer.body as unknown as Tokens;
    expect(claimsOf(tokens.access_token)).toMatchObject({ sub: person.id, amr: ['password'] });
    expect(await statusOf(tokens.access_token)).toBe(200);
    expect((await new LoginClient(controller).refresh(tokens.refresh_token)).status).toBe(200);
  });

  test('proves a second factor, too, and may set one up', async () => {
    const policy = authPolicy({ secondary: { requireTotp: true } });
    const authPolicyId = await controller.create('auth-policies', policy);
    const { username } = await newPerson(controller, { authPolicyId });
    const device = await DeviceClient.begin(controller);
    const offer = await browser.prove(device.userCode, username);
    const { action, fields } = formIn(offer);
    const setUp = await browser.post(action, fields);
    const [, secret = ''] = /secret=([A-Z2-7]+)/.exec(setUp.text) ?? [];
    const code = oneTimeCode(secret);
    const first = formIn(setUp);
    const proved = await browser.post(first.action, { ...first.fields, code });
    await browser.decide(await browser.get(pathIn(proved)), 'allow');
    const { body } = await device.poll();
    expect(claimsOf(String(body.access_token)).amr).toEqual(['password', 'totp']);
  });

  test('refuses a device, and the session of the login ends', async () => {
    const { id, username } = await newPerson(controller);
    const device = await DeviceClient.begin(controller);
    const page = await browser.logIn(device.userCode, username);
    expect((await browser.decide(page, 'deny')).text).toContain('was refused');
    expect([await device.pollError(), await device.pollError()]).toEqual([
      'access_denied',
      'access_denied',
    ]);
    const sessions = await runSql(controller, 'select 1 from api_session where identity_id = $1', [
      id,
    ]);
    expect(sessions).toEqual([]);
  });

  test.each([
    ['in small letters', (code: string) => code.toLowerCase()],
    ['without a dash', (code: string) => code.replace('-', '')],
    ['with spaces', (code: string) => ` ${code.split('').join(' ')} `],
  ])('may write the code %s', async (_, spelled) => {
    const { userCode } = await DeviceClient.begin(controller);
    expect((await browser.enter(spelled(userCode))).headers['auth-request-id']).toBeDefined();
  });

  test.each(['', 'BCDF-GHJK', '"><script>alert(1)</script>', 'x'.repeat(5_000), '\0'])(
    'is asked again after the wrong code %j',
    async (code) => {
      const answer = await browser.enter(code);
      expect(answer.status).toBe(401);
      expect(answer.text).toContain('role="alert"');
      expect(answer.text).not.toContain('<script');
      expect(formIn(answer).action).toBe('/oidc/device');
    },
  );

  test('logs in at one controller, and the device asks another', async () => {
    const { username } = await newPerson(controller);
    const device = await DeviceClient.begin(other);
    const page = await browser.logIn(device.userCode, username);
    await new DeviceBrowser(other).decide(page, 'allow');
    const answer = await device.poll({}, other);
    expect(await statusOf(String(answer.body.access_token), other.port)).toBe(200);
  });

  test('logs in by certificate; the device gets a certificate of its own', async () => {
    const { id, certificate } = await newDevice(controller);
    const device = await DeviceClient.begin(controller);
    const login = await browser.enter(device.userCode);
    const requestId = String(login.headers['auth-request-id']);
    const proved = await ask(controller.port, 'POST', `/oidc/login/cert?id=${requestId}`, {
      json: {},
      certificate,
    });
    await browser.decide(await browser.get(pathIn(proved)), 'allow');
    const key = newKey();
    const { body } = await device.poll({ csr_pem: await newCsr(key, 'CN=device') });
    const token = String(body.access_token);
    expect(claimsOf(token).sub).toBe(id);
    const shown = await ask(controller.port, 'GET', '/edge/client/v1/current-identity', {
      headers: { authorization: `Bearer ${token}` },
      certificate: withKey(String(body.session_cert), key),
    });
    expect([shown.status, await statusOf(token)]).toEqual([200, 401]);
  });
});

describe('a device', () => {
  test('that asks too early has to wait longer, each time by five seconds', async () => {
    const device = await DeviceClient.begin(controller);
    const errors = [await device.pollError()];
    for (const seconds of [0, 5, 16, 5, 21]) {
      await passTime(controller, 'polled_at', seconds);
      errors.push(await device.pollError());
    }
    expect(errors).toEqual([
      'authorization_pending',
      // Its interval is 10 seconds from here, then 15 and 20.
      'slow_down',
      'slow_down',
      'authorization_pending',
      'slow_down',
      'authorization_pending',
    ]);
  });

  test('learns that its time is over', async () => {
    const { username } = await newPerson(controller);
    const device = await DeviceClient.begin(controller);
    const page = await browser.logIn(device.userCode, username);
    await passTime(controller, 'expires_at', 601);
    expect(await device.pollError()).toBe('expired_token');
    expect((await browser.enter(device.userCode)).status).toBe(401);
    expect((await browser.decide(page, 'allow')).status).toBe(401);
  });

  test('gets no tokens with the time of an approved code over', async () => {
    const { username } = await newPerson(controller);
    const device = await DeviceClient.begin(controller);
    await browser.approve(device.userCode, username);
    await passTime(controller, 'expires_at', 601);
    expect(await device.pollError()).toBe('expired_token');
  });
});

test('neither code is stored as it is', async () => {
  const { codes } = await DeviceClient.begin(controller);
  const rows = JSON.stringify(
    await runSql(
      controller,
      'select * from authorization_request where device_code_hash is not null',
    ),
  );
  expect(rows).not.toContain(codes.device_code);
  expect(rows).not.toContain(codes.user_code);
  expect(rows).not.toContain(codes.user_code.replace('-', ''));
});

test('requests whose time is over are deleted', async () => {
  const device = await DeviceClient.begin(controller);
  await passTime(controller, 'expires_at', 661);
  const left = async (): Promise<unknown[]> =>
    runSql(controller, 'select 1 from authorization_request where expires_at < now()');
  await eventually(async () => {
    expect(await left()).toEqual([]);
  });
  expect(await device.pollError()).toBe('invalid_grant');
});
