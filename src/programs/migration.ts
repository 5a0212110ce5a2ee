import 'reflect-metadata';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { catalog } from '../resources/index.js';
import { knownMigrations } from '../data/store/migrate.js';
import { withMigratedDatabase } from '../data/store/schema/migrated-database.js';
import { migrationScript } from '../data/store/schema/migration-script.js';
import {
  describeDifference,
  schemaDifferences,
  type SchemaDifference,
} from '../data/store/schema/schema-differences.js';
import { declaredTables } from '../data/store/tables/index.js';

/*
 * `migration --check`: lists the differences between the declared tables and the migrated ones.
 * `migration <name>`: writes the migration that removes the differences, for review and commit.
 * Both use a temporary database, on the server of OVERGRAPH_TEST_DATABASE_URL or on an embedded one.
 */

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
const USAGE =
  'give the new migration a name of lower-case words: npm run migration -- service_note';
const ADVICE =
  'run `npm run migration -- NAME`, read what it writes, and commit it with the declaration';
const BREAKING_NOTE =
  'it does more than add, and a controller of the release before may stumble over it: keep what it takes away, or end the name in _breaking';

const tables = declaredTables(catalog);

async function check(client: pg.Client): Promise<void> {
  const differences = await schemaDifferences(client, tables);
  report(differences);
  if (differences.length > 0) console.error(ADVICE);
}

async function create(client: pg.Client, name: string): Promise<void> {
  const differences = await schemaDifferences(client, tables);
  if (differences.length === 0) {
    console.log('the migrations make what is declared: there is nothing to write');
    return;
  }
  const { text, isBreaking } = migrationScript(differences, tables);
  console.log(`wrote ${relative(process.cwd(), await writeMigration(name, text))}`);
  if (isBreaking && !name.endsWith('_breaking')) console.log(BREAKING_NOTE);
  await attempt(client, text);
}

/** Checks that the migration makes the declared tables. */
async function attempt(client: pg.Client, script: string): Promise<void> {
  try {
    await client.query(script);
    report(await schemaDifferences(client, tables));
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    console.error(`the database refuses what was written, so change it by hand: ${error.message}`);
    process.exitCode = 1;
  }
}

const log = { info: () => undefined, warn: () => undefined, error: console.error };

/** Runs work on a migrated database and discards its effects. */
const onMigrated = (work: (client: pg.Client) => Promise<void>): Promise<void> =>
  withMigratedDatabase(process.env.OVERGRAPH_TEST_DATABASE_URL, log, async (client) => {
    await client.query('begin');
    await work(client);
  });

function report(differences: readonly SchemaDifference[]): void {
  for (const difference of differences) console.error(describeDifference(difference));
  if (differences.length > 0) process.exitCode = 1;
}

async function writeMigration(name: string, text: string): Promise<string> {
  const folder = join(MIGRATIONS, `${await nextNumber()}_${name}`);
  await mkdir(folder);
  const file = join(folder, 'migration.sql');
  await writeFile(file, text);
  return file;
}

/** Gives the present time, or a number above that of the last migration if it is later. */
async function nextNumber(): Promise<string> {
  const now = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const [last = '0'] = ((await knownMigrations(MIGRATIONS)).at(-1) ?? '').split('_');
  return now > last ? now : String(Number(last) + 1);
}

const [argument = ''] = process.argv.slice(2);
if (argument === '--check') await onMigrated(check);
else if (/^[a-z][a-z0-9_]*$/.test(argument)) {
  await onMigrated((client) => create(client, argument));
} else {
  console.error(USAGE);
  process.exitCode = 2;
}
