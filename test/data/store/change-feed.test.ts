import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Change } from '../../../src/kernel/request/store-port.js';
import { ChangeFeed } from '../../../src/data/store/change-feed.js';
import { CHANGE_CHANNEL, NOTICE_MILLIS } from '../../../src/data/store/change-notice.js';
import { StoredChangeLog } from '../../../src/data/store/change-log.js';
import { eventually } from '../../support/eventually.js';
import { originOf } from '../../../src/kernel/write/write.js';
import { follow } from '../../support/following.js';
import { InProcess } from '../../support/in-process.js';
import { settledChange } from '../../support/settled-change.js';

/** Two controllers on one database, each following what the other writes. */

let first: InProcess;
let second: InProcess;
const ends: (() => Promise<void>)[] = [];
const faults: unknown[] = [];
const onFault = (fault: unknown): void => {
  faults.push(fault);
};

beforeAll(async () => {
  first = await InProcess.start();
  second = await InProcess.start(first);
  for (const controller of [first, second]) ends.push(await follow(controller, onFault));
});
afterAll(async () => {
  for (const end of ends) await end();
  await second.stop();
  await first.stop();
  expect(faults).toStrictEqual([]);
});

const PERSON = { type: 'Default', isAdmin: false };

const total = async (on: InProcess): Promise<number> =>
  (await on.read<{ services: { totalCount: number } }>('{ services { totalCount } }')).services
    .totalCount;

describe('what one controller writes', () => {
  test('shows in the totals of the other, in both directions', async () => {
    for (let i = 0; i < 4; i += 1) {
      const [writer, reader] = i % 2 === 0 ? [first, second] : [second, first];
      await writer.create('Service', { name: `service ${String(i)}`, encryptionRequired: true });
      await eventually(async () => {
        expect(await total(reader)).toBe(i + 1);
      });
    }
    expect(await total(first)).toBe(await total(second));
  });

  test('shows in the permissions and relations that the other computes', async () => {
    const identity = await first.create('Identity', {
      ...PERSON,
      name: 'ada',
      roleAttributes: ['x'],
    });
    const service = await first.create('Service', { name: 'wiki', encryptionRequired: true });
    const policy = await first.create('ServicePolicy', {
      name: 'p',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#x'],
      serviceRoles: [`@${service}`],
    });
    const reach = async (): Promise<unknown> =>
      (
        await second.read<{ identity: { services: { totalCount: number } } }>(
          'query ($id: ID!) { identity(id: $id) { services { totalCount } } }',
          { id: identity },
        )
      ).identity.services.totalCount;
    await eventually(async () => {
      expect(await reach()).toBe(1);
    });
    await first.read(
      'mutation ($id: ID!) { updateIdentity(id: $id, input: { roleAttributes: [] }) { id } }',
      { id: identity },
    );
    await eventually(async () => {
      expect(await reach()).toBe(0);
    });
    await first.read(
      'mutation ($id: ID!) { updateServicePolicy(id: $id, input: { identityRoles: ["#all"] }) { id } }',
      { id: policy },
    );
    await eventually(async () => {
      expect(await reach()).toBe(1);
    });
    await first.read('mutation ($id: ID!) { deleteServicePolicy(id: $id) }', { id: policy });
    await eventually(async () => {
      expect(await reach()).toBe(0);
    });
  });

  test('ends sessions on the other', async () => {
    const identity = await first.create('Identity', { ...PERSON, name: 'logged in' });
    const works = async (on: InProcess, token: string): Promise<boolean> =>
      (await on.parts.sessions.find(token)) !== undefined;

    const { id, token } = await first.openSession(identity);
    expect([await works(first, token), await works(second, token)]).toStrictEqual([true, true]);
    await first.parts.sessions.end(first.ctx(), originOf(first.ctx()), id);
    expect(await works(first, token)).toBe(false);
    await eventually(async () => {
      expect(await works(second, token)).toBe(false);
    });

    const other = await first.openSession(identity);
    expect([await works(first, other.token), await works(second, other.token)]).toStrictEqual([
      true,
      true,
    ]);
    await second.read('mutation ($id: ID!) { deleteIdentity(id: $id) }', { id: identity });
    expect(await works(second, other.token)).toBe(false);
    await eventually(async () => {
      expect(await works(first, other.token)).toBe(false);
    });
  });
});

describe('the log', () => {
  const open: pg.Client[] = [];
  // A reader gets nothing of the tests before, and an open transaction would hold back all others.
  beforeEach(() => settledChange(first));
  afterEach(async () => {
    for (const client of open.splice(0)) await client.end();
  });

  /** Inserts a change record in a transaction that is ended by hand. */
  async function begin(id: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: first.url });
    await client.connect();
    open.push(client);
    await client.query('begin');
    await client.query(
      `insert into change (epoch, at, entity_type, entity_id, operation, revision, before, after)
       values (1, now(), 'Config', $1, 'create', 1, null, '{}')`,
      [id],
    );
    return client;
  }

  /** A reader of its own that keeps what it was given. */
  async function reader(
    canListen = true,
    pollMillis?: number,
  ): Promise<{ feed: ChangeFeed; seen: string[] }> {
    const seen: string[] = [];
    const { database } = second.parts;
    const log = new StoredChangeLog(database);
    const feed = new ChangeFeed(
      { pool: database.pool, canListen },
      log,
      await log.horizon(),
      (changes: readonly Change[]) => {
        seen.push(...changes.map((c) => c.id));
      },
      (error) => faults.push(error),
      pollMillis,
    );
    return { feed, seen };
  }

  test.each([
    ['a notification, long before the next poll', true, 3_600_000],
    ['a poll, where notifications do not arrive', false, undefined],
  ])('is read at %s', async (_, canListen, pollMillis) => {
    const { feed, seen } = await reader(canListen, pollMillis);
    await feed.start();
    const written: string[] = [];
    // What another transaction holds back is read at a later notification.
    await eventually(async () => {
      const name = `noticed ${String(written.length)} ${String(pollMillis)}`;
      written.push(await first.create('Service', { name, encryptionRequired: true }));
      expect(seen).toContain(written[0]);
    });
    await feed.stop();
  });

  test('is told of its end, also where that is the end of a full slice', async () => {
    const { database } = second.parts;
    const log = new StoredChangeLog(database);
    await settledChange(first);
    const slices: (readonly [string, boolean])[] = [];
    const feed = new ChangeFeed(
      { pool: database.pool, canListen: false },
      log,
      await log.horizon(),
      (changes, isEnd) => {
        slices.push([changes.map(({ id }) => id).join(' '), isEnd]);
      },
      (error) => faults.push(error),
    );
    // One transaction of as many changes as are read at once, and one of two more.
    for (const [name, count] of [
      ['full', 1_000],
      ['more', 1_002],
    ] as const) {
      await database.pool.query(
        `insert into change (epoch, at, entity_type, entity_id, operation, revision)
         select 1, now(), 'Controller', $1 || ' ' || i, 'update', 1 from generate_series(1, $2::int) i`,
        [name, count],
      );
      await settledChange(first);
      await feed.catchUp();
    }
    await feed.stop();
    expect(slices.map(([ids, isEnd]) => [ids.split(/ (?=[a-z])/).length, isEnd])).toEqual([
      [1_000, false],
      [1, true],
      [1_000, false],
      [2, true],
    ]);
    expect(slices[1]).toEqual(['', true]);
  });

  test('is told once for the writes of a moment, not by each transaction', async () => {
    const client = new pg.Client({ connectionString: first.url });
    await client.connect();
    open.push(client);
    let notices = 0;
    client.on('notification', () => (notices += 1));
    await client.query(`listen ${CHANGE_CHANNEL}`);
    const began = performance.now();
    const writes = Array.from({ length: 50 }, (_, i) =>
      first.create('Service', { name: `of many ${String(i)}`, encryptionRequired: true }),
    );
    await Promise.all(writes);
    await eventually(() => {
      expect(notices).toBeGreaterThan(0);
      return Promise.resolve();
    });
    // One at the beginning, and the one that may still come.
    expect(notices).toBeLessThanOrEqual(2 + (performance.now() - began) / NOTICE_MILLIS);
  });

  /** Transactions of other databases of the server, which other tests use, hold readers back too. */
  const sees = (feed: ChangeFeed, seen: readonly string[], expected: readonly string[]) =>
    eventually(async () => {
      await feed.catchUp();
      expect(seen).toStrictEqual(expected);
    });

  test('gives a late commit, before what was written after it', async () => {
    const { feed, seen } = await reader();
    const early = await begin('early');
    const late = await first.create('Service', { name: 'late', encryptionRequired: true });
    await feed.catchUp();
    // Nothing behind a transaction that runs: it may still put something before.
    expect(seen).toStrictEqual([]);
    await early.query('commit');
    await sees(feed, seen, ['early', late]);
    await feed.catchUp();
    expect(seen).toStrictEqual(['early', late]);
  });

  test('goes on after a transaction that came to nothing', async () => {
    const { feed, seen } = await reader();
    const early = await begin('never');
    const late = await first.create('Service', { name: 'later', encryptionRequired: true });
    await early.query('rollback');
    await sees(feed, seen, [late]);
  });

  test('a reader that starts while a transaction runs gets its changes too', async () => {
    const early = await begin('begun before');
    const { feed, seen } = await reader();
    await early.query('commit');
    await sees(feed, seen, ['begun before']);
  });

  test('is read to the end in batches', async () => {
    const { feed, seen } = await reader();
    const client = new pg.Client({ connectionString: first.url });
    await client.connect();
    await client.query(
      `insert into change (epoch, at, entity_type, entity_id, operation, revision)
       select 1, now(), 'Config', 'bulk ' || i, 'delete', 2 from generate_series(1, 2500) i`,
    );
    await client.end();
    await eventually(async () => {
      await feed.catchUp();
      expect(seen.filter((id) => id.startsWith('bulk '))).toHaveLength(2500);
    });
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('is followed again after its connection broke', async () => {
    const client = new pg.Client({ connectionString: first.url });
    await client.connect();
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and query ilike 'listen%'`,
    );
    // What the other has still to read of the tests before counts as well.
    const before = await total(first);
    await first.create('Service', { name: 'after the break', encryptionRequired: true });
    await eventually(async () => {
      expect(await total(second)).toBe(before + 1);
    });
    await eventually(async () => {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and query ilike 'listen%'`,
      );
      expect(rows[0]?.count).toBe(2);
    });
    await client.end();
  });
});
