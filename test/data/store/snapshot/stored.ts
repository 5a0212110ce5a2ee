import { createHash } from 'node:crypto';
import pg from 'pg';

/** What a database holds, to be compared. */

/** Left out of snapshots: claims of the moment, and the ledger of the schema. */
const LEFT_OUT = ['lease', 'integrity_run', '_prisma_migrations'];

/** Table -> number of rows and a digest of all of them. */
export async function storedIn(url: string): Promise<Record<string, string>> {
  return withClient(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace
       and relkind = 'r' and relpersistence = 'p' and relname <> all($1) order by 1`,
      [LEFT_OUT],
    );
    const stored: Record<string, string> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ line: string }>(
        `select t::text as line from "${name}" t order by t::text collate "C"`,
      );
      const hash = createHash('sha256');
      for (const { line } of rows) hash.update(line).update('\n');
      stored[name] = `${String(rows.length)} rows, ${hash.digest('hex')}`;
    }
    return stored;
  });
}

export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export const tablesOf = (url: string): Promise<string[]> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    );
    return rows.map(({ name }) => name);
  });
