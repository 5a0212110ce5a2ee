import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { startControllerProcess, type ControllerProcess } from '../support/controller.js';
import { openPool } from '../support/database.js';
import { eventually } from '../support/eventually.js';

/** Controllers that are killed in the midst of a write: all of it is there, or nothing. */

let survivor: ControllerProcess & { dataDir: string };
let pool: pg.Pool;

beforeAll(async () => {
  survivor = await startControllerProcess();
  pool = openPool(survivor.databaseUrl, 2);
  // Lets a commit wait for who holds the advisory lock.
  await pool.query(`
    create function wait_at_commit() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(1); return null; end $$;
    create constraint trigger wait_at_commit after insert on service
      deferrable initially deferred for each row execute function wait_at_commit()`);
});
afterAll(async () => {
  await pool.end();
  await survivor.stop();
});

const input = (name: string): object => ({ name, encryptionRequired: true });

/** Runs while what `lock` takes is held. */
async function holding<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: survivor.databaseUrl });
  await client.connect();
  try {
    await client.query(`begin; ${lock}`);
    return await work();
  } finally {
    await client.end();
  }
}

/** The processes of PostgreSQL that serve this database. */
async function backends(condition = 'true'): Promise<number[]> {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and ${condition}`,
  );
  return rows.map(({ pid }) => pid);
}

/** Until a statement of a controller waits for a lock, of one that came after those given. */
const isHeldUp = (earlier: readonly number[]): Promise<unknown> =>
  eventually(async () => {
    const waiting = await backends(`wait_event_type = 'Lock'`);
    expect(waiting.filter((pid) => !earlier.includes(pid))).toHaveLength(1);
  });

/** What the database has of a service: its row and its record in the log. */
async function stored(name: string): Promise<{ row: boolean; record: boolean }> {
  const { rows } = await pool.query<{ row: boolean; record: boolean }>(
    `select exists (select from service where name = $1) as row,
       exists (select from change where entity_type = 'Service' and after->>'name' = $1) as record`,
    [name],
  );
  return rows[0] ?? { row: false, record: false };
}

const isSettled = (): Promise<unknown> =>
  eventually(async () => {
    expect(await backends(`state <> 'idle' and pid <> pg_backend_pid()`)).toStrictEqual([]);
  });

async function kill({ child }: ControllerProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const PHASES: [phase: string, lock: string, isCommitted: boolean][] = [
  ['looks for its session', 'lock table api_session in access exclusive mode', false],
  ['writes the entity', 'lock table service in share mode', false],
  ['writes the log', 'lock table change in share mode', false],
  ['commits', 'select pg_advisory_xact_lock(1)', true],
];

describe('a controller that is killed while it', () => {
  test.each(PHASES)('%s', async (phase, lock, isCommitted) => {
    const survivors = await backends();
    const victim = await startControllerProcess({ with: survivor });
    const acknowledged = `before ${phase}`;
    await victim.create('services', input(acknowledged));
    const name = `killed while it ${phase}`;
    let status: number | undefined;
    await holding(lock, async () => {
      const writing = victim.rest('POST', '/services', input(name));
      const ended = writing.then(
        (answer) => (status = answer.status),
        () => undefined,
      );
      await isHeldUp(survivors);
      await kill(victim);
      await ended;
    });
    await isSettled();
    expect(status).toBeUndefined();
    expect(await stored(name)).toStrictEqual({ row: isCommitted, record: isCommitted });
    expect(await stored(acknowledged)).toStrictEqual({ row: true, record: true });
    await victim.stop();
  });

  test('answers: the write is there, though nobody was told', async () => {
    const survivors = await backends();
    const victim = await startControllerProcess({ with: survivor });
    const name = 'killed while it answers';
    await holding('select pg_advisory_xact_lock(1)', async () => {
      victim.rest('POST', '/services', input(name)).catch(() => undefined);
      await isHeldUp(survivors);
      victim.child.kill('SIGSTOP');
    });
    await eventually(async () => {
      expect(await stored(name)).toStrictEqual({ row: true, record: true });
    });
    await kill(victim);
    await victim.stop();
  });
});

describe('after all that', () => {
  test('the other controller knows what the database has', async () => {
    await survivor.create('services', input('the last one'));
    const { rows } = await pool.query<{ count: number }>(
      'select count(*)::int as count from service',
    );
    await eventually(async () => {
      const { body } = await survivor.rest('GET', '/services');
      expect(body.meta.pagination.totalCount).toBe(rows[0]?.count);
    });
  });

  test('nothing is in the log without its entity, nor the reverse', async () => {
    const { rows } = await pool.query(
      `select coalesce(s.id, c.entity_id) as id from service s
         full join (select entity_id from change where entity_type = 'Service') c on c.entity_id = s.id
        where s.id is null or c.entity_id is null`,
    );
    expect(rows).toStrictEqual([]);
  });
});
