import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';

import type { RouterHello } from '../../../src/data/rows/router/index.js';
import { inSession } from '../../trust/auth/in-process-logins.js';
import { callerOf, InProcessRest, type InProcess } from '../../support/in-process.js';
import { TwoControllers } from './two-controllers.js';

/* Routers and terminators as clients see them, on both doors of the controller beside. */

const CLIENT = '/edge/client/v1';

let network: TwoControllers;
let first: InProcess;
let second: InProcess;
let person: string;
let client: InProcessRest;
let admin: InProcessRest;
let hidden: string;
let unverified: string;
let service: string;
let secret: string;
const routers: RouterHello[] = [];

beforeAll(async () => {
  network = await TwoControllers.start();
  ({ first, second } = network);
  person = await network.person();
  for (let i = 0; i < 3; i += 1) routers.push(await network.router({ roleAttributes: ['near'] }));
  hidden = (await network.router()).routerId;
  unverified = await first.create('EdgeRouter', { name: 'new', roleAttributes: ['near'] });
  service = await newService('wiki');
  secret = await newService('secret');
  await first.create('ServicePolicy', {
    name: 'dial',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: [`@${person}`],
    serviceRoles: [`@${service}`],
  });
  await first.create('EdgeRouterPolicy', {
    name: 'near',
    semantic: 'AnyOf',
    identityRoles: [`@${person}`],
    edgeRouterRoles: ['#near'],
  });
  await first.create('ServiceEdgeRouterPolicy', {
    name: 'all',
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  for (const serviceId of [service, secret]) {
    await first.create('Terminator', {
      service: serviceId,
      router: hidden,
      binding: 'edge',
      address: 'somewhere',
      identity: 'host-1',
    });
  }
  await second.parts.model.load();
  admin = await InProcessRest.listen(second, await second.defaultAdminId());
  client = await InProcessRest.listen(second, person);
});
afterAll(async () => {
  await client.stop();
  await admin.stop();
  await network.stop();
});

const newService = (name: string): Promise<string> =>
  first.create('Service', { name, encryptionRequired: true });

const list = async (door: InProcessRest, path: string): Promise<Row[]> => {
  const { status, body } = await door.get(`${CLIENT}${path}`);
  expect(status).toBe(200);
  return body.data;
};
const idsIn = (rows: readonly Row[]): unknown[] => rows.map((row) => row.id);
const near = (): string[] => routers.map((r) => r.routerId).sort();

async function connected(at: number): Promise<() => Promise<void>> {
  const hello = routers[at];
  if (!hello) throw new Error('no such router');
  const connection = await first.parts.presence.connect(hello);
  await second.parts.presence.refresh();
  return async () => {
    await connection.end();
    await second.parts.presence.refresh();
  };
}

describe('the edge routers of the current identity', () => {
  const PATH = '/current-identity/edge-routers';

  test('are the enrolled ones that it may use', async () => {
    expect(idsIn(await list(client, PATH))).toEqual(near());
  });

  test('are all enrolled ones for an administrator', async () => {
    const ids = idsIn(await list(admin, PATH));
    expect(ids).toEqual([...near(), hidden].sort());
    expect(ids).not.toContain(unverified);
  });

  test('are the own ones for somebody who may read routers', async () => {
    const ctx = second.ctx(callerOf(person, 'router', 'service'));
    const { clientEdgeRouters } = await second.read<{ clientEdgeRouters: { nodes: Row[] } }>(
      '{ clientEdgeRouters { nodes { id } } }',
      {},
      ctx,
    );
    expect(idsIn(clientEdgeRouters.nodes)).toEqual(near());
  });

  test('show what is known of them, and nothing for administrators alone', async () => {
    const end = await connected(0);
    const shown = await list(client, PATH);
    expect(shown.find((row) => row.id === routers[0]?.routerId)).toEqual({
      id: routers[0]?.routerId,
      _links: { self: { href: `./edge-routers/${String(routers[0]?.routerId)}` } },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      tags: {},
      name: expect.stringMatching(/^router /),
      hostname: 'router.example',
      isOnline: true,
      supportedProtocols: { tls: 'tls://router.example:3022' },
      syncStatus: 'SYNC_DONE',
      cost: 0,
      noTraversal: false,
      disabled: false,
      appData: {},
    });
    expect(shown.filter((row) => row.isOnline === true)).toHaveLength(1);
    await end();
  });

  test('come whole, or in the pages that clients ask for', async () => {
    const all = await client.get(`${CLIENT}${PATH}`);
    expect(all.body.meta.pagination).toMatchObject({ totalCount: 3 });
    const page = await client.get(`${CLIENT}${PATH}?limit=2&offset=2`);
    expect(idsIn(page.body.data)).toEqual([near()[2]]);
    expect(page.body.meta.pagination).toEqual({ limit: 2, offset: 2, totalCount: 3 });
  });

  test.each(['fingerprint', 'isVerified', 'roleAttributes', 'enrollmentToken'])(
    'can not be asked for by %s',
    async (name) => {
      const answer = await client.get(`${CLIENT}${PATH}?filter=${name}%20!%3D%20null`);
      expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_FILTER']);
    },
  );
});

describe('the edge routers of a service', () => {
  const path = (id = service): string => `/services/${id}/edge-routers`;
  const of = async (door = client): Promise<Row[]> => {
    const { status, body } = await door.get(`${CLIENT}${path()}`);
    expect(status).toBe(200);
    expect(Object.keys(body.data)).toEqual(['edgeRouters']);
    return (body.data as { edgeRouters: Row[] }).edgeRouters;
  };

  test('are those over which the caller reaches it, online ones first', async () => {
    const end = await connected(2);
    const shown = await of();
    expect(shown).toHaveLength(4);
    expect(shown.map((row) => row.isOnline)).toEqual([true, false, false, false]);
    expect(Object.keys(shown[0] ?? {}).sort()).toEqual(
      [
        'appData',
        'cost',
        'disabled',
        'hostname',
        'isOnline',
        'name',
        'noTraversal',
        'supportedProtocols',
        'syncStatus',
      ].sort(),
    );
    await end();
    expect((await of()).map((row) => row.isOnline)).toEqual([false, false, false, false]);
  });

  test('are those of a session for it, whether they have enrolled or not', async () => {
    const end = await connected(1);
    const ctx = await inSession(second, client.token);
    const { openSession } = await second.read<{ openSession: { edgeRouters: Row[] } }>(
      `mutation { openSession(input: { serviceId: "${service}" }) { edgeRouters {
        routerId routerName hostname isOnline supportedProtocols { protocol address }
        syncStatus cost noTraversal disabled appData } } }`,
      {},
      ctx,
    );
    const ofService = await of();
    expect(openSession.edgeRouters).toEqual(
      ofService.map(({ name, supportedProtocols, ...row }) => ({
        ...row,
        routerId: expect.any(String),
        routerName: name,
        supportedProtocols: Object.entries(supportedProtocols as object).map(
          ([protocol, address]: [string, unknown]) => ({ protocol, address }),
        ),
      })),
    );
    expect(openSession.edgeRouters.map(({ routerName }) => routerName)).toContain('new');
    // On REST sessions show the addresses under an older name too.
    const { body } = await client.get(`${CLIENT}/sessions`);
    const [session] = body.data as { edgeRouters: Row[] }[];
    expect(JSON.stringify(session?.edgeRouters)).toBe(
      JSON.stringify(
        ofService.map(({ name, hostname, isOnline, supportedProtocols, ...row }) => ({
          name,
          hostname,
          isOnline,
          supportedProtocols,
          urls: supportedProtocols,
          ...row,
        })),
      ),
    );
    await end();
  });

  test('are at most 25, those online among them', async () => {
    const made: RouterHello[] = [];
    for (let i = 0; i < 24; i += 1) made.push(await network.router({ roleAttributes: ['near'] }));
    await second.parts.model.load();
    const last = [...made, ...routers].sort((a, b) => (a.routerId < b.routerId ? -1 : 1)).at(-1);
    const connection = last && (await first.parts.presence.connect(last));
    await second.parts.presence.refresh();
    const shown = await of();
    expect([shown.length, shown[0]?.isOnline]).toEqual([25, true]);
    await connection?.end();
    for (const { routerId } of made) {
      await first.read('mutation ($id: ID!) { deleteEdgeRouter(id: $id) }', { id: routerId });
    }
  });

  test.each(['nothing', () => secret])('are not found for what is invisible', async (id) => {
    const at = path(typeof id === 'string' ? id : id());
    for (const door of [client, admin]) {
      expect((await door.get(`${CLIENT}${at}`)).status).toBe(404);
    }
  });

  describe('with a session token', () => {
    interface Opened {
      readonly id: string;
      readonly token: string;
    }

    const open = async (): Promise<Opened> => {
      const { status, body } = await client.send('POST', `${CLIENT}/sessions`, {
        serviceId: service,
        type: 'Dial',
      });
      expect([200, 201]).toContain(status);
      return body.data;
    };
    const own = async (): Promise<string> => (await open()).token;

    /** A token as if the login had opened a session. */
    const signed = async (door: InProcessRest): Promise<string> => {
      const ctx = await inSession(second, door.token);
      const { apiSessionId = '', identityId = '' } = ctx.caller ?? {};
      return first.ctx().modules.sessionTokens.signSessionToken({
        sessionId: 'session1',
        serviceId: service,
        identityId,
        apiSessionId,
        type: 'Dial',
        now: network.clock.now(),
      });
    };

    test('of the own login are the same', async () => {
      const headers = { 'session-token': await own() };
      const answer = await client.get(`${CLIENT}${path()}`, headers);
      expect((answer.body.data as { edgeRouters: Row[] }).edgeRouters).toEqual(await of());
    });

    test.each([
      ['of another login', () => signed(admin)],
      ['of a session that never was', () => signed(client)],
      [
        'of a session that has ended',
        async () => {
          const session = await open();
          await client.send('DELETE', `${CLIENT}/sessions/${session.id}`);
          return session.token;
        },
      ],
      ['that is none', () => Promise.resolve('ey.x.y')],
    ])('%s are refused with the cause', async (_, make) => {
      const headers = { 'session-token': await make() };
      const { status, body } = await client.get(`${CLIENT}${path()}`, headers);
      expect([status, body.error.code]).toEqual([401, 'UNAUTHORIZED']);
      expect(body.error).toMatchObject({
        cause: { message: expect.stringContaining('session token') },
      });
    });

    test('are checked on the graph as well', async () => {
      const ctx = await inSession(second, client.token);
      const text = `query ($id: ID!, $token: String) { currentService(id: $id, sessionToken: $token) {
        clientEdgeRouters { totalCount nodes { name } } } }`;
      const good = await second.read<{ currentService: { clientEdgeRouters: Row } }>(
        text,
        { id: service, token: await own() },
        ctx,
      );
      expect(good.currentService.clientEdgeRouters.totalCount).toBe(4);
      const bad = await second.graph(text, { id: service, token: await signed(admin) }, ctx);
      expect(bad.errors.map((e) => e?.code)).toEqual(['UNAUTHORIZED']);
    });
  });
});

describe('the terminators of a service', () => {
  const path = (id = service): string => `/services/${id}/terminators`;

  test('show what clients need to address them, and no more', async () => {
    const [terminator] = await list(client, path());
    expect(terminator).toEqual({
      id: expect.any(String),
      _links: { self: { href: `./terminators/${String(terminator?.id)}` } },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      tags: {},
      identity: 'host-1',
      serviceId: service,
      service: {
        _links: { self: { href: `./services/${service}` } },
        entity: 'services',
        id: service,
        name: 'wiki',
      },
      routerId: hidden,
    });
  });

  test('are filtered and paged', async () => {
    expect(await list(client, `${path()}?filter=identity%3D"host-2"`)).toEqual([]);
    expect(await list(client, `${path()}?limit=1&offset=1`)).toEqual([]);
  });

  test('are not found for what is invisible', async () => {
    for (const door of [client, admin]) {
      expect((await door.get(`${CLIENT}${path(secret)}`)).status).toBe(404);
      expect((await door.get(`${CLIENT}${path('nothing')}`)).status).toBe(404);
    }
  });

  test('on the graph are those of visible services alone', async () => {
    const ctx = await inSession(second, client.token);
    const { clientTerminators } = await second.read<{ clientTerminators: { nodes: Row[] } }>(
      '{ clientTerminators { nodes { serviceId } totalCount } }',
      {},
      ctx,
    );
    expect(clientTerminators).toEqual({ nodes: [{ serviceId: service }], totalCount: 1 });
    const { errors } = await second.graph('{ terminators { nodes { id } } }', {}, ctx);
    expect(errors.map((e) => e?.code)).toEqual(['UNAUTHORIZED']);
  });
});
