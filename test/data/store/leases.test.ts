import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import type { Rows } from '../../../src/kernel/request/store-port.js';
import { Leases } from '../../../src/data/store/leases.js';
import { SessionLock } from '../../../src/data/store/session-lock.js';
import { Database } from '../../../src/data/store/database.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';

/** Controllers share work by leases in the database. */

let server: TestDatabase;
let database: Database;
const faults: unknown[] = [];

beforeAll(async () => {
  server = await createDatabase();
  database = new Database({ url: server.url, named: true, connections: 4 });
});
afterAll(async () => {
  await database.close();
  await server.drop();
  expect(faults).toStrictEqual([]);
});

const rows = (): Rows => ({
  query: (statement) => database.query(statement),
  readModel: (call) => database.model(call),
  writeModel: (call) => database.model(call),
});

const controller = (lifeMillis?: number): Leases =>
  new Leases(rows(), (fault) => faults.push(fault), lifeMillis);

/** Whether this one is let work. */
async function works(leases: Leases, name: string): Promise<boolean> {
  let did = false;
  await leases.alone(name, () => {
    did = true;
    return Promise.resolve();
  });
  return did;
}

async function endOf(name: string): Promise<number> {
  const [row] = await database.query(
    sql<{
      ends: number;
    }>`select extract(epoch from expires_at)::float8 as ends from lease where name = ${name}::text`,
  );
  return Number(row?.ends);
}

/** As if its holder had died so long ago. */
const lapse = (name: string): Promise<unknown> =>
  database.query(
    sql`update lease set expires_at = clock_timestamp() - interval '1 ms' where name = ${name}::text`,
  );

describe('a lease', () => {
  test('lets one of several controllers work, again and again', async () => {
    const [first, second] = [controller(), controller()];
    expect(await works(first, 'one')).toBe(true);
    expect(await works(second, 'one')).toBe(false);
    expect(await works(first, 'one')).toBe(true);
    expect(await works(second, 'another')).toBe(true);
  });

  test('is given to one of many who ask at once', async () => {
    const all = Array.from({ length: 8 }, () => controller());
    const did = await Promise.all(all.map((leases) => works(leases, 'contested')));
    expect(did.filter(Boolean)).toHaveLength(1);
  });

  test('passes to another when its holder is gone for long enough', async () => {
    const [first, second] = [controller(), controller()];
    await works(first, 'left');
    await lapse('left');
    expect(await works(second, 'left')).toBe(true);
    // The first wakes up.
    expect(await works(first, 'left')).toBe(false);
  });

  test('is renewed while the work goes on', async () => {
    const first = controller(600);
    await first.alone('long', async () => {
      const began = await endOf('long');
      await eventually(async () => {
        expect(await endOf('long')).toBeGreaterThan(began + 0.3);
      });
    });
  });

  test('is not taken back by a renewal of the one who lost it', async () => {
    const [first, second] = [controller(600), controller()];
    await first.alone('lost', async () => {
      await lapse('lost');
      await eventually(async () => {
        // A renewal may have been faster.
        await lapse('lost');
        expect(await works(second, 'lost')).toBe(true);
      });
    });
    expect(await works(first, 'lost')).toBe(false);
  });

  test('passes on at once when its holder stops, after the work under way', async () => {
    const [first, second] = [controller(), controller()];
    let finish = (): void => undefined;
    let begun = (): void => undefined;
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    const busy = first.alone('handed on', () => {
      begun();
      return new Promise<void>((resolve) => (finish = resolve));
    });
    await beginning;
    const stopped = first.stop();
    expect(await works(second, 'handed on')).toBe(false);
    finish();
    await busy;
    await stopped;
    expect(await works(second, 'handed on')).toBe(true);
    expect(await works(first, 'handed on')).toBe(false);
  });

  test('is kept when the work fails, which the caller hears', async () => {
    const [first, second] = [controller(), controller()];
    const failing = first.alone('failing', () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await works(second, 'failing')).toBe(false);
  });

  test('ends by the clock of the database', async () => {
    const first = controller();
    await works(first, 'timed');
    const [row] = await database.query(
      sql<{
        fits: boolean;
      }>`select expires_at between clock_timestamp() + interval '10 s' and clock_timestamp() + interval '15 s' as fits
        from lease where name = 'timed'`,
    );
    expect(row?.fits).toBe(true);
  });
});

describe('a lease that is bound to a session', () => {
  const bound = { address: 'here:1', hasSession: true };

  async function lockOf(leases: Leases): Promise<SessionLock> {
    const lock = new SessionLock(database, leases.holder, () => undefined);
    await lock.acquire();
    expect(lock.isHeld).toBe(true);
    return lock;
  }

  test('is free as soon as the session ends, and tells until then where its holder is', async () => {
    const [first, second] = [controller(), controller()];
    const lock = await lockOf(first);
    expect(await second.stateOf('bound')).toEqual({ isOurs: false, isFree: true, address: null });
    expect(await first.hold('bound', bound)).toBe(true);
    expect(await first.stateOf('bound')).toMatchObject({ isOurs: true });
    expect(await second.stateOf('bound')).toEqual({
      isOurs: false,
      isFree: false,
      address: 'here:1',
    });
    expect(await second.hold('bound')).toBe(false);
    await lock.release();
    await eventually(async () => {
      expect(await second.hold('bound')).toBe(true);
    });
    expect(await first.hold('bound', bound)).toBe(false);
  });

  test('is given to one of many when the session ends', async () => {
    const first = controller();
    const lock = await lockOf(first);
    await first.hold('left at once', bound);
    await lock.release();
    const all = Array.from({ length: 8 }, () => controller());
    await Promise.all(all.map(lockOf));
    await eventually(async () => {
      const answers = await Promise.all(all.map((leases) => leases.hold('left at once', bound)));
      expect(answers.filter(Boolean)).toHaveLength(1);
    });
  });

  test('is bound to time alone after a controller took it that knows no sessions', async () => {
    const [first, second] = [controller(), controller()];
    const lock = await lockOf(first);
    await first.hold('old', bound);
    await database.query(sql`update lease set holder = 'an older release' where name = 'old'`);
    await lock.release();
    expect(await second.stateOf('old')).toMatchObject({ isFree: false });
    expect(await second.hold('old', bound)).toBe(false);
    await lapse('old');
    expect(await second.hold('old', bound)).toBe(true);
  });
});

describe('a lock of a session', () => {
  test('tells of an end that its process did not want', async () => {
    let losses = 0;
    const lock = new SessionLock(database, 'ended by the server', () => (losses += 1));
    await lock.acquire();
    await database.query(
      sql`select pg_terminate_backend(pid)::text as ended from pg_locks
        where locktype = 'advisory' and objsubid = 1 and granted
          and (classid::bigint << 32 | objid::bigint) = hashtextextended('ended by the server', 0)`,
    );
    await eventually(() => {
      expect([losses, lock.isHeld]).toEqual([1, false]);
    });
    await lock.acquire();
    expect(lock.isHeld).toBe(true);
    await lock.release();
    expect([losses, lock.isHeld]).toEqual([1, false]);
  });
});
