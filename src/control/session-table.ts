import { sql } from '../base/sql.js';
import type { Store } from '../kernel/request/store-port.js';

/** Gives those of these tokens that no session for a service has. */
export async function unknownSessionTokens(
  store: Store,
  tokens: readonly string[],
): Promise<string[]> {
  const rows = await store.query(
    sql<{ token: string }>`select t.token from unnest(${[...tokens]}::text[]) t (token)
      where not exists (select from session s where s.token = t.token)`,
  );
  return rows.map(({ token }) => token);
}
