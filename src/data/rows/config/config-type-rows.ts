import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';

/**
 * Gives the ids of the config types that have one of these ids or names. A statement, not a model: any
 * number of texts is one parameter.
 */
export async function idsOf(rows: Rows, idsOrNames: readonly string[]): Promise<string[]> {
  const types = await rows.query(
    sql<{
      id: string;
    }>`select id from config_type where id = any(${idsOrNames}::text[]) or name = any(${idsOrNames}::text[]) order by id`,
  );
  return types.map(({ id }) => id);
}
