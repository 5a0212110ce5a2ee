import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

/** Any fixed number: every controller takes this lock before it looks at the schema. */
export const LOCK = 7_230_118_664;

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

/** All that this release has, in the order in which they are applied. */
export async function knownMigrations(directory = migrationsDirectory()): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

export async function openLedger(client: pg.ClientBase): Promise<void> {
  await client.query(LEDGER);
}

/** Runs one migration and enters it into the ledger, within a transaction of the caller. */
export async function applyMigration(
  client: pg.ClientBase,
  name: string,
  directory = migrationsDirectory(),
): Promise<void> {
  const script = await readFile(join(directory, name, 'migration.sql'), 'utf8');
  await client.query(script);
  await client.query(
    `insert into "_prisma_migrations" (id, checksum, finished_at, migration_name, applied_steps_count)
     values (gen_random_uuid(), $1, now(), $2, 1)`,
    [createHash('sha256').update(script).digest('hex'), name],
  );
}

async function applyMissing(client: pg.PoolClient, directory: string): Promise<string[]> {
  await openLedger(client);
  const done = await client.query<{ migration_name: string }>(
    'select migration_name from "_prisma_migrations" where finished_at is not null',
  );
  const applied = new Set(done.rows.map((row) => row.migration_name));
  const missing = (await knownMigrations(directory)).filter((name) => !applied.has(name));
  for (const name of missing) {
    await client.query('begin');
    try {
      await applyMigration(client, name, directory);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    }
  }
  return missing;
}
