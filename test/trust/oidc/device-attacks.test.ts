import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { authPolicy, newPerson, PASSWORD, runSql } from '../auth/client.js';
import { DeviceBrowser, DeviceClient, DEVICE_CODE, formIn } from './device-client.js';
import { ask, LoginClient, pathIn, REDIRECT } from './login-client.js';

/* What somebody tries with the codes of a device that is not theirs, or with a login that was not for it. */

let controller: TestController & { dataDir: string };
let browser: DeviceBrowser;
let username: string;

const begin = (clientId?: string): Promise<DeviceClient> =>
  DeviceClient.begin(controller, clientId);

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '5' } });
  browser = new DeviceBrowser(controller);
  ({ username } = await newPerson(controller));
});
afterAll(() => controller.stop());

const statusOf = async (token: string): Promise<number> =>
  (
    await ask(controller.port, 'GET', '/edge/client/v1/current-identity', {
      headers: { authorization: `Bearer ${token}` },
    })
  ).status;

describe('a device code', () => {
  test('that comes again after its tokens ends them: one of both users is a thief', async () => {
    const device = await begin();
    await browser.approve(device.userCode, username);
    const token = String((await device.poll()).body.access_token);
    expect(await statusOf(token)).toBe(200);
    expect(await device.pollError()).toBe('invalid_grant');
    expect(await statusOf(token)).toBe(401);
  });

  test('gives tokens once, however many ask at the same time', async () => {
    const device = await begin();
    await browser.approve(device.userCode, username);
    const answers = await Promise.all(Array.from({ length: 4 }, () => device.poll()));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  });

  test('counts for no other client, and its own goes on', async () => {
    const device = await begin('openziti');
    await browser.approve(device.userCode, username);
    expect(await device.pollError({ client_id: 'native' })).toBe('invalid_grant');
    expect((await device.poll()).status).toBe(200);
  });

  test.each(['', 'x'.repeat(43), '\0', '../..'])('is not %j', async (code) => {
    const error = await (await begin()).pollError({ device_code: code });
    expect(error).toBe(code === '' ? 'invalid_request' : 'invalid_grant');
  });

  test('is neither the user code nor an authorization code, and those are none', async () => {
    const device = await begin();
    await browser.approve(device.userCode, username);
    expect(await device.pollError({ device_code: device.userCode })).toBe('invalid_grant');
    const client = new LoginClient(controller);
    const exchanged = await client.exchange(device.codes.device_code, { redirect_uri: REDIRECT });
    expect(exchanged.body.error).toBe('invalid_grant');
    await client.begin();
    const code = await client.code(await client.password(username, PASSWORD));
    const asked = await client.token({ grant_type: DEVICE_CODE, device_code: code });
    expect(asked.body.error).toBe('invalid_grant');
  });
});

describe('nothing but the button of the person approves:', () => {
  test('neither the link with the user code nor the login', async () => {
    const device = await begin();
    await browser.get(`/oidc/device?user_code=${device.userCode}`);
    const proved = await browser.prove(device.userCode, username);
    await browser.get(pathIn(proved));
    await browser.get(`${pathIn(proved)}&decision=allow`);
    expect(await device.pollError()).toBe('authorization_pending');
  });

  test('no form without the key of the login, as a foreign page would send it', async () => {
    const device = await begin();
    const page = await browser.logIn(device.userCode, username);
    const { action, fields } = formIn(page);
    for (const change of [{ key: '' }, { key: 'x'.repeat(43) }, { id: '' }, { decision: 'yes' }]) {
      const answer = await browser.post(action, { ...fields, decision: 'allow', ...change });
      expect([change, answer.status >= 400 && answer.status < 500]).toEqual([change, true]);
    }
    expect(await device.pollError()).toBe('authorization_pending');
  });

  test('no key of a login that was for a client, and no code for a login that is for a device', async () => {
    const client = new LoginClient(controller);
    await client.begin();
    const proved = await client.password(username, PASSWORD);
    const query = pathIn(proved).split('?')[1] ?? '';
    expect((await browser.get(`/oidc/device/confirm?${query}`)).status).toBe(401);
    const device = await begin();
    const own = pathIn(await browser.prove(device.userCode, username)).split('?')[1] ?? '';
    const answer = await browser.get(`/oidc/authorize/callback?${own}`);
    expect([answer.status, answer.headers.location]).toEqual([401, undefined]);
  });

  test('no second decision, and no login after the first', async () => {
    const device = await begin();
    const page = await browser.logIn(device.userCode, username);
    await browser.decide(page, 'deny');
    expect((await browser.decide(page, 'allow')).status).toBe(401);
    expect((await browser.enter(device.userCode)).status).toBe(401);
    const approved = await begin();
    const login = formIn(await browser.enter(approved.userCode)).action;
    await browser.approve(approved.userCode, username);
    const late = await browser.post(login, { username, password: PASSWORD });
    expect(late.status).toBe(401);
    expect((await approved.poll()).status).toBe(200);
  });
});

test('of two persons with the same code, the first decides no more for the second', async () => {
  const somebodyElse = await newPerson(controller);
  const device = await begin();
  const first = await browser.logIn(device.userCode, username);
  const second = await browser.logIn(device.userCode, somebodyElse.username);
  expect((await browser.decide(first, 'allow')).status).toBe(401);
  expect(await device.pollError()).toBe('authorization_pending');
  expect((await browser.decide(second, 'allow')).status).toBe(200);
  const { body } = await device.poll();
  const user = await ask(controller.port, 'GET', '/oidc/userinfo', {
    headers: { authorization: `Bearer ${String(body.access_token)}` },
  });
  expect(user.body.sub).toBe(somebodyElse.id);
});

describe('the person', () => {
  const disable = (id: string) =>
    controller.rest('POST', `/identities/${id}/disable`, { durationMinutes: 0 });

  test('who was disabled since the login decides nothing', async () => {
    const person = await newPerson(controller);
    const device = await begin();
    const page = await browser.logIn(device.userCode, person.username);
    await disable(person.id);
    expect((await browser.decide(page, 'allow')).status).toBe(401);
    expect((await device.poll()).status).toBe(400);
  });

  test('who was disabled since the approval has let nothing in', async () => {
    const person = await newPerson(controller);
    const device = await begin();
    await browser.approve(device.userCode, person.username);
    await disable(person.id);
    await controller.rest('POST', `/identities/${person.id}/enable`, {});
    expect(await device.pollError()).toBe('invalid_grant');
  });

  test('whose session was revoked since the approval has let nothing in', async () => {
    const person = await newPerson(controller);
    const device = await begin();
    await browser.approve(device.userCode, person.username);
    await controller.rest('POST', '/revocations', { type: 'IDENTITY', id: person.id });
    expect(await device.pollError()).toBe('invalid_grant');
  });

  test('whose policy allows passwords no more has let nothing in', async () => {
    const authPolicyId = await controller.create('auth-policies', authPolicy({}));
    const person = await newPerson(controller, { authPolicyId });
    const device = await begin();
    await browser.approve(device.userCode, person.username);
    const primary = { updb: { allowed: false } };
    await controller.rest('PATCH', `/auth-policies/${authPolicyId}`, { primary });
    expect(await device.pollError()).toBe('invalid_grant');
  });
});

describe('wrong user codes', () => {
  const GUESS = 'BCDF-GHJK';
  const forget = (): Promise<unknown> => runSql(controller, 'delete from login_counter');

  test('are limited by address, and the right one waits, too', async () => {
    await forget();
    const { userCode } = await begin();
    for (let guesses = 0; guesses < 5; guesses += 1) {
      expect((await browser.enter(GUESS)).status).toBe(401);
    }
    const barred = await browser.enter(userCode);
    expect([barred.status, Number(barred.headers['retry-after'])]).toEqual([
      429,
      expect.any(Number),
    ]);
    expect(barred.text).toContain('Too many codes');
    await forget();
    expect((await browser.enter(userCode)).status).toBe(200);
  });

  test('are limited for all addresses together', async () => {
    await forget();
    const { userCode } = await begin();
    await runSql(
      controller,
      `insert into login_counter (key, failures, pending, resets_at)
        values ('user code', 999, 0, now() + interval '50 s')`,
    );
    expect((await browser.enter(GUESS)).status).toBe(401);
    expect((await browser.enter(userCode)).status).toBe(429);
    await forget();
    expect((await browser.enter(userCode)).status).toBe(200);
  });
});
