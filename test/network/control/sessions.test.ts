import { X509Certificate } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CONTENT, HEADER } from '../../../src/network/control/content-types.js';
import { messages, type ApiSession } from '../../../src/network/messages/emitted/messages.js';
import type { Frame } from '../../../src/network/control/frame.js';
import { readText, readUint32, uint64Value } from '../../../src/network/control/header-values.js';
import { fingerprint } from '../../../src/trust/pki/index.js';
import { newAuthority, newLeaf } from '../../trust/auth/certificates.js';
import { authenticate, sessionIn } from '../../trust/auth/client.js';
import { addVerified } from '../../trust/enrollment/enrolling.js';
import { COMMON_NAME_CLAIM } from '../../support/auth-settings.js';
import { ADMIN_PASSWORD, startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import {
  enrollRouter,
  isSuccess,
  TestRouter,
  type EnrolledRouter,
} from '../../support/test-router.js';

/* What a router and the controller tell each other once they are connected. */

let controller: TestController;
let enrolled: EnrolledRouter;
let router: TestRouter;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_WORKERS: '2' } });
  enrolled = await enrollRouter(controller);
});
afterAll(() => controller.stop());
beforeEach(async () => {
  router = await TestRouter.connect(controller.port, enrolled);
});
afterEach(() => router.close());

interface Login {
  readonly id: string;
  readonly token: string;
  readonly identityId: string;
}

async function logIn(): Promise<Login> {
  const answer = await controller.rest(
    'POST',
    '/edge/client/v1/authenticate?method=password',
    { username: 'admin', password: ADMIN_PASSWORD },
    { 'zt-session': '' },
  );
  return answer.body.data;
}

const logOut = (token: string): Promise<unknown> =>
  controller.rest('DELETE', '/edge/client/v1/current-api-session', undefined, {
    'zt-session': token,
  });

interface Part {
  readonly id: string;
  readonly isLast: boolean;
  readonly sequence: number;
}

/** Reads a full state to its end. */
async function fullState(): Promise<{ sessions: ApiSession[]; parts: Part[] }> {
  const sessions: ApiSession[] = [];
  const parts: Part[] = [];
  do {
    const { body, headers } = await router.next(CONTENT.apiSessionAdded);
    const message = messages.ApiSessionAdded.decode(body);
    expect(message.isFullState).toBe(true);
    expect(readText(headers.get(1013))).toBe('instant');
    sessions.push(...message.apiSessions);
    parts.push(JSON.parse(readText(headers.get(1014))) as Part);
  } while (!parts.at(-1)?.isLast);
  return { sessions, parts };
}

/** The next message about sessions that is about this one. */
async function newsOf(type: number, isWanted: (frame: Frame) => boolean): Promise<Frame> {
  return router.take((frame) => frame.type === type && isWanted(frame));
}

const updated = ({ id }: Pick<Login, 'id'>) =>
  newsOf(CONTENT.apiSessionUpdated, ({ body }) =>
    messages.ApiSessionUpdated.decode(body).apiSessions.some((session) => session.id === id),
  );

const removed = (token: string) =>
  newsOf(CONTENT.apiSessionRemoved, ({ body }) =>
    messages.ApiSessionRemoved.decode(body).tokens.includes(token),
  );

describe('API sessions', () => {
  test('come all at first, in the order of their ids, in parts that are numbered', async () => {
    const login = await logIn();
    await router.introduce();
    const { sessions, parts } = await fullState();
    expect(sessions).toContainEqual({
      id: login.id,
      token: login.token,
      identityId: login.identityId,
      certFingerprints: [],
    });
    const ids = sessions.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
    expect(parts.map(({ sequence }) => sequence)).toEqual(parts.map((_part, i) => i));
    expect(new Set(parts.map(({ id }) => id)).size).toBe(1);
  });

  test('that begin and end are told, before their client can use them', async () => {
    await router.introduce();
    await fullState();
    const login = await logIn();
    const { headers } = await updated(login);
    expect(readText(headers.get(1013))).toBe('instant');
    await logOut(login.token);
    const { ids } = messages.ApiSessionRemoved.decode((await removed(login.token)).body);
    expect(ids).toEqual([login.id]);
  });

  test('come with the certificate of their login, also to a router that connects again', async () => {
    const authority = await newAuthority('Sessions Root');
    await addVerified(controller, authority, { externalIdClaim: COMMON_NAME_CLAIM });
    await controller.create('identities', {
      name: 'a device of others',
      type: 'Default',
      isAdmin: false,
      externalId: 'device-1',
    });
    await router.introduce();
    await fullState();
    const certificate = await newLeaf('device-1', authority);
    const answer = await authenticate(controller, 'cert', { certificate });
    const login = sessionIn(answer);
    const expected = expect.objectContaining({
      token: login.token,
      certFingerprints: [fingerprint(new X509Certificate(certificate.cert))],
    });
    const { body } = await updated(login);
    expect(messages.ApiSessionUpdated.decode(body).apiSessions).toContainEqual(expected);
    await router.close();
    router = await TestRouter.connect(controller.port, enrolled);
    await router.introduce();
    expect((await fullState()).sessions).toContainEqual(expected);
    await logOut(login.token);
    await removed(login.token);
  });

  test('come again when the router asks, under an id that sorts later', async () => {
    await router.introduce();
    const [first] = (await fullState()).parts;
    router.tell(CONTENT.requestResync, messages.RequestClientReSync, { reason: 'a gap' });
    const [second] = (await fullState()).parts;
    expect([first?.id, second?.id]).toEqual([first?.id, second?.id].sort());
    expect(second?.id).not.toBe(first?.id);
  });

  test('are kept alive by heartbeats; tokens without a session come back', async () => {
    const login = await logIn();
    await router.introduce();
    await fullState();
    router.tell(CONTENT.apiSessionHeartbeat, messages.ApiSessionHeartbeat, {
      tokens: [login.token, 'unknown'],
    });
    const { tokens } = messages.ApiSessionRemoved.decode((await removed('unknown')).body);
    expect(tokens).toEqual(['unknown']);
    await eventually(async () => {
      const { body } = await controller.rest('GET', `/identities/${login.identityId}`);
      expect(body.data).toMatchObject({ edgeRouterConnectionStatus: 'online' });
    });
  });

  test('for services that do not exist come back, too', async () => {
    router.tell(CONTENT.validateSessions, messages.ValidateSessionsRequest, {
      sessionTokens: ['a', 'b'],
    });
    const { body } = await router.next(CONTENT.sessionRemoved);
    expect(messages.SessionRemoved.decode(body).tokens).toEqual(['a', 'b']);
  });
});

test('a router says which identities are connected to it', async () => {
  const id = await controller.create('identities', {
    name: 'ann',
    type: 'Default',
    isAdmin: false,
  });
  const status = async (): Promise<unknown> => {
    const { body } = await controller.rest('GET', `/identities/${id}`);
    return (body.data as { edgeRouterConnectionStatus: string }).edgeRouterConnectionStatus;
  };
  const report = (isConnected: boolean, fullState: boolean) =>
    router.tell(CONTENT.connectEvents, messages.ConnectEvents, {
      events: [{ identityId: id, isConnected, connectTimes: [{ connectTime: 1_700_000_000_000 }] }],
      fullState,
    });
  report(true, true);
  await eventually(async () => {
    expect(await status()).toBe('online');
  });
  report(false, false);
  await eventually(async () => {
    expect(await status()).toBe('offline');
  });
});

test('a router says which network interfaces it has', async () => {
  const body = messages.RouterInterfacesUpdate.encode({
    interfaces: [
      {
        name: 'eth0',
        hardwareAddress: '02:00:00:00:00:01',
        mtu: 1500,
        index: 2,
        // Up, broadcast, multicast, running.
        flags: 1 + 2 + 16 + 32,
        addresses: ['10.0.0.1/8'],
      },
    ],
  });
  expect(isSuccess(await router.ask(CONTENT.interfaces, body))).toBe(true);
  const shown = await controller.rest('GET', `/edge-routers/${enrolled.id}`);
  expect((shown.body.data as { interfaces: unknown[] }).interfaces).toEqual([
    {
      name: 'eth0',
      hardwareAddress: '02:00:00:00:00:01',
      mtu: 1500,
      index: 2,
      isUp: true,
      isBroadcast: true,
      isLoopback: false,
      isMulticast: true,
      isRunning: true,
      addresses: ['10.0.0.1/8'],
    },
  ]);
});

describe('of other routers', () => {
  test('a router learns when they come and go', async () => {
    const other = await enrollRouter(controller);
    const listeners = messages.Listeners.encode({
      listeners: [{ address: 'tls:other:10080', protocol: 'tls', groups: ['default'] }],
    });
    const second = await TestRouter.connect(controller.port, other, {
      headers: new Map([[10, listeners]]),
    });
    const stateOf = async (state: string) =>
      router.take(
        ({ type, body }) =>
          type === CONTENT.peerStateChanges &&
          messages.PeerStateChanges.decode(body).changes.some(
            (change) => change.id === other.id && change.state === state,
          ),
      );
    const { changes } = messages.PeerStateChanges.decode((await stateOf('Healthy')).body);
    expect(changes).toContainEqual({
      id: other.id,
      version: 'v1.6.20',
      state: 'Healthy',
      listeners: [
        {
          address: 'tls:other:10080',
          protocol: 'tls',
          costTags: [],
          groups: ['default'],
          localBinding: '',
        },
      ],
    });
    const peers = messages.PeerStateChanges.decode(
      (await second.next(CONTENT.peerStateChanges)).body,
    );
    expect(peers.changes.map(({ id }) => id)).toContain(enrolled.id);
    expect(peers.changes.map(({ id }) => id)).not.toContain(other.id);
    await second.close();
    await stateOf('Unhealthy');
    // So that they close their links to it.
    await controller.rest('DELETE', `/edge-routers/${other.id}`);
    await stateOf('Removed');
  });

  test('their certificates are proved by their fingerprints', async () => {
    const other = await enrollRouter(controller);
    const { body } = await controller.rest('GET', `/edge-routers/${other.id}`);
    const { fingerprint } = body.data as { fingerprint: string };
    const verify = async (routerId: string, fingerprints: string[]): Promise<boolean> =>
      isSuccess(
        await router.ask(
          CONTENT.verifyRouter,
          messages.VerifyRouter.encode({ routerId, fingerprints }),
        ),
      );
    expect(await verify(other.id, ['00', fingerprint])).toBe(true);
    expect(await verify(enrolled.id, [fingerprint])).toBe(false);
    expect(await verify('nobody', [fingerprint])).toBe(false);
    expect(await verify(other.id, [])).toBe(false);
  });
});

describe('the channel', () => {
  test('answers pings, and heartbeats with the same bytes', async () => {
    expect(isSuccess(await router.ask(CONTENT.ping))).toBe(true);
    const time = uint64Value(2n ** 63n + 12_345n);
    router.send(CONTENT.heartbeat, undefined, new Map([[HEADER.heartbeat, time]]));
    const answer = await router.take(({ headers }) => headers.has(HEADER.heartbeatAnswer));
    expect(answer.headers.get(HEADER.heartbeatAnswer)).toEqual(time);
  });

  test('answers latency probes with the headers that routers want back', async () => {
    const answer = await router.ask(
      CONTENT.latency,
      undefined,
      new Map([
        [128, Buffer.from('back')],
        [127, Buffer.from('not')],
      ]),
    );
    expect(answer.headers.get(128)?.toString()).toBe('back');
    expect(answer.headers.has(127)).toBe(false);
  });

  test.each([20_205, 20_207, 20_222])(
    'refuses the request %i, which the controller does not serve',
    async (type) => {
      const answer = await router.ask(type);
      expect([answer.type, readUint32(answer.headers.get(1014))]).toEqual([CONTENT.error, 1]);
      expect(readText(answer.body)).toBe('the controller does not serve this request');
    },
  );

  test('continues after messages that are unknown or can not be read', async () => {
    router.send(4711, Buffer.from('?'));
    router.send(-33);
    for (const type of Object.values(CONTENT)) {
      if (type !== CONTENT.heartbeat) router.send(type, Buffer.from('0b0b0b0b0b7f', 'hex'));
    }
    expect(isSuccess(await router.ask(CONTENT.ping))).toBe(true);
  });

  test('of a router that floods ends nobody else, and works through its flood', async () => {
    const other = await TestRouter.connect(controller.port, await enrollRouter(controller));
    const body = messages.ApiSessionHeartbeat.encode({ tokens: ['flood'] });
    for (let i = 0; i < 5_000; i += 1) router.send(CONTENT.apiSessionHeartbeat, body);
    expect(isSuccess(await other.ask(CONTENT.ping))).toBe(true);
    expect((await controller.rest('GET', '/identities')).status).toBe(200);
    for (let i = 0; i < 5_000; i += 1) await removed('flood');
    await other.close();
  });

  test('ends for a frame that is none', async () => {
    router.socket.write('not a frame');
    await router.closed;
  });
});
