import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { withDatabase } from '../../src/data/store/embedded/index.js';

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** A database that copies are made of. */
export interface Template {
  /** Tells it from the templates of other sources, since a server that outlives the run keeps them. */
  readonly name: string;
  /** Default: a database without any table. */
  readonly from?: Template;
  /** Fills a new database; gives the comment that it gets. */
  readonly fill: (url: string) => Promise<string>;
}

/** An empty, migrated database of its own for one test file. */
export const createDatabase = async (): Promise<TestDatabase> =>
  (await copyOf(migratedTemplate())).database;

/** A database with the content of the template, and the comment of the template. */
export async function copyOf(
  template: Template,
): Promise<{ readonly database: TestDatabase; readonly comment: string }> {
  const server = serverUrl();
  const comment = await ensureTemplate(server, template);
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Copying files is faster than logging every page when nothing is synced to disk.
  await withClient(server, (client) =>
    client.query(`create database ${name} template ${template.name} strategy file_copy`),
  );
  const database = {
    url: withDatabase(server, name),
    drop: () => dropDatabase(server, name),
  };
  return { database, comment };
}

/** One without any table. */
export async function createEmptyDatabase(encoding = 'UTF8'): Promise<TestDatabase> {
  const server = serverUrl();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await withClient(server, (client) =>
    client.query(`create database ${name} template template0 encoding '${encoding}' locale 'C'`),
  );
  return { url: withDatabase(server, name), drop: () => dropDatabase(server, name) };
}

/** Connections of a test's own to its database. */
export function openPool(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max });
  // At the end it does not wait for the last sockets; the database is dropped under them.
  pool.on('error', () => undefined);
  return pool;
}

const dropDatabase = (server: string, name: string): Promise<void> =>
  withClient(server, async (client) => {
    await client.query(`drop database if exists ${name} with (force)`);
  });

function serverUrl(): string {
  const url = process.env.OVERGRAPH_TEST_DATABASE_URL;
  if (url === undefined) throw new Error('no test database: run the tests by "npm test"');
  return url;
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

/** Any number that nothing else locks. */
const TEMPLATE_LOCK = 4_021_977;

/**
 * Made by the first test file that comes; the others wait. Complete once it has its name. The comment of the
 * database goes with its content, so that none is there without the other.
 */
async function ensureTemplate(server: string, { name, from, fill }: Template): Promise<string> {
  if (from) await ensureTemplate(server, from);
  return withClient(server, async (client) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rows } = await client.query<{ comment: string }>(
      `select coalesce(shobj_description(oid, 'pg_database'), '') as comment from pg_database where datname = $1`,
      [name],
    );
    if (rows[0]) return rows[0].comment;
    const draft = `${name}_draft`;
    await client.query(`drop database if exists ${draft} with (force)`);
    const source = from
      ? `${from.name} strategy file_copy`
      : `template0 encoding 'UTF8' locale 'C'`;
    await client.query(`create database ${draft} template ${source}`);
    const comment = await fill(withDatabase(server, draft));
    await client.query(`comment on database ${draft} is ${client.escapeLiteral(comment)}`);
    await client.query(`alter database ${draft} rename to ${name}`);
    return comment;
  });
}

export const migratedTemplate = (): Template => ({
  name: `overgraph_template_${migrationsDigest()}`,
  fill: migrateDatabase,
});

async function migrateDatabase(url: string): Promise<string> {
  const pool = openPool(url, 2);
  try {
    await (
      await loadMigrate()
    )(pool);
    return '';
  } finally {
    await pool.end();
  }
}

type Migrate = (pool: pg.Pool) => Promise<void>;

/** Without migrations the template stays empty. */
async function loadMigrate(): Promise<Migrate> {
  if (!existsSync(join(process.cwd(), 'src/data/store/migrate.ts'))) return () => Promise.resolve();
  const path: string = '../../src/data/store/migrate.js';
  const module = (await import(path)) as { migrate: Migrate };
  return module.migrate;
}

/** A server that outlives the run keeps its templates, so each state of the migrations has one. */
function migrationsDigest(): string {
  const hash = createHash('sha256');
  const folder = join(process.cwd(), 'prisma/migrations');
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : [];
  for (const file of files.filter((name) => name.endsWith('.sql')).sort()) {
    hash.update(file).update(readFileSync(join(folder, file)));
  }
  return hash.digest('hex').slice(0, 12);
}
