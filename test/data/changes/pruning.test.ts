import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { loadAccess } from '../../../src/access/enforcement/access-watch.js';
import { pruneChanges } from '../../../src/data/changes/index.js';
import { changesBetween, StoredChangeLog } from '../../../src/data/store/change-log.js';
import { startControllerProcess } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { InProcess } from '../../support/in-process.js';
import { settledChange } from '../../support/settled-change.js';
import { changesOf, commit, openTransaction } from './support.js';

/** How the log is kept short, and who notices. */

const DAY = 86_400_000;
const NOW = Date.parse('2026-06-01T00:00:00.000Z');
const EVERYTHING = 'f'.repeat(36);

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

/** The log holds these changes alone, each as old as it says. */
async function logged(...days: readonly number[]): Promise<void> {
  const { pool } = controller.parts.database;
  await pool.query('delete from change');
  for (const [i, age] of days.entries()) {
    await pool.query(
      `insert into change (epoch, at, entity_type, entity_id, operation, revision)
       values (1, $1, 'Config', $2, 'create', 1)`,
      [new Date(NOW - age * DAY), `c${String(i)}`],
    );
  }
  await eventually(async () => {
    expect(await left()).toHaveLength(days.length);
  });
}

const left = async (): Promise<string[]> =>
  (await changesOf(controller, { first: 500 })).map(({ entityId }) => entityId);

const prune = (options: {
  keepDays?: number;
  most?: number;
  upTo?: string;
  now?: number;
}): Promise<number> =>
  pruneChanges(controller.parts.store, {
    keepMs: (options.keepDays ?? 10_000) * DAY,
    most: options.most ?? 0,
    now: new Date(options.now ?? NOW),
    upTo: options.upTo ?? EVERYTHING,
  });

describe('pruning', () => {
  test('takes what is older than is kept', async () => {
    await logged(5, 4, 3, 2, 1);
    expect(await prune({ keepDays: 2 })).toBe(3);
    expect(await left()).toStrictEqual(['c3', 'c4']);
    expect(await prune({ keepDays: 2 })).toBe(0);
  });

  test('takes the oldest of what is too much', async () => {
    await logged(1, 1, 1, 1, 1);
    expect(await prune({ most: 2 })).toBe(3);
    expect(await left()).toStrictEqual(['c3', 'c4']);
    expect(await prune({ most: 2 })).toBe(0);
  });

  test('leaves the last minute, which others may not have read', async () => {
    await logged(1, 61 / 86_400, 59 / 86_400, 0);
    expect(await prune({ most: 1 })).toBe(2);
    expect(await left()).toStrictEqual(['c2', 'c3']);
  });

  test('begins at the start of the log and leaves no hole', async () => {
    // Clocks of controllers differ: what comes first need not be the oldest.
    await logged(5, 1, 5, 5);
    expect(await prune({ keepDays: 2 })).toBe(1);
    expect(await left()).toStrictEqual(['c1', 'c2', 'c3']);
  });

  test('leaves what this controller has not read', async () => {
    await logged(5, 5, 5);
    const [, second] = await changesOf(controller);
    expect(await prune({ keepDays: 1, upTo: String(second?.id) })).toBe(2);
    expect(await left()).toStrictEqual(['c2']);
  });

  test('leaves what a late commit could get before', async () => {
    await logged(5);
    const late = await openTransaction(controller.url, 'late');
    await controller.create('ConfigType', { name: 'behind it' });
    expect(await prune({ most: 1 })).toBe(1);
    await commit(late);
    await eventually(async () => {
      expect(await left()).toHaveLength(2);
    });
    expect((await left())[0]).toBe('late');
  });

  test('goes on slice by slice, and two at once do no harm', async () => {
    await logged();
    await controller.parts.database.pool.query(
      `insert into change (epoch, at, entity_type, entity_id, operation, revision)
       select 1, '2020-01-01', 'Config', 'bulk ' || i, 'delete', 2 from generate_series(1, 2500) i`,
    );
    await eventually(async () => {
      expect((await changesOf(controller, { first: 1 })).length).toBe(1);
    });
    const pruned = await Promise.all([prune({ keepDays: 1 }), prune({ keepDays: 1 })]);
    expect(pruned.reduce((a, b) => a + b)).toBe(2500);
    expect(await left()).toStrictEqual([]);
  });
});

describe('a controller that was left behind', () => {
  test('ends, since it can not know what it missed, and starts again', async () => {
    const running = await startControllerProcess();
    try {
      const exited = once(running.child, 'exit') as Promise<[code: number]>;
      const client = new pg.Client({ connectionString: running.databaseUrl });
      await client.connect();
      await client.query(
        `with unread as (
           insert into change (epoch, at, entity_type, entity_id, operation, revision)
           values (1, now(), 'Config', 'unread', 'create', 1) returning id)
         update change_log set pruned_id = unread.id from unread`,
      );
      await client.end();
      expect((await exited)[0]).toBe(1);
      const again = await startControllerProcess({ with: running });
      expect((await again.rest('GET', '/changes?limit=1')).status).toBe(200);
      await again.stop();
    } finally {
      await running.stop();
    }
  });
});

describe('a controller that starts', () => {
  test('takes every list of services as changed when the log does not tell any more', async () => {
    const { database, store, model } = controller.parts;
    const identity = await controller.create('Identity', {
      name: 'ada',
      type: 'Default',
      isAdmin: false,
    });
    await controller.openSession(identity);
    // Otherwise the second start may be the first one to read it.
    await settledChange(controller);
    const log = new StoredChangeLog(database);
    const start = async (at: number): Promise<number> => {
      const here = await log.horizon();
      const since = (position: string) => changesBetween(log, position, here);
      const state = await loadAccess(store, model.policies, { here, since }, new Date(at));
      return state.freshness.lastChange(identity);
    };
    const later = Date.now() + DAY;
    const before = await start(NOW + DAY);
    expect(await start(NOW + 2 * DAY)).toBe(before);
    await eventually(async () => {
      expect(await prune({ most: 1, now: later })).toBe(0);
      expect(await changesOf(controller)).toHaveLength(1);
    });
    const third = await controller.create('ConfigType', { name: 'pruned, unread by anybody' });
    const last = await controller.create('ConfigType', { name: 'the last' });
    await eventually(async () => {
      await prune({ most: 1, now: later });
      // Other transactions of the server may hide both for a while, and keep them from being pruned.
      const keptIds = await left();
      expect(keptIds).toContain(last);
      expect(keptIds).not.toContain(third);
    });
    const after = await start(NOW + 3 * DAY);
    expect(after).toBeGreaterThan(before);
    // That is noted: the next one has nothing to miss.
    expect(await start(NOW + 4 * DAY)).toBe(after);
  });
});
