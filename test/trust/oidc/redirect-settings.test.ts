import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { newPerson, passwordLogin, unique } from '../auth/client.js';
import { ask } from './login-client.js';

/* Settings of two controllers, one of them with two processes: which redirects each of them allows. */

const ENV = { OVERGRAPH_LOGIN_LIMIT: '0', OVERGRAPH_OIDC: 'announce' };
const CONFIGURED = 'https://configured.example.com/auth/callback';

let controller: TestController & { dataDir: string };
let other: TestController & { dataDir: string };
let ids: Record<'controller' | 'other', string>;

beforeAll(async () => {
  controller = await startController({
    env: { ...ENV, OVERGRAPH_WORKERS: '2', OVERGRAPH_OIDC_REDIRECTS: CONFIGURED },
  });
  other = await startController({ with: controller, env: ENV });
  ids = { controller: await idOf(controller), other: await idOf(other) };
});
afterAll(async () => {
  await other.stop();
  await controller.stop();
});

async function idOf({ port }: TestController): Promise<string> {
  const { body } = await controller.rest('GET', '/controllers');
  const listed = body.data as {
    id: string;
    apiAddresses: Record<string, { url: string }[]>;
  }[];
  const own = listed.find((each) =>
    each.apiAddresses['edge-client']?.some(({ url }) => url.includes(`:${String(port)}/`)),
  );
  return own?.id ?? '';
}

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

/** The status of an authorization request on a connection of its own. */
async function authorize({ port }: TestController, redirectUri: string): Promise<number> {
  const query = new URLSearchParams({
    ...{ client_id: 'native', response_type: 'code', scope: 'openid' },
    ...{ redirect_uri: redirectUri, code_challenge: challenge, code_challenge_method: 'S256' },
  });
  return (await ask(port, 'GET', `/oidc/authorize?${query.toString()}`)).status;
}

async function logOut({ port }: TestController, uri: string): Promise<number> {
  const query = new URLSearchParams({ post_logout_redirect_uri: uri });
  return (await ask(port, 'GET', `/oidc/end_session?${query.toString()}`)).status;
}

const CONNECTIONS = 6;

/** The statuses of several connections, which different processes serve. */
const statuses = async (on: TestController, uri: string): Promise<number[]> => [
  ...new Set(await Promise.all(Array.from({ length: CONNECTIONS }, () => authorize(on, uri)))),
];

const callback = (): string => `https://${unique('console')}.example.com/auth/callback`;

async function write(method: string, path: string, body?: unknown): Promise<number> {
  return (await controller.rest(method, `/controller-settings${path}`, body)).status;
}

const patchGlobal = (oidc: object): Promise<number> =>
  write('PATCH', '/global/effective', { oidc });

test('global settings count at once at the processes of the controller, and soon at another one', async () => {
  const address = callback();
  expect([await statuses(controller, address), await statuses(other, address)]).toEqual([
    [400],
    [400],
  ]);
  expect(await patchGlobal({ redirectUris: [address] })).toBe(200);
  expect(await statuses(controller, address)).toEqual([302]);
  await eventually(async () => {
    expect(await authorize(other, address)).toBe(302);
  });
  expect(await authorize(other, `${address}/more`)).toBe(400);

  expect(await patchGlobal({ redirectUris: [] })).toBe(200);
  expect(await statuses(controller, address)).toEqual([400]);
  await eventually(async () => {
    expect(await authorize(other, address)).toBe(400);
  });
  expect(await authorize(controller, CONFIGURED)).toBe(302);
});

test('settings of a controller count there instead of the global ones', async () => {
  const [everywhere, there] = [callback(), callback()];
  await patchGlobal({ redirectUris: [everywhere] });
  const oidc = { redirectUris: [there] };
  expect(await write('POST', '', { controllerId: ids.other, oidc })).toBe(201);
  await eventually(async () => {
    expect(await authorize(other, there)).toBe(302);
    expect(await authorize(other, everywhere)).toBe(400);
  });
  expect(await statuses(controller, everywhere)).toEqual([302]);
  expect(await statuses(controller, there)).toEqual([400]);
  const { body } = await other.rest('GET', `/controller-settings/${ids.other}/effective`);
  expect(body.data).toMatchObject({
    effective: { oidc: { redirectUris: [there], postLogoutUris: [] } },
    instance: { oidc: { redirectUris: [there] } },
  });

  expect(await write('DELETE', `/${ids.other}/effective`)).toBe(200);
  await eventually(async () => {
    expect(await authorize(other, everywhere)).toBe(302);
    expect(await authorize(other, there)).toBe(400);
  });
});

test('the list for logouts is one of its own', async () => {
  const address = `https://${unique('console')}.example.com/bye`;
  await patchGlobal({ postLogoutUris: [address] });
  expect(await logOut(controller, address)).toBe(302);
  expect(await authorize(controller, address)).toBe(400);
  await eventually(async () => {
    expect(await logOut(other, address)).toBe(302);
  });
});

test('an identity that is no administrator neither reads nor writes them', async () => {
  const person = await newPerson(controller, { permissions: ['controllers', 'auth-policy'] });
  const login = await passwordLogin(controller, person);
  const headers = { 'zt-session': (login.body.data as { token: string }).token };
  for (const [method, path, body] of [
    ['GET', ''],
    ['GET', '/global'],
    ['GET', '/global/effective'],
    ['POST', '', { controllerId: ids.controller }],
    ['PUT', '/global/effective', { oidc: {} }],
    ['PATCH', '/global/effective', { oidc: {} }],
    ['DELETE', '/global/effective'],
  ] as const) {
    const answer = await controller.rest(method, `/controller-settings${path}`, body, headers);
    expect([method, path, answer.status]).toEqual([method, path, 401]);
  }
});
