import { sql } from '../../base/sql.js';
import type { Rows } from '../../kernel/request/store-port.js';

/** The milliseconds without traffic after which circuits of any number of services end, where there is a limit. */
export async function of(rows: Rows, serviceIds: readonly string[]): Promise<Map<string, number>> {
  if (serviceIds.length === 0) return new Map();
  const services = await rows.query(
    sql<{ id: string; millis: number }>`select id, max_idle_time_millis as millis from service
      where id = any(${serviceIds}::text[]) and max_idle_time_millis > 0`,
  );
  return new Map(services.map(({ id, millis }) => [id, millis]));
}
