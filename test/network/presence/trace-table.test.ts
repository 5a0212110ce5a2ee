import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { traces } from '../../../src/data/rows/trace/index.js';
import { eventually } from '../../support/eventually.js';
import { InProcess } from '../../support/in-process.js';

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

test('a trace of an identity that somebody just deletes is one of an unknown identity', async () => {
  const { pool } = controller.parts.database;
  const identityId = await controller.create('Identity', {
    name: 'leaving',
    type: 'Default',
    isAdmin: false,
  });
  const deleter = await pool.connect();
  await deleter.query('begin');
  await deleter.query('delete from identity where id = $1', [identityId]);
  const until = new Date('2100-01-01');
  const trace = { identityId, enabled: true, traceId: 'a trace', channels: [], until };
  const stored = traces.put(controller.parts.store, trace);
  await eventually(async () => {
    const { rows } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(rows).toHaveLength(1);
  });
  await deleter.query('commit');
  deleter.release();
  expect(await stored).toBe(false);
});
