import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { ensureDatabase, startEmbedded, type EmbeddedLog } from '../embedded/index.js';
import { migrate } from '../migrate.js';

const SETTINGS = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

/**
 * Runs work on a temporary database made by the migrations: on the server of that URL, or else on
 * an embedded one.
 */
export const withMigratedDatabase = <T>(
  server: string | undefined,
  log: EmbeddedLog,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> => {
  const migrated = (url: string): Promise<T> => withMigrations(url, work);
  return server === undefined ? withOwnServer(log, migrated) : migrated(server);
};

async function withOwnServer<T>(log: EmbeddedLog, work: (url: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'overgraph-schema-'));
  // As root, PostgreSQL runs as another account, which must be able to enter.
  if (process.getuid?.() === 0) await chmod(folder, 0o711);
  try {
    const server = await startEmbedded({ dataDir: folder, log, settings: SETTINGS });
    try {
      return await work(server.url);
    } finally {
      await server.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function withMigrations<T>(
  server: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const name = `declared_${randomBytes(6).toString('hex')}`;
  const url = await ensureDatabase(server, name);
  try {
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    await migrate(pool).finally(() => pool.end());
    return await withClient(url, work);
  } finally {
    await withClient(server, (client) => client.query(`drop database ${name} with (force)`));
  }
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
