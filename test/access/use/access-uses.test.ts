import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { AccessUses } from '../../../src/access/use/index.js';
import { sql } from '../../../src/base/sql.js';
import {
  usedAccess,
  useRecording,
  type AccessKey,
} from '../../../src/data/rows/access-use/index.js';
import type { Store } from '../../../src/kernel/request/store-port.js';
import { circuitsIn } from '../../../src/network/fabric/stored-circuits.js';
import { testCircuit } from '../../support/test-circuit.js';
import { InProcess } from '../../support/in-process.js';
import { NamedEntities } from '../../support/named-entities.js';
import { storeWith } from '../../support/store-with.js';

/* When access was last used: collected in memory, stored in batches, deleted with its entities. */

const START = Date.parse('2030-01-01T12:00:00.000Z');
let now = START;
const clock = (): Date => new Date(now);
const at = (seconds: number): Date => new Date(START + seconds * 1000);

let controller: InProcess;
const { idOf, make, person } = new NamedEntities(() => controller);
let store: Store;

beforeAll(async () => {
  controller = await InProcess.start(undefined, { now: clock });
  store = controller.parts.store;
  for (const name of ['ada', 'bob']) await person(name);
  for (const name of ['wiki', 'mail']) await make('Service', name, { encryptionRequired: true });
});
afterAll(() => controller.stop());
beforeEach(async () => {
  now = START;
  await store.query(sql`delete from access_use`);
});

const key = (identity: string, service: string, type: AccessKey['type'] = 'Dial'): AccessKey => ({
  identityId: idOf(identity),
  serviceId: idOf(service),
  type,
});

/** The recorder of one process. */
const process = (): AccessUses =>
  new AccessUses({
    store,
    now: clock,
    onLoss: () => {
      throw new Error('uses were lost');
    },
  });

type Pair = readonly [identity: string, service: string, type: AccessKey['type']];

const PAIRS: readonly Pair[] = [
  ['ada', 'wiki', 'Dial'],
  ['ada', 'wiki', 'Bind'],
  ['ada', 'mail', 'Dial'],
  ['bob', 'wiki', 'Dial'],
];

/** The stored times in seconds after the start; absent: never used. */
async function stored(): Promise<Record<string, number>> {
  const rows = await usedAccess.lastUsesOf(
    store,
    PAIRS.map((pair) => key(...pair)),
  );
  return Object.fromEntries(
    PAIRS.flatMap((pair) => {
      const { identityId, serviceId, type } = key(...pair);
      const row = rows.find(
        (each) =>
          each.identityId === identityId && each.serviceId === serviceId && each.type === type,
      );
      return row ? [[pair.join(' '), (row.usedAt.getTime() - START) / 1000]] : [];
    }),
  );
}

describe('uses', () => {
  test('are stored by a flush, each pair and type with its last time', async () => {
    const uses = process();
    uses.record(key('ada', 'wiki'));
    now = at(5).getTime();
    uses.record(key('ada', 'wiki'));
    uses.record(key('ada', 'wiki', 'Bind'));
    expect(await stored()).toEqual({});
    await uses.flush();
    expect(await stored()).toEqual({ 'ada wiki Dial': 5, 'ada wiki Bind': 5 });
  });

  test('are stored once: a flush without new uses writes nothing', async () => {
    const uses = process();
    uses.record(key('ada', 'wiki'));
    await uses.flush();
    const before = controller.parts.database.statements;
    await uses.flush();
    expect(controller.parts.database.statements).toBe(before);
  });

  test('of two processes give the later time, whichever stores last', async () => {
    const [first, second] = [process(), process()];
    first.record(key('ada', 'wiki'));
    second.record(key('ada', 'mail'));
    now = at(9).getTime();
    second.record(key('ada', 'wiki'));
    first.record(key('ada', 'mail'));
    await second.flush();
    await first.flush();
    expect(await stored()).toEqual({ 'ada wiki Dial': 9, 'ada mail Dial': 9 });
  });

  test('of two processes are stored at the same moment without a deadlock', async () => {
    const processes = [process(), process(), process(), process()];
    for (let round = 0; round < 10; round += 1) {
      for (const [i, uses] of processes.entries()) {
        for (const pair of i % 2 === 0 ? PAIRS : PAIRS.toReversed()) uses.record(key(...pair));
      }
      now += 1000;
      await Promise.all(processes.map((uses) => uses.flush()));
    }
    expect(Object.values(await stored())).toEqual([9, 9, 9, 9]);
  });

  test('that can not be stored wait for the next flush, and a later use of them counts', async () => {
    let isDown = true;
    const uses = new AccessUses({
      now: clock,
      onLoss: () => undefined,
      store: storeWith(store, {
        query: (statement) =>
          isDown ? Promise.reject(new Error('the database is down')) : store.query(statement),
      }),
    });
    uses.record(key('ada', 'wiki'));
    uses.record(key('bob', 'wiki'));
    await expect(uses.flush()).rejects.toThrow('the database is down');
    now = at(3).getTime();
    uses.record(key('bob', 'wiki'));
    isDown = false;
    await uses.flush();
    expect(await stored()).toEqual({ 'ada wiki Dial': 0, 'bob wiki Dial': 3 });
  });

  test('that are recorded during a flush are stored by the next one', async () => {
    const uses: AccessUses = new AccessUses({
      now: clock,
      onLoss: () => undefined,
      store: storeWith(store, {
        query: async (statement) => {
          const rows = await store.query(statement);
          if (now === START) {
            now = at(4).getTime();
            uses.record(key('ada', 'wiki'));
          }
          return rows;
        },
      }),
    });
    uses.record(key('ada', 'wiki'));
    await uses.flush();
    expect(await stored()).toEqual({ 'ada wiki Dial': 0 });
    await uses.flush();
    expect(await stored()).toEqual({ 'ada wiki Dial': 4 });
  });

  test('of identities and services that are gone are left out, others are stored', async () => {
    const uses = process();
    uses.record({ ...key('ada', 'wiki'), identityId: 'somebody who is gone' });
    uses.record({ ...key('ada', 'wiki'), serviceId: 'it\'s "gone"' });
    uses.record(key('ada', 'wiki'));
    await uses.flush();
    expect(await stored()).toEqual({ 'ada wiki Dial': 0 });
  });

  test.each([
    ['identity', 'Identity'],
    ['service', 'Service'],
  ])('are deleted with their %s', async (_, kind) => {
    const made = { Identity: 'short-lived identity', Service: 'short-lived service' };
    await person(made.Identity);
    await make('Service', made.Service, { encryptionRequired: true });
    const uses = process();
    uses.record(key(made.Identity, 'wiki'));
    uses.record(key('ada', made.Service));
    uses.record(key('ada', 'wiki'));
    await uses.flush();
    const count = async (): Promise<unknown> =>
      store.query(sql`select count(*)::int as rows from access_use`);
    expect(await count()).toEqual([{ rows: 3 }]);
    await controller.read(`mutation ($id: ID!) { delete${kind}(id: $id) }`, {
      id: idOf(made[kind as 'Identity' | 'Service']),
    });
    expect(await count()).toEqual([{ rows: 2 }]);
    await controller.read(
      `mutation ($id: ID!) { delete${kind === 'Identity' ? 'Service' : 'Identity'}(id: $id) }`,
      {
        id: idOf(kind === 'Identity' ? made.Service : made.Identity),
      },
    );
    expect(await stored()).toEqual({ 'ada wiki Dial': 0 });
  });

  test('are read by the services of each identity, a slice after the other', async () => {
    const uses = process();
    for (const pair of PAIRS) uses.record(key(...pair));
    await uses.flush();
    now = at(10).getTime();
    uses.record(key('bob', 'mail', 'Bind'));
    await uses.flush();
    const all = await usedAccess.nextSince(store, at(0), { after: '', limit: 10 });
    const sorted = (text: string | null): string[] => (text ?? '').split(' ').sort();
    expect(all.map(({ identityId }) => identityId)).toEqual([idOf('ada'), idOf('bob')].sort());
    const ada = all.find(({ identityId }) => identityId === idOf('ada'));
    expect(sorted(ada?.dialed ?? null)).toEqual([idOf('wiki'), idOf('mail')].sort());
    expect(ada?.hosted).toBe(idOf('wiki'));
    const [first] = await usedAccess.nextSince(store, at(0), { after: '', limit: 1 });
    const rest = await usedAccess.nextSince(store, at(0), {
      after: first?.identityId ?? '',
      limit: 10,
    });
    expect([first, ...rest]).toEqual(all);
    expect(await usedAccess.nextSince(store, at(10), { after: '', limit: 10 })).toEqual([
      { identityId: idOf('bob'), dialed: null, hosted: idOf('mail') },
    ]);
  });
});

describe('access in use at this moment', () => {
  beforeAll(async () => {
    for (const name of ['connected', 'lost']) await make('EdgeRouter', name);
    for (const [name, lapsesAt] of [
      ['connected', at(60)],
      ['lost', at(-60)],
    ] as const) {
      await store.query(
        sql`insert into router_presence (router_id, connection_id, version, hostname, listeners, link_listeners,
            sync_status, connected_at, lapses_at)
          values (${idOf(name)}::text, ${name}::text, 1, '', '[]', '[]', '', ${at(0)}::timestamptz, ${lapsesAt}::timestamptz)`,
      );
    }
    for (const [router, service] of [
      ['connected', 'wiki'],
      ['lost', 'mail'],
    ] as const) {
      await controller.create('Terminator', {
        service: idOf(service),
        router: idOf(router),
        binding: 'edge',
        address: router,
      });
      await store.query(
        sql`update terminator set host_id = ${idOf('ada')}::text where address = ${router}::text`,
      );
    }
    await circuitsIn(store).put([
      testCircuit({
        serviceId: idOf('mail'),
        identityId: idOf('bob'),
        hostId: idOf('ada'),
        createdAt: at(-1_000_000),
      }),
    ]);
  });

  const inUse = [
    { identityId: () => idOf('ada'), dialed: () => null, hosted: () => idOf('wiki') },
    { identityId: () => idOf('bob'), dialed: () => idOf('mail'), hosted: () => null },
  ];

  test('is that of circuits, and of terminators at connected routers', async () => {
    const rows = await usedAccess.present(store, clock());
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(
      expect.arrayContaining(
        inUse.map((each) => ({
          identityId: each.identityId(),
          dialed: each.dialed(),
          hosted: each.hosted(),
        })),
      ),
    );
  });

  test('counts as used when it is stored', async () => {
    const ofAll = async (): Promise<unknown[]> => {
      const rows = await usedAccess.nextSince(store, clock(), { after: '', limit: 10 });
      return rows.map(({ identityId }) => identityId).sort();
    };
    await usedAccess.storePresent(store, clock());
    expect(await ofAll()).toEqual([idOf('ada'), idOf('bob')].sort());
    now = at(30).getTime();
    await usedAccess.storePresent(store, clock());
    expect(await ofAll()).toEqual([idOf('ada'), idOf('bob')].sort());
  });
});

describe('the record of uses', () => {
  test('began with the network', async () => {
    expect(await useRecording.since(store)).toEqual(at(0));
  });

  test('stays as it began for later starts, and begins anew with an epoch', async () => {
    await useRecording.begin(store, 1, at(100));
    expect(await useRecording.since(store)).toEqual(at(0));
    await useRecording.begin(store, 2, at(200));
    expect(await useRecording.since(store)).toEqual(at(200));
    await useRecording.begin(store, 2, at(300));
    await useRecording.begin(store, 1, at(300));
    expect(await useRecording.since(store)).toEqual(at(200));
  });

  test('begins anew when more uses wait than memory may hold', async () => {
    let losses = 0;
    const uses = new AccessUses({ store, now: clock, onLoss: () => (losses += 1) });
    for (let i = 0; i < 100_000; i += 1)
      uses.record({ ...key('ada', 'wiki'), serviceId: `gone ${i}` });
    now = at(1000).getTime();
    uses.record({ ...key('ada', 'wiki'), serviceId: 'gone 5' });
    expect(losses).toBe(0);
    now = at(2000).getTime();
    uses.record(key('ada', 'wiki'));
    uses.record(key('bob', 'wiki'));
    expect(losses).toBe(1);
    await uses.flush();
    expect(await stored()).toEqual({});
    expect(await useRecording.since(store)).toEqual(at(2000));
    uses.record(key('ada', 'wiki'));
    await uses.flush();
    expect(await stored()).toEqual({ 'ada wiki Dial': 2000 });
  });
});
