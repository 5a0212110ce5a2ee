import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import type { RouterHello } from '../../../src/data/rows/router/index.js';
import type { RouterConnection } from '../../../src/network/presence/index.js';
import { startPresenceUpkeep } from '../../../src/programs/controller/presence-upkeep.js';
import { Leases } from '../../../src/data/store/leases.js';
import { eventually } from '../../support/eventually.js';
import type { InProcess } from '../../support/in-process.js';
import { LAPSE, Recorder, shown, TwoControllers } from './two-controllers.js';

/* Routers that are reported to one controller, as both of them know it. */

let network: TwoControllers;
let first: InProcess;
let second: InProcess;
let channel: Recorder;
let detach: (() => void) | undefined;
let hello: RouterHello;

const OFFLINE = {
  isOnline: false,
  hostname: '',
  supportedProtocols: [],
  syncStatus: 'SYNC_NEW',
  versionInfo: null,
};
const ONLINE = {
  isOnline: true,
  hostname: 'router.example',
  supportedProtocols: [{ protocol: 'tls', address: 'tls://router.example:3022' }],
  syncStatus: 'SYNC_DONE',
  versionInfo: { version: 'v1.6.20', os: 'linux' },
};

beforeAll(async () => {
  network = await TwoControllers.start();
  ({ first, second } = network);
});
afterAll(() => network.stop());
beforeEach(async () => {
  detach?.();
  channel = new Recorder();
  detach = first.parts.presence.attach(channel);
  hello = await network.router();
});

const connect = (on: InProcess = first): Promise<RouterConnection> =>
  on.parts.presence.connect(hello);

const run = (on: InProcess, text: string): Promise<unknown> => {
  const { routerId: id } = hello;
  return on.read(`mutation ($id: ID!) { ${text} }`, { id });
};

/** Whether a list of the routers that are online has it. */
async function isListedOnline(isOnline = true): Promise<boolean> {
  const { edgeRouters } = await second.read<{ edgeRouters: { nodes: { id: string }[] } }>(
    `query ($where: EdgeRouterWhere) { edgeRouters(where: $where) { nodes { id } } }`,
    { where: { id: { eq: hello.routerId }, isOnline: { eq: isOnline } } },
  );
  return edgeRouters.nodes.length === 1;
}

/** The routers that the overview names as offline. */
async function offlineRouterIds(): Promise<string[]> {
  const { overview } = await second.read<{
    overview: { routers: { offlineRouters: { id: string }[] } };
  }>('{ overview { routers { offlineRouters(first: 25) { id } } } }');
  return overview.routers.offlineRouters.map(({ id }) => id);
}

/** Since when it is online: as an edge router, and as a router of any kind. */
async function shownSince(on: InProcess): Promise<(string | null)[]> {
  await on.parts.presence.refresh();
  const rows = await on.read<Record<string, { onlineSince: string | null; hostname: string }>>(
    `query ($id: ID!) { edgeRouter(id: $id) { onlineSince hostname } router(id: $id) { onlineSince hostname } }`,
    { id: hello.routerId },
  );
  expect(rows.router).toEqual(rows.edgeRouter);
  return Object.values(rows).map(({ onlineSince }) => onlineSince);
}

describe('a router that never connected', () => {
  test('is offline, and has nothing to show', async () => {
    expect(await shown(first, hello)).toEqual(OFFLINE);
    expect([await isListedOnline(), await isListedOnline(false)]).toEqual([false, true]);
  });
});

describe('a connected router', () => {
  test('is online on both controllers, with what it told', async () => {
    await connect();
    expect(await shown(first, hello)).toEqual(ONLINE);
    expect(await shown(second, hello)).toEqual(ONLINE);
    expect([await isListedOnline(), await isListedOnline(false)]).toEqual([true, false]);
    expect(second.parts.presence.router(hello.routerId)).toMatchObject({
      linkListeners: hello.linkListeners,
      versionInfo: hello.versionInfo,
      connectedAt: network.clock.now(),
    });
    expect(second.parts.presence.routers().map((r) => r.routerId)).toContain(hello.routerId);
  });

  test('says since when it is online, until it is gone', async () => {
    const connection = await connect();
    const since = network.clock.now().toISOString();
    network.clock.advance(LAPSE - 1);
    await first.parts.presence.renew();
    expect(await shownSince(second)).toEqual([since, since]);
    await connection.end();
    expect(await shownSince(second)).toEqual([null, null]);
  });

  test('may tell later where clients reach it', async () => {
    const { routerId, fingerprint, versionInfo, linkListeners } = hello;
    const bare = { routerId, fingerprint, versionInfo, linkListeners };
    const connection = await first.parts.presence.connect(bare);
    expect(await shown(second, hello)).toMatchObject({ isOnline: true, supportedProtocols: [] });
    await connection.update({ listeners: { tls: 'tls://late:1' }, syncStatus: 'SYNC_IN_PROGRESS' });
    for (const on of [first, second]) {
      expect(await shown(on, hello)).toMatchObject({
        supportedProtocols: [{ protocol: 'tls', address: 'tls://late:1' }],
        syncStatus: 'SYNC_IN_PROGRESS',
      });
    }
  });

  test('is offline on both once its connection ends', async () => {
    const connection = await connect();
    await shown(second, hello);
    await connection.end();
    expect(await shown(first, hello)).toEqual(OFFLINE);
    expect(await shown(second, hello)).toEqual(OFFLINE);
  });

  test('lapses on both when nobody renews what was reported', async () => {
    await connect();
    await shown(second, hello);
    network.clock.advance(LAPSE - 1);
    expect(await shown(second, hello)).toEqual(ONLINE);
    expect([await isListedOnline(), await isListedOnline(false)]).toEqual([true, false]);
    network.clock.advance(1);
    expect(await shown(first, hello)).toEqual(OFFLINE);
    expect(await shown(second, hello)).toEqual(OFFLINE);
    expect([await isListedOnline(), await isListedOnline(false)]).toEqual([false, true]);
    expect(await offlineRouterIds()).toContain(hello.routerId);
  });

  test('stays online while its controller renews', async () => {
    await connect();
    for (let i = 0; i < 4; i += 1) {
      network.clock.advance(LAPSE - 1);
      await first.parts.presence.renew();
      expect(await shown(second, hello)).toEqual(ONLINE);
    }
  });

  test('is known to another controller by polling within a second', async () => {
    const onError = (error: unknown): void => {
      throw error as Error;
    };
    const stops = await Promise.all(
      [first, second].map(({ parts: { presence, store } }) =>
        startPresenceUpkeep(presence, new Leases(store, onError), onError),
      ),
    );
    const { routerId } = hello;
    const came: number[] = [];
    const went: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      const connection = await connect();
      const known = await eventually(() => {
        expect(second.parts.presence.router(routerId)).toBeDefined();
      });
      came.push(known.tookMs);
      await connection.end();
      const forgotten = await eventually(() => {
        expect(second.parts.presence.router(routerId)).toBeUndefined();
      });
      went.push(forgotten.tookMs);
    }
    // The quickest of several, since a busy machine holds back any of them.
    expect(Math.min(...came)).toBeLessThan(1000);
    expect(Math.min(...went)).toBeLessThan(1000);
    for (const stop of stops) await stop();
  });

  test('goes offline at once when its controller stops', async () => {
    await connect();
    expect(await shown(second, hello)).toEqual(ONLINE);
    await first.parts.presence.stop();
    expect(await shown(second, hello)).toEqual(OFFLINE);
  });

  test('is told of to channels, also of other controllers', async () => {
    const other = new Recorder();
    const detachOther = second.parts.presence.attach(other);
    const connection = await connect();
    await second.parts.presence.refresh();
    await connection.update({ listeners: {} });
    await second.parts.presence.refresh();
    await connection.end();
    await second.parts.presence.refresh();
    const { routerId } = hello;
    expect(channel.routers.flat().filter((id) => id === routerId)).toHaveLength(3);
    expect(other.routers.flat().filter((id) => id === routerId)).toHaveLength(3);
    detachOther();
  });
});

describe('a second connection of a router', () => {
  test('replaces the first on the same controller', async () => {
    const [old, young] = [await connect(), await connect()];
    expect(channel.reasonsFor(old)).toEqual(['replaced']);
    expect([old.isOpen, young.isOpen]).toEqual([false, true]);
    await old.update({ hostname: 'old' });
    await old.end();
    expect(await shown(second, hello)).toEqual(ONLINE);
  });

  test('replaces the first on another controller', async () => {
    const old = await connect(first);
    await connect(second);
    await first.parts.presence.refresh();
    expect(channel.reasonsFor(old)).toEqual(['replaced']);
    await old.end();
    await first.parts.presence.renew();
    expect(await shown(second, hello)).toEqual(ONLINE);
    expect(await shown(first, hello)).toEqual(ONLINE);
  });
});

describe('a router may not connect', () => {
  const refused = { code: 'UNAUTHORIZED' };

  test('when nobody knows it', async () => {
    hello = { ...hello, routerId: 'nobody' };
    await expect(connect()).rejects.toMatchObject(refused);
  });

  test('with another certificate than that which it enrolled with', async () => {
    const other = await network.router();
    hello = { ...hello, fingerprint: other.fingerprint };
    await expect(connect()).rejects.toMatchObject(refused);
  });

  test('before it has enrolled', async () => {
    const routerId = await first.create('EdgeRouter', { name: network.unique('router') });
    hello = { ...hello, routerId, fingerprint: '' };
    await expect(connect()).rejects.toMatchObject(refused);
  });

  test.each(['disableIt', 'reEnrollEdgeRouter(id: $id) { id }', 'deleteEdgeRouter(id: $id)'])(
    'after %s',
    async (text) => {
      await run(first, text.replace('disableIt', DISABLE));
      await expect(connect()).rejects.toMatchObject(refused);
      const known = await first.parts.store.query(
        sql`select from router_presence where router_id = ${hello.routerId}::text`,
      );
      expect(known).toEqual([]);
    },
  );
});

const DISABLE = 'updateEdgeRouter(id: $id, input: { disabled: true }) { id }';
const ENABLE = 'updateEdgeRouter(id: $id, input: { disabled: false }) { id }';

describe('a connected router is disconnected', () => {
  const CHANGES = [
    ['disabled', DISABLE],
    ['re-enrolled', 'reEnrollEdgeRouter(id: $id) { id }'],
    ['deleted', 'deleteEdgeRouter(id: $id)'],
  ] as const;
  const cases = CHANGES.flatMap(([reason, text]) =>
    ['its own', 'another'].map((where) => [reason, where, text] as const),
  );

  test.each(cases)('when it is %s at %s controller', async (reason, where, text) => {
    const connection = await connect();
    await run(where === 'another' ? second : first, text);
    await eventually(() => {
      expect(channel.reasonsFor(connection)).toEqual([reason]);
    });
    expect(connection.isOpen).toBe(false);
    for (const { parts } of [first, second]) {
      await eventually(async () => {
        await parts.presence.refresh();
        expect(parts.presence.router(hello.routerId)).toBeUndefined();
      });
    }
  });

  test('and is not online in the moment before', async () => {
    await connect();
    await shown(second, hello);
    // Only the row tells of it yet: the change log does not.
    await first.parts.store.query(
      sql`update router set disabled = true where id = ${hello.routerId}::text`,
    );
    expect(await shown(second, hello)).toEqual(OFFLINE);
  });

  test('but not by an earlier change that is heard of late', async () => {
    await run(second, DISABLE);
    await run(second, ENABLE);
    const connection = await connect();
    const marker = await second.create('EdgeRouter', { name: network.unique('router') });
    await eventually(() => {
      expect(first.parts.model.policies.entity('edgeRouter', marker)).toBeDefined();
    });
    expect(channel.reasonsFor(connection)).toEqual([]);
    expect(connection.isOpen).toBe(true);
    await connection.end();
  });

  test('not by other changes, nor by a new certificate that it got in use', async () => {
    const connection = await connect();
    await run(second, 'updateEdgeRouter(id: $id, input: { cost: 5 }) { id }');
    await run(first, 'updateEdgeRouter(id: $id, input: { cost: 6 }) { id }');
    expect(channel.reasonsFor(connection)).toEqual([]);
    expect(await shown(second, hello)).toEqual(ONLINE);
    await connection.end();
  });

  test('when the database lost what was reported, so that it tells everything again', async () => {
    const connection = await connect();
    await shown(second, hello);
    await first.parts.store.query(sql`delete from router_presence`);
    await first.parts.store.query(sql`delete from presence_version`);
    expect(await shown(second, hello)).toEqual(OFFLINE);
    await first.parts.presence.renew();
    expect(channel.reasonsFor(connection)).toEqual(['lost']);
    await connect();
    expect(await shown(second, hello)).toEqual(ONLINE);
  });
});

describe('a channel', () => {
  test('that was detached is told nothing more', async () => {
    const connection = await connect();
    detach?.();
    await run(first, DISABLE);
    expect(connection.isOpen).toBe(false);
    expect(channel.reasonsFor(connection)).toEqual([]);
  });
});

describe('long after', () => {
  test('nothing is left of a router that was lost', async () => {
    await connect();
    network.clock.advance(LAPSE + 300_001);
    await second.parts.presence.deleteExpired();
    const left = await first.parts.store.query(sql`select router_id from router_presence`);
    expect(left).toEqual([]);
  });
});
