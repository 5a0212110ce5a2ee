import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

/** Any fixed number: every controller takes this lock before it looks at the schema. */
const LOCK = 7_230_118_664;

/** In the form that Prisma's own tools read and write. */
const LEDGER = `create table if not exists "_prisma_migrations" (
  id varchar(36) primary key not null, checksum varchar(64) not null, finished_at timestamptz,
  migration_name varchar(255) not null, logs text, rolled_back_at timestamptz,
  started_at timestamptz not null default now(), applied_steps_count integer not null default 0)`;

/**
 * Brings the schema up to date. Safe with several controllers at once: one applies, the others wait.
 * Each migration is one transaction together with its ledger row, so a crash leaves no half of one.
 */
export async function migrate(pool: pg.Pool, directory = migrationsDirectory()): Promise<string[]> {
  const client = await pool.connect();
  try {
    await client.query('select set_config($1, $2, false)', ['statement_timeout', '0']);
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    return await applyMissing(client, directory);
  } finally {
    // Ends the session with its lock and settings.
    client.release(true);
  }
}

const migrationsDirectory = (): string => join(process.cwd(), 'prisma', 'migrations');

async function applyMissing(client: pg.PoolClient, directory: string): Promise<string[]> {
  await client.query(LEDGER);
  const done = await client.query<{ migration_name: string }>(
    'select migration_name from "_prisma_migrations" where finished_at is not null',
  );
  const applied = new Set(done.rows.map((row) => row.migration_name));
  const entries = await readdir(directory, { withFileTypes: true });
  const missing = entries
    .filter((entry) => entry.isDirectory() && !applied.has(entry.name))
    .map((entry) => entry.name)
    .sort();
  for (const name of missing) {
    const script = await readFile(join(directory, name, 'migration.sql'), 'utf8');
    await client.query('begin');
    try {
      await client.query(script);
      await client.query(
        `insert into "_prisma_migrations" (id, checksum, finished_at, migration_name, applied_steps_count)
         values (gen_random_uuid(), $1, now(), $2, 1)`,
        [createHash('sha256').update(script).digest('hex'), name],
      );
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    }
  }
  return missing;
}
