import { runSql } from '../trust/auth/client.js';
import { raw, sql } from '../../src/base/sql.js';
import type { TestController } from './controller.js';
import { eventually } from './eventually.js';
import type { InProcess } from './in-process.js';

/*
 * The log tells a change once no late commit can get before it. Transactions of other test files hold
 * it back, since they run on the same server.
 */

const LAST = 'select max(id) as id, max(id) < change_horizon() as settled from change';

/** The last change of the log, once the log tells it. */
export const settledChange = (on: InProcess): Promise<string> =>
  settled(() => on.parts.store.query(sql<LastChange>`${raw(LAST)}`));

/** The same of a controller that runs by itself. */
export const settledChangeOf = (controller: Pick<TestController, 'databaseUrl'>): Promise<string> =>
  settled(() => runSql(controller, LAST) as Promise<LastChange[]>);

type LastChange = { readonly id: string; readonly settled: boolean | null };

async function settled(read: () => Promise<readonly LastChange[]>): Promise<string> {
  const { value } = await eventually(async () => {
    const [row] = await read();
    if (row?.settled !== true) throw new Error('it is not settled yet');
    return row.id;
  });
  return value;
}
