import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { raw, sql } from '../../../src/base/sql.js';
import type { Store } from '../../../src/kernel/request/store-port.js';
import { RouterLease } from '../../../src/programs/controller/router-lease.js';
import { Database } from '../../../src/data/store/database.js';
import type { BrokenWire } from '../../support/broken-wire.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import { wireTo } from '../../support/database-wire.js';
import { eventually } from '../../support/eventually.js';

/** Of several controllers, one serves the routers: who takes over, and when. */

let server: TestDatabase;
let wire: BrokenWire;
/** Of the database over the wire. */
let wiredUrl: string;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await createDatabase();
  ({ wire, url: wiredUrl } = await wireTo(server));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(async () => {
  await wire.stop();
  await server.drop();
});

interface Contender {
  readonly lease: RouterLease;
  readonly database: Database;
  /** Its calls, in order. */
  readonly events: string[];
  /** Ends as a killed process does: the server sees closed connections, and nothing is released. */
  kill(): Promise<void>;
}

const nothing = (): void => undefined;

function contender(
  address: string,
  { url = server.url, onGain = nothing, named = true } = {},
): Contender {
  const database = new Database({ url, named, connections: 4 });
  const events: string[] = [];
  const rows = {
    query: (statement) => database.query(statement),
    readModel: (call) => database.model(call),
    writeModel: (call) => database.model(call),
  } satisfies Partial<Store>;
  const lease = new RouterLease({
    database,
    store: rows as unknown as Store,
    address,
    onGain: (isContinued) => {
      onGain();
      events.push(isContinued ? 'continues' : 'begins');
      return Promise.resolve();
    },
    onRenewal: () => Promise.resolve(),
    onLoss: () => events.push('lost'),
    onLook: () => undefined,
    onError: () => undefined,
  });
  const stop = async (): Promise<void> => {
    lease.end();
    await lease.release();
    await database.close();
  };
  ends.push(stop);
  const kill = async (): Promise<void> => {
    lease.end();
    await endSessions(address);
  };
  return { lease, database, events, kill };
}

/** Ends the session that a holder has at the server. */
async function endSessions(address: string): Promise<void> {
  const database = new Database({ url: server.url, named: true, connections: 1 });
  await database.query(
    sql`select pg_terminate_backend(k.pid)::text as ended from lease l join pg_locks k on k.locktype = 'advisory'
        and k.objsubid = 1 and (k.classid::bigint << 32 | k.objid::bigint) = hashtextextended(l.holder, 0)
      where l.address = ${address}::text`,
  );
  await database.close();
}

const millisLeft = async ({ database }: Contender): Promise<number> => {
  const [row] = await database.query(
    sql<{ left: number }>`${raw(
      `select (extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as left from lease`,
    )}`,
  );
  return row?.left ?? 0;
};

test('one serves, and the others learn where', async () => {
  const [first, second] = [contender('first:1'), contender('second:2')];
  await first.lease.start();
  await second.lease.start();
  expect([first.lease.isServing(), second.lease.isServing()]).toEqual([true, false]);
  expect(second.lease.ownerAddress()).toBe('first:1');
  expect(first.lease.ownerAddress()).toBeUndefined();
});

test('another one takes over from a dead one, whenever its lease would end', async () => {
  const first = contender('first:1');
  await first.lease.start();
  const others = [contender('second:2'), contender('third:3')];
  for (const { lease } of others) await lease.start();
  first.lease.end();
  await first.database.query(sql`update lease set expires_at = 'infinity'`);
  await first.kill();
  await eventually(() => {
    expect(others.filter(({ lease }) => lease.isServing())).toHaveLength(1);
  });
  expect(others.flatMap(({ events }) => events)).toEqual(['begins']);
  const loser = others.find(({ lease }) => !lease.isServing());
  const winnersAddress = loser === others[0] ? 'third:3' : 'second:2';
  await eventually(() => {
    expect(loser?.lease.ownerAddress()).toBe(winnersAddress);
  });
});

test('one that stops hands on at once, and keeps the lease until it has stored everything', async () => {
  const [first, second] = [contender('first:1'), contender('second:2')];
  await first.lease.start();
  await second.lease.start();
  first.lease.end();
  expect([first.lease.isServing(), first.lease.isOurs()]).toEqual([false, true]);
  await first.lease.release();
  await eventually(() => {
    expect(second.lease.isServing()).toBe(true);
  });
  expect(first.events).toEqual(['begins']);
});

test('one that loses its session alone goes on', async () => {
  const only = contender('first:1');
  await only.lease.start();
  await endSessions('first:1');
  await eventually(() => {
    expect(only.lease.isServing()).toBe(false);
  });
  await eventually(() => {
    expect(only.lease.isServing()).toBe(true);
  });
  expect(only.events).toEqual(['begins']);
});

test('one that has lost its database serves no longer, and another one does', async () => {
  const first = contender('first:1', { url: wiredUrl });
  await first.lease.start();
  const second = contender('second:2');
  await second.lease.start();
  // New connections hang, and those of before are closed.
  wire.cut();
  wire.closeAll();
  await eventually(() => {
    expect(second.lease.isServing()).toBe(true);
    expect(first.events).toEqual(['begins', 'lost']);
  });
  expect(first.lease.isServing()).toBe(false);
  wire.mend();
  await eventually(() => {
    expect(first.lease.ownerAddress()).toBe('second:2');
  });
  expect(first.events).toEqual(['begins', 'lost']);
  expect(second.events).toEqual(['begins']);
});

test('one whose database hangs has ended before another one begins', async () => {
  const first = contender('first:1', { url: wiredUrl });
  await first.lease.start();
  let wasServing: boolean | undefined;
  const second = contender('second:2', {
    onGain: () => {
      wasServing = first.lease.isServing();
    },
  });
  await second.lease.start();
  wire.cut();
  await eventually(() => {
    expect(second.lease.isServing()).toBe(true);
  });
  expect(wasServing).toBe(false);
  wire.mend();
});

test('one that nobody replaced while its database was away continues', async () => {
  const only = contender('first:1', { url: wiredUrl });
  await only.lease.start();
  wire.cut();
  wire.closeAll();
  await eventually(() => {
    expect(only.events).toEqual(['begins', 'lost']);
  });
  wire.mend();
  await eventually(() => {
    expect(only.lease.isServing()).toBe(true);
  });
  expect(only.events).toEqual(['begins', 'lost', 'continues']);
});

test('behind a pooler time alone ends a lease', async () => {
  const first = contender('first:1', { named: false });
  await first.lease.start();
  expect(first.lease.isServing()).toBe(true);
  const second = contender('second:2', { named: false });
  expect(await millisLeft(second)).toBeGreaterThan(0);
  await second.lease.start();
  expect(second.lease.isServing()).toBe(false);
  first.lease.end();
  await first.database.query(sql`update lease set expires_at = clock_timestamp()`);
  await eventually(() => {
    expect(second.lease.isServing()).toBe(true);
  });
});
