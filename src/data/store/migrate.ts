import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { PROGRAM_FOLDER } from '../../base/program-folder.js';
import { StartError } from '../../base/start-error.js';

/** A fixed number: every controller takes this advisory lock before it reads the schema. */
export const LOCK = 7_230_118_664;

/** A migration of a large network, or the wait for another controller's, may take long. */
const PATIENT = { query_timeout: 3_600_000 };

/** The ledger, in the form of Prisma's tools. */
const LEDGER = `create table if not exists "_prisma_migrations" (
  id varchar(36) primary key not null, checksum varchar(64) not null, finished_at timestamptz,
  migration_name varchar(255) not null, logs text, rolled_back_at timestamptz,
  started_at timestamptz not null default now(), applied_steps_count integer not null default 0)`;

/** Name of migrations that break the release before; it refuses to start after them. */
const BREAKING = /_breaking$/;

/**
 * Brings the schema up to date. Several controllers may call it at once: one applies, the others
 * wait. All migrations and the lock are one transaction, so that a crash leaves no trace and a
 * transaction pooler may be in between.
 */
export async function migrate(pool: pg.Pool, directory = MIGRATIONS): Promise<string[]> {
  const client = await pool.connect();
  try {
    await client.query('begin; set local statement_timeout = 0');
    await client.query('set local idle_in_transaction_session_timeout = 0');
    await client.query({ ...PATIENT, text: 'select pg_advisory_xact_lock($1)', values: [LOCK] });
    const applied = await applyMissing(client, directory);
    await client.query('commit');
    return applied;
  } finally {
    // Also ends a transaction that is still open.
    client.release(true);
  }
}

/**
 * Migrations of the database that this release does not know. They only add, so this release can
 * run beside the newer one.
 */
export async function newerMigrations(pool: pg.Pool, directory = MIGRATIONS): Promise<string[]> {
  const ownMigrations = new Set(await knownMigrations(directory));
  return (await appliedMigrations(pool)).filter((name) => !ownMigrations.has(name));
}

async function appliedMigrations(client: pg.Pool | pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ migration_name: string }>(
    'select migration_name from "_prisma_migrations" where finished_at is not null order by migration_name',
  );
  return rows.map((row) => row.migration_name);
}

const MIGRATIONS = join(PROGRAM_FOLDER, 'prisma', 'migrations');

/** All migrations of this release, in the order in which they are applied. */
export async function knownMigrations(directory = MIGRATIONS): Promise<string[]> {
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
  directory = MIGRATIONS,
): Promise<void> {
  const script = await readFile(join(directory, name, 'migration.sql'), 'utf8');
  await client.query({ ...PATIENT, text: script });
  await client.query(
    `insert into "_prisma_migrations" (id, checksum, finished_at, migration_name, applied_steps_count)
     values (gen_random_uuid(), $1, now(), $2, 1)`,
    [createHash('sha256').update(script).digest('hex'), name],
  );
}

async function applyMissing(client: pg.PoolClient, directory: string): Promise<string[]> {
  await openLedger(client);
  const applied = new Set(await appliedMigrations(client));
  const ownMigrations = await knownMigrations(directory);
  refuseBroken([...applied].filter((name) => !ownMigrations.includes(name)));
  const missing = ownMigrations.filter((name) => !applied.has(name));
  for (const name of missing) await applyMigration(client, name, directory);
  return missing;
}

function refuseBroken(unknown: readonly string[]): void {
  const breaking = unknown.filter((name) => BREAKING.test(name));
  if (breaking.length === 0) return;
  throw new StartError(
    `a newer release has changed the database in a way that this one does not know (${breaking.join(', ')})`,
    'start that release',
  );
}
