import { sql } from '../../src/base/sql.js';
import { eventually } from './eventually.js';
import type { InProcess } from './in-process.js';

/**
 * The last change of the log, once no late commit can get before it. Transactions of other test files
 * hold it back, since they run on the same server.
 */
export async function settledChange(on: InProcess): Promise<string> {
  const { value } = await eventually(async () => {
    const [row] = await on.parts.store.query(
      sql<{
        id: string;
        settled: boolean | null;
      }>`select max(id) as id, max(id) < change_horizon() as settled from change`,
    );
    if (row?.settled !== true) throw new Error('it is not settled yet');
    return row.id;
  });
  return value;
}
