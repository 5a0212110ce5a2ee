import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { MIN_NODES } from '../../../src/access/analysis/index.js';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { originOf } from '../../../src/kernel/write/write.js';
import type { RouterHello } from '../../../src/data/rows/router/index.js';
import type { RouterConnection } from '../../../src/network/presence/index.js';
import { inSession, MINUTE, storedActivity } from '../../trust/auth/in-process-logins.js';
import { eventually } from '../../support/eventually.js';
import type { InProcess } from '../../support/in-process.js';
import { LAPSE, TIMEOUT, TwoControllers } from './two-controllers.js';

/* Clients of identities at routers, as reported to one controller and shown by the other. */

let network: TwoControllers;
let first: InProcess;
let second: InProcess;
let hello: RouterHello;
let connection: RouterConnection;
let people: string[];

beforeAll(async () => {
  network = await TwoControllers.start();
  ({ first, second } = network);
});
afterAll(() => network.stop());
beforeEach(async () => {
  hello = await network.router();
  connection = await first.parts.presence.connect(hello);
  people = [await network.person(), await network.person(), await network.person()];
});

interface Shown {
  readonly hasEdgeRouterConnection: boolean;
  readonly edgeRouterConnectionStatus: string;
}

/** Of the people, by the other controller. */
async function statuses(on = second): Promise<string[]> {
  await on.parts.presence.refresh();
  // The feed would tell it of the people that the other controller has created.
  await on.forgetRows();
  const { identities, ...selected } = await on.read<Record<string, { nodes: Listed[] }>>(LISTED);
  const nodes = identities?.nodes ?? [];
  for (const [name, list] of Object.entries(selected)) {
    const expected = nodes.filter((node) => SELECTIONS[name]?.isOf(node)).map(({ id }) => id);
    expect([name, list.nodes.map(({ id }) => id)]).toEqual([name, expected]);
  }
  return people.map((id) => {
    const found = nodes.find((node) => node.id === id);
    const status = found?.edgeRouterConnectionStatus ?? '';
    expect(found?.hasEdgeRouterConnection).toBe(status === 'online');
    return status;
  });
}

type Listed = { readonly id: string } & Shown;

/** Conditions on the same values, and whether they select a row that shows them. */
const SELECTIONS: Readonly<
  Record<string, { readonly args: string; readonly isOf: (shown: Shown) => boolean }>
> = {
  connected: {
    args: 'where: { hasEdgeRouterConnection: { eq: true } }',
    isOf: (shown) => shown.hasEdgeRouterConnection,
  },
  notConnected: {
    args: 'filter: "not hasEdgeRouterConnection"',
    isOf: (shown) => !shown.hasEdgeRouterConnection,
  },
  online: {
    args: 'filter: "edgeRouterConnectionStatus = \\"online\\""',
    isOf: (shown) => shown.edgeRouterConnectionStatus === 'online',
  },
  unknown: {
    args: 'where: { edgeRouterConnectionStatus: { eq: unknown } }',
    isOf: (shown) => shown.edgeRouterConnectionStatus === 'unknown',
  },
  notOffline: {
    args: 'where: { edgeRouterConnectionStatus: { notIn: [offline] } }',
    isOf: (shown) => shown.edgeRouterConnectionStatus !== 'offline',
  },
};
const LISTED = `{
  identities(first: 500) { nodes { id hasEdgeRouterConnection edgeRouterConnectionStatus } }
  ${Object.entries(SELECTIONS)
    .map(([name, { args }]) => `${name}: identities(first: 500, ${args}) { nodes { id } }`)
    .join('\n')}
}`;

const came = (identityId: string) => ({ identityId, isConnected: true });
const went = (identityId: string) => ({ identityId, isConnected: false });
const person = (at: number): string => people[at] ?? '';

describe('the map', () => {
  test('counts the identities and the edge routers that are online now', async () => {
    await connection.clients([came(person(0)), came(person(1))], false);
    await second.parts.presence.refresh();
    await second.parts.model.load();
    const role = `on-${person(0)}`;
    for (const id of people.slice(0, 2)) {
      await second.read(
        'mutation ($id: ID!, $input: UpdateIdentityInput!) { updateIdentity(id: $id, input: $input) { id } }',
        { id, input: { roleAttributes: [role] } },
      );
    }
    await second.create('EdgeRouterPolicy', {
      name: role,
      semantic: 'AnyOf',
      identityRoles: [`#${role}`, `@${person(2)}`],
      edgeRouterRoles: [`@${hello.routerId}`],
    });
    const query = `query ($at: String) { accessMap(at: $at, identityFilter: "anyOf(roleAttributes) = \\"${role}\\"") {
      nodes { kind count onlineCount edgeRouterCount } } }`;
    const read = async (at: string | null) =>
      (await second.read<{ accessMap: { nodes: Row[] } }>(query, { at })).accessMap.nodes;
    const now = await read(null);
    expect(now).toContainEqual(
      expect.objectContaining({ kind: 'identity', count: 2, onlineCount: 2 }),
    );
    expect(now).toContainEqual(
      expect.objectContaining({ kind: 'edgeRouter', count: 1, onlineCount: 1 }),
    );
    expect(now).toContainEqual(
      expect.objectContaining({ kind: 'edgeRouterPolicy', onlineCount: null }),
    );
    await connection.end();
    await second.parts.presence.refresh();
    expect((await read(null)).every(({ onlineCount }) => onlineCount !== 2)).toBe(true);
  });

  test('counts those of a class that it merges by the key of the class', async () => {
    await connection.clients([came(person(0))], false);
    await second.parts.presence.refresh();
    await second.parts.model.load();
    for (let i = 0; i < MIN_NODES; i += 1) {
      await second.create('EdgeRouterPolicy', {
        name: `${person(0)} ${String(i)}`,
        semantic: 'AnyOf',
        identityRoles: [`@${i === 0 ? person(0) : await network.person()}`],
        edgeRouterRoles: [],
      });
    }
    await second.parts.model.load();
    const { accessMap } = await second.read<{ accessMap: { nodes: Row[] } }>(
      '{ accessMap(maxNodes: 2000) { nodes { key kind onlineCount } } }',
    );
    const classes = accessMap.nodes.filter(({ kind }) => kind === 'identity');
    expect(classes.length).toBeGreaterThan(MIN_NODES);
    expect(classes.filter(({ onlineCount }) => onlineCount === 1)).toHaveLength(1);
    for (const { key, onlineCount } of classes) {
      const { accessMapClass } = await second.read<{ accessMapClass: Row }>(
        `query ($key: ID!) { accessMapClass(key: $key, maxNodes: ${String(MIN_NODES)}) { onlineCount } }`,
        { key },
      );
      expect(accessMapClass.onlineCount).toBe(onlineCount);
    }
  });
});

describe('a client', () => {
  test('is online while it is connected to a router', async () => {
    expect(await statuses()).toEqual(['offline', 'offline', 'offline']);
    await connection.clients([came(person(0)), came(person(1))], false);
    expect(await statuses()).toEqual(['online', 'online', 'offline']);
    expect(await statuses(first)).toEqual(['online', 'online', 'offline']);
    await connection.clients([went(person(0)), came(person(2))], false);
    expect(await statuses()).toEqual(['offline', 'online', 'online']);
  });

  test('is what the last event on it says', async () => {
    await connection.clients([went(person(0)), came(person(0)), went(person(0))], false);
    expect(await statuses()).toEqual(['offline', 'offline', 'offline']);
  });

  test('that a full state does not name is gone', async () => {
    await connection.clients([came(person(0))], false);
    await connection.clients([came(person(1))], true);
    await connection.clients([came(person(1)), came(person(2)), went(person(0))], true);
    expect(await statuses()).toEqual(['offline', 'online', 'online']);
    await connection.clients([], true);
    expect(await statuses()).toEqual(['offline', 'offline', 'offline']);
  });

  test('is online while one of its routers has it', async () => {
    const other = await second.parts.presence.connect(await network.router());
    await connection.clients([came(person(0))], true);
    await other.clients([came(person(0))], true);
    await connection.clients([], true);
    expect(await statuses()).toEqual(['online', 'offline', 'offline']);
    await other.clients([went(person(0))], false);
    expect(await statuses()).toEqual(['offline', 'offline', 'offline']);
  });

  test('may come by the ten thousand, in the order of the reports', async () => {
    const insert = sql`insert into identity (id, created_at, updated_at, name, type_id, auth_policy_id)
      select 'many-' || n, now(), now(), 'many-' || n, 'Default', 'default' from generate_series(1, 12000) n`;
    await first.parts.store.query(insert);
    const many = Array.from({ length: 12_000 }, (_, i) => came(`many-${String(i + 1)}`));
    await Promise.all([connection.clients(many, true), connection.clients(many.slice(1), true)]);
    const count = sql`select count(*)::int as n from router_client where router_id = ${hello.routerId}::text`;
    await expect(first.parts.store.query(count)).resolves.toEqual([{ n: 11_999 }]);
    await first.parts.store.query(sql`delete from identity where id like 'many-%'`);
  });

  test('of an identity that nobody knows is not noted', async () => {
    await connection.clients([came('nobody'), came(person(0))], true);
    expect(await statuses()).toEqual(['online', 'offline', 'offline']);
  });
});

describe('a client of a router that was lost', () => {
  beforeEach(async () => {
    await connection.clients([came(person(0))], true);
  });

  const LOSSES: readonly [string, () => Promise<void> | void][] = [
    ['ended its connection', () => connection.end()],
    [
      'was not renewed',
      () => {
        network.clock.advance(LAPSE);
      },
    ],
  ];

  test.each(LOSSES)('is unknown when it %s, and offline after five minutes', async (_, lose) => {
    await lose();
    expect(await statuses()).toEqual(['unknown', 'offline', 'offline']);
    network.clock.advance(5 * MINUTE);
    expect(await statuses()).toEqual(['offline', 'offline', 'offline']);
  });

  test('is online again with the router, which tells its clients anew', async () => {
    await connection.end();
    connection = await second.parts.presence.connect(hello);
    await connection.clients([came(person(1))], true);
    expect(await statuses()).toEqual(['offline', 'online', 'offline']);
  });

  test('is what the new connection says, whatever the old one still reports', async () => {
    const old = connection;
    connection = await second.parts.presence.connect(hello);
    await connection.clients([came(person(1))], true);
    await old.clients([came(person(2))], true);
    expect(await statuses()).toEqual(['offline', 'online', 'offline']);
  });
});

describe('a client of a router that may not be connected', () => {
  const BARRING = [
    'updateEdgeRouter(id: $id, input: { disabled: true }) { id }',
    'reEnrollEdgeRouter(id: $id) { id }',
    'deleteEdgeRouter(id: $id)',
  ];

  test.each(BARRING)('is offline: %s', async (text) => {
    await connection.clients([came(person(0))], true);
    await second.read(`mutation ($id: ID!) { ${text} }`, { id: hello.routerId });
    expect(await statuses()).toEqual(['offline', 'offline', 'offline']);
    await eventually(async () => {
      const left = sql`select identity_id from router_client where router_id = ${hello.routerId}::text`;
      await expect(first.parts.store.query(left)).resolves.toEqual([]);
    });
    if (text.includes('disabled')) {
      const enable = 'updateEdgeRouter(id: $id, input: { disabled: false }) { id }';
      await second.read(`mutation ($id: ID!) { ${enable} }`, { id: hello.routerId });
      expect(await statuses()).toEqual(['offline', 'offline', 'offline']);
    }
  });
});

describe('a heartbeat', () => {
  const expire = (on: InProcess): Promise<void> => {
    const ctx = on.anonymous();
    return on.parts.sessions.expire(ctx, originOf(ctx));
  };
  const isAlive = async (on: InProcess, token: string): Promise<boolean> =>
    (await inSession(on, token)).caller !== undefined;

  test('keeps API sessions, and marks their identities as connected', async () => {
    const { token } = await second.openSession(person(0));
    for (let i = 0; i < 5; i += 1) {
      network.clock.advance(TIMEOUT - MINUTE);
      await first.parts.presence.renew();
      await expect(connection.heartbeat([token])).resolves.toEqual([]);
      await first.parts.sessions.flush();
      await expire(second);
    }
    await expect(storedActivity(second, token)).resolves.toEqual(network.clock.now());
    await expect(isAlive(second, token)).resolves.toBe(true);
    await first.parts.presence.renew();
  });

  test('keeps the sessions for services with them', async () => {
    const { id, token } = await first.openSession(person(0));
    const serviceId = await first.create('Service', {
      name: network.unique('service'),
      encryptionRequired: true,
    });
    await first.parts.store.query(
      sql`insert into session (id, created_at, updated_at, token, api_session_id, identity_id, service_id, type)
        values (${`s-${id}`}::text, now(), now(), ${`s-${id}`}::text, ${id}::text, ${person(0)}::text, ${serviceId}::text, 'Dial')`,
    );
    const count = sql`select count(*)::int as n from session where id = ${`s-${id}`}::text`;
    for (let i = 0; i < 3; i += 1) {
      network.clock.advance(TIMEOUT);
      await connection.heartbeat([token]);
      await first.parts.sessions.flush();
      await expire(second);
      await expect(second.parts.store.query(count)).resolves.toEqual([{ n: 1 }]);
    }
    network.clock.advance(1.2 * TIMEOUT);
    await expire(second);
    await expect(second.parts.store.query(count)).resolves.toEqual([{ n: 0 }]);
  });

  test('shows as activity before it is stored', async () => {
    const { id, token } = await second.openSession(person(0));
    const opened = network.clock.now();
    network.clock.advance(10 * MINUTE);
    await connection.heartbeat([token]);
    const { apiSession } = await first.read<{ apiSession: Record<string, string> }>(
      'query ($id: ID!) { apiSession(id: $id) { lastActivityAt cachedLastActivityAt } }',
      { id },
    );
    expect(apiSession).toEqual({
      lastActivityAt: opened.toISOString(),
      cachedLastActivityAt: network.clock.now().toISOString(),
    });
  });

  test('gives back the tokens of no live session', async () => {
    const [over, ended, live] = await Promise.all(people.map((id) => second.openSession(id)));
    if (!over || !ended || !live) throw new Error('three sessions were opened');
    network.clock.advance(TIMEOUT);
    await expect(isAlive(first, live.token)).resolves.toBe(true);
    network.clock.advance(1);
    await second.read('mutation ($id: ID!) { deleteApiSession(id: $id) }', { id: ended.id });
    const tokens = [live.token, 'never', over.token, ended.token, 'never'];
    const unknown = await connection.heartbeat(tokens);
    expect([...unknown].sort()).toEqual(['never', over.token, ended.token].sort());
    await first.parts.presence.renew();
    expect(await statuses()).toEqual(['offline', 'offline', 'online']);
  });

  test('does not revive the session of a disabled identity', async () => {
    const { token } = await second.openSession(person(0));
    await first.parts.store.query(
      sql`update identity set disabled_at = ${network.clock.now()}::timestamptz where id = ${person(0)}::text`,
    );
    await expect(connection.heartbeat([token])).resolves.toEqual([token]);
  });

  test('may name ten thousand sessions', async () => {
    const insert = sql`insert into api_session
        (id, created_at, updated_at, token, identity_id, authenticator_id, ip_address, last_activity_at)
      select 'beat-' || n, now(), now(), 'beat-' || n, ${person(1)}::text, 'internal', '', ${network.clock.now()}::timestamptz
      from generate_series(1, 10000) n`;
    await first.parts.store.query(insert);
    const tokens = Array.from({ length: 10_000 }, (_, i) => `beat-${String(i + 1)}`);
    network.clock.advance(MINUTE);
    await first.parts.presence.renew();
    await expect(connection.heartbeat([...tokens, 'stranger'])).resolves.toEqual(['stranger']);
    await first.parts.sessions.flush();
    await expect(storedActivity(second, 'beat-7777')).resolves.toEqual(network.clock.now());
    expect(await statuses()).toEqual(['offline', 'online', 'offline']);
    await first.parts.store.query(sql`delete from api_session where id like 'beat-%'`);
  });

  test('of a connection that ended counts no more', async () => {
    const { token } = await second.openSession(person(0));
    await connection.end();
    await expect(connection.heartbeat([token])).resolves.toEqual([]);
    network.clock.advance(TIMEOUT + 1);
    await expect(isAlive(second, token)).resolves.toBe(false);
  });
});
