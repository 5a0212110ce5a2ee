import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  idsOf,
  SocketClient,
  StreamClient,
  type Collected,
} from '../../data/changes/subscribing.js';
import { ManagementClient, refusalOf } from '../../network/events/management-client.js';
import { ADMIN_PASSWORD, startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { authPolicy, newPerson, PASSWORD, unique } from '../auth/client.js';
import { OutsideSigner } from '../auth/signers.js';
import { newDevice, tokensOf } from './device.js';
import { ask, LoginClient, type Tokens } from './login-client.js';

/* Access tokens on connections that last: subscriptions of the graph, and the channel of operators. */

let controller: TestController & { dataDir: string };
/** Its access tokens live a short time. */
let hasty: TestController & { dataDir: string };
const endings: (() => unknown)[] = [];

beforeAll(async () => {
  const env = { OVERGRAPH_LOGIN_LIMIT: '0' };
  controller = await startController({ env });
  hasty = await startController({
    with: controller,
    env: { ...env, OVERGRAPH_OIDC_ACCESS_LIFETIME: '20s' },
  });
});
afterAll(async () => {
  for (const end of endings) await end();
  await hasty.stop();
  await controller.stop();
});

const FORBIDDEN = 4403;
const types = ['Service'];
const bearer = (...tokens: string[]): string[] => tokens.map((token) => `Bearer ${token}`);
const client = (at: TestController = controller): LoginClient => new LoginClient(at);
const admin = (at?: TestController): Promise<Tokens> =>
  client(at).logInByPassword('admin', ADMIN_PASSWORD);
const newService = (): Promise<string> =>
  controller.create('services', { name: unique('service'), encryptionRequired: true });

type How = ConstructorParameters<typeof SocketClient>[1];

function socketOf(how: How): SocketClient {
  const socket = new SocketClient(controller.port, how);
  endings.push(() => socket.client.dispose());
  return socket;
}

async function streamOf(...tokens: string[]): Promise<StreamClient> {
  const origin = `https://127.0.0.1:${String(controller.port)}`;
  const headers = { authorization: bearer(...tokens) };
  const stream = await StreamClient.open(origin, undefined, { types }, { headers });
  endings.push(() => {
    stream.close();
  });
  return stream;
}

async function channelOf(token: string): Promise<ManagementClient> {
  const [authorization = ''] = bearer(token);
  const channel = await ManagementClient.connect(controller.port, { authorization });
  endings.push(() => {
    channel.end();
  });
  return channel;
}

/** A subscription begins when the server says so; what is written then comes for sure. */
const begun = (collected: Pick<Collected, 'events'>): Promise<unknown> =>
  eventually(async () => {
    const id = await newService();
    await eventually(() => {
      expect(idsOf(collected.events)).toContain(id);
    }, 1_000);
  });

const wasRefused = (socket: SocketClient): Promise<unknown> => {
  const { events } = socket.follow({ types });
  return eventually(() => {
    expect(socket.closes).toStrictEqual([FORBIDDEN]);
    expect(events).toStrictEqual([]);
  });
};

const UNAUTHORIZED = [{ extensions: { code: 'UNAUTHORIZED' } }];

describe('an access token', () => {
  test.each([
    ['the header', (token: string): How => ({ headers: { authorization: `Bearer ${token}` } })],
    ['a parameter', (token: string): How => ({ payload: { authorization: `Bearer ${token}` } })],
  ])('opens a WebSocket by %s, which ends with the session', async (_, how) => {
    const { access_token: token } = await admin(hasty);
    const socket = socketOf(how((await admin()).access_token));
    const other = socketOf(how(token));
    const [first, second] = [socket.follow({ types }), other.follow({ types })];
    await begun(first);
    await begun(second);
    const logout = await ask(hasty.port, 'DELETE', '/edge/client/v1/current-api-session', {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(logout.status).toBe(200);
    await eventually(() => {
      expect(second.events.at(-1)?.errors ?? second.ended).toMatchObject(UNAUTHORIZED);
    });
    await begun(first);
  });

  test('opens an event stream, which ends with the session', async () => {
    const tokens = await admin();
    const stream = (await streamOf(tokens.access_token)).read();
    await begun(stream);
    const form = { token: tokens.refresh_token, client_id: 'native' };
    expect((await ask(hasty.port, 'POST', '/oidc/revoke', { form })).status).toBe(200);
    await eventually(() => {
      expect(stream.names.at(-1)).toBe('complete');
    });
    expect(stream.events.at(-1)?.errors).toMatchObject(UNAUTHORIZED);
  });

  test('opens the channel of operators, which ends with the session', async () => {
    const tokens = await admin();
    const channel = await channelOf(tokens.access_token);
    expect((await channel.watch({ entityChange: null })).isSuccess).toBe(true);
    const query = `/oidc/end_session?id_token_hint=${tokens.id_token}`;
    expect((await ask(hasty.port, 'GET', query)).status).toBe(302);
    await eventually(() => {
      expect(channel.closeCode).toBe(1008);
    });
  });

  test('ends all connections when it expires, and a new one of the session opens others', async () => {
    const tokens = await admin(hasty);
    const socket = socketOf({ payload: { authorization: `Bearer ${tokens.access_token}` } });
    const followed = socket.follow({ types });
    const stream = (await streamOf(tokens.access_token)).read();
    const channel = await channelOf(tokens.access_token);
    await Promise.all([begun(followed), begun(stream)]);
    await eventually(() => {
      expect(socket.closes).toStrictEqual([FORBIDDEN]);
      expect(stream.names.at(-1)).toBe('complete');
      expect(channel.closeCode).toBe(1008);
    });
    // No answer that ends the subscription came before: a client begins it again.
    expect(followed.ended).toMatchObject({ code: FORBIDDEN });
    expect(followed.events.filter(({ errors }) => errors)).toStrictEqual([]);
    expect(stream.events.at(-1)?.errors).toMatchObject(UNAUTHORIZED);
    expect((await streamOf(tokens.access_token)).response.statusCode).toBe(401);
    const renewed = await client().refresh(tokens.refresh_token);
    const { access_token: next } = renewed.body as unknown as Tokens;
    await begun((await streamOf(next)).read());
  });
});

describe('no connection is opened by', () => {
  const REFUSED: [string, (tokens: Tokens) => string][] = [
    ['a refresh token', (tokens) => tokens.refresh_token],
    ['an ID token', (tokens) => tokens.id_token],
    ['an altered token', ({ access_token: token }) => `${token.slice(0, -4)}AAAA`],
    ['garbage', () => 'a.b.c'],
  ];
  test.each(REFUSED)('%s', async (_, choose) => {
    const token = choose(await admin());
    await wasRefused(socketOf({ payload: { authorization: `Bearer ${token}` } }));
    expect((await streamOf(token)).response.statusCode).toBe(401);
    const [authorization = ''] = bearer(token);
    expect((await refusalOf(controller.port, { authorization })).status).toBe(401);
  });

  test('the token of a certificate without that certificate', async () => {
    const device = await newDevice(controller, { permissions: ['change.read', 'service.read'] });
    const { access_token: token } = await tokensOf(controller, device);
    const how = { payload: { authorization: `Bearer ${token}` } };
    await begun(socketOf({ ...how, certificate: device.certificate }).follow({ types }));
    const { certificate } = await newDevice(controller);
    await wasRefused(socketOf({ ...how, certificate }));
    await wasRefused(socketOf(how));
    expect((await streamOf(token)).response.statusCode).toBe(401);
  });

  test('a session that wants the JWT of somebody else beside its token', async () => {
    const signer = await OutsideSigner.create('connection-issuer');
    const signerId = await controller.create('external-jwt-signers', { ...signer.settings });
    const policy = authPolicy({ secondary: { requireExtJwtSigner: signerId } });
    const person = await newPerson(controller, {
      authPolicyId: await controller.create('auth-policies', policy),
      permissions: ['change.read', 'service.read'],
    });
    const jwt = await signer.jwt(person.id);
    const own = new LoginClient(controller, { bearers: [jwt] });
    const { access_token: token } = await own.logInByPassword(person.username, PASSWORD);
    await wasRefused(socketOf({ payload: { authorization: `Bearer ${token}` } }));
    await begun(socketOf({ payload: { authorization: bearer(token, jwt) } }).follow({ types }));
    await begun(socketOf({ headers: { authorization: bearer(jwt, token) } }).follow({ types }));
    expect((await streamOf(token)).response.statusCode).toBe(401);
    await begun((await streamOf(jwt, token)).read());
  });
});
