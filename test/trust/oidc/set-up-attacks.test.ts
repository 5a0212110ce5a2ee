import { Agent } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { authPolicy, newPerson, PASSWORD, type Person } from '../auth/client.js';
import { oneTimeCode, secretIn } from '../auth/one-time-code.js';
import { newDevice } from './device.js';
import { DeviceBrowser, DeviceClient, formIn } from './device-client.js';
import { ask, LoginClient, pathIn, type OidcAnswer, type OidcCall } from './login-client.js';

/*
 * A stranger knows the id of a login, since the address of its page has it, and posts to the set-up of
 * one-time codes before the person does.
 */

let controller: TestController & { dataDir: string };
let required: Record<string, unknown>;
/** Of a stranger at another address. */
const elsewhere = new Agent({
  rejectUnauthorized: false,
  maxCachedSessions: 0,
  localAddress: '127.0.0.2',
});

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  const policy = authPolicy({ secondary: { requireTotp: true } });
  required = { authPolicyId: await controller.create('auth-policies', policy) };
});
afterAll(async () => {
  elsewhere.destroy();
  await controller.stop();
});

const newRequired = (): Promise<Person> => newPerson(controller, required);

const ENROLL = '/oidc/login/totp/enroll';
const VERIFY = `${ENROLL}/verify`;

const post = (path: string, json: object, call: OidcCall = {}): Promise<OidcAnswer> =>
  ask(controller.port, 'POST', path, { ...call, json });

const secretOf = ({ body }: OidcAnswer): string =>
  secretIn((body as { provisioningUrl?: string }).provisioningUrl ?? '');

/** The statuses of all steps of a set-up by somebody who has the id alone. */
async function statuses(id: string, call: OidcCall = {}): Promise<number[]> {
  const json = { id, code: '000000' };
  return [
    (await post(ENROLL, json, call)).status,
    (await post(VERIFY, json, call)).status,
    (await ask(controller.port, 'DELETE', ENROLL, { ...call, json })).status,
  ];
}

const REFUSED = [401, 401, 401];

const headers = { accept: 'text/html' };

/** A person that has given the password on the page of a login, which somebody else may have begun. */
async function proveOnPage(id: string, { username }: Person): Promise<OidcAnswer> {
  const path = `/oidc/login/username?authRequestID=${id}`;
  const { action } = formIn(await ask(controller.port, 'GET', path, { headers }));
  const form = { username, password: PASSWORD };
  return ask(controller.port, 'POST', action, { form, headers });
}

const press = (page: OidcAnswer, fields: Record<string, string> = {}): Promise<OidcAnswer> => {
  const { action, fields: hidden } = formIn(page);
  return ask(controller.port, 'POST', action, { form: { ...hidden, ...fields }, headers });
};

describe('the id of a login in a browser sets up no one-time codes', () => {
  test('for a stranger at the same address, and the person goes on', async () => {
    const stranger = new LoginClient(controller);
    const offer = await proveOnPage(await stranger.begin(), await newRequired());
    expect(await statuses(stranger.id)).toEqual(REFUSED);
    const guessed = { id: stranger.id, key: 'x'.repeat(43) };
    expect((await post(ENROLL, guessed)).status).toBe(401);
    const setUp = await press(offer);
    expect(setUp.status).toBe(201);
    expect(await statuses(stranger.id)).toEqual(REFUSED);
    const code = oneTimeCode(/secret=([A-Z2-7]+)/.exec(setUp.text)?.[1] ?? '');
    expect((await post(VERIFY, { id: stranger.id, code })).status).toBe(401);
    expect(pathIn(await press(setUp, { code }))).toContain('/oidc/authorize/callback?');
  });

  test('and the key of the page gives no code before the set-up', async () => {
    const client = new LoginClient(controller);
    const offer = await proveOnPage(await client.begin(), await newRequired());
    const { key = '' } = formIn(offer).fields;
    expect(key).toMatch(/^[\w-]{43}$/);
    const back = await client.ask('GET', `/oidc/authorize/callback?id=${client.id}&key=${key}`);
    expect([back.status, back.headers.location]).toEqual([401, undefined]);
  });

  test('also after the person has given the password twice', async () => {
    const person = await newRequired();
    const client = new LoginClient(controller);
    await proveOnPage(await client.begin(), person);
    const offer = await proveOnPage(client.id, person);
    expect(await statuses(client.id)).toEqual(REFUSED);
    expect((await press(offer)).status).toBe(201);
  });

  test('for the sender of a device, and the person lets it in', async () => {
    const person = await newRequired();
    const device = await DeviceClient.begin(controller);
    const browser = new DeviceBrowser(controller);
    const entered = await browser.enter(device.userCode);
    const id = /id=([0-9a-f-]{36})/.exec(formIn(entered).action)?.[1] ?? '';
    const offer = await browser.prove(device.userCode, person.username);
    expect(await statuses(id)).toEqual(REFUSED);
    const { key = '' } = formIn(offer).fields;
    expect((await browser.get(`/oidc/device/confirm?id=${id}&key=${key}`)).status).toBe(401);
    const setUp = await press(offer);
    const code = oneTimeCode(/secret=([A-Z2-7]+)/.exec(setUp.text)?.[1] ?? '');
    const page = await browser.get(pathIn(await press(setUp, { code })));
    expect((await browser.decide(page, 'allow')).status).toBe(200);
    expect((await device.poll()).status).toBe(200);
  });
});

describe('the id of a login by a program sets up no one-time codes', () => {
  test('for a sender at another address', async () => {
    const { username } = await newRequired();
    const client = new LoginClient(controller);
    await client.begin();
    await client.password(username, PASSWORD);
    expect(await statuses(client.id, { agent: elsewhere })).toEqual(REFUSED);
    const begun = await post(ENROLL, { id: client.id });
    expect(begun.status).toBe(201);
    const json = { id: client.id, code: oneTimeCode(secretOf(begun)) };
    expect((await post(VERIFY, json, { agent: elsewhere })).status).toBe(401);
    expect((await post(VERIFY, json)).status).toBe(302);
  });

  test('for a sender without the certificate of the login', async () => {
    const { certificate } = await newDevice(controller, required);
    const client = new LoginClient(controller, { certificate });
    await client.begin({ method: 'cert' });
    await client.ask('POST', `/oidc/login/cert?id=${client.id}`, { json: {} });
    expect(await statuses(client.id)).toEqual(REFUSED);
    const json = { id: client.id };
    const begun = await client.ask('POST', ENROLL, { json });
    const code = oneTimeCode(secretOf(begun));
    const verified = await client.ask('POST', VERIFY, { json: { ...json, code } });
    expect(verified.status).toBe(302);
  });

  test('when it needs none, or has got them', async () => {
    const { username } = await newPerson(controller);
    const complete = new LoginClient(controller);
    await complete.begin();
    expect((await complete.password(username, PASSWORD)).status).toBe(302);
    expect(await statuses(complete.id)).toEqual(REFUSED);
    const client = new LoginClient(controller);
    await client.begin();
    await client.password((await newRequired()).username, PASSWORD);
    const secret = secretOf(await post(ENROLL, { id: client.id }));
    await post(VERIFY, { id: client.id, code: oneTimeCode(secret) });
    expect(await statuses(client.id)).toEqual(REFUSED);
  });
});
