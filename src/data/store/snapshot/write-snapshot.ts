import { createHash, type Hash } from 'node:crypto';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { durableTables, type DurableTable } from './durable-tables.js';
import { FORMAT, VERSION, type SnapshotHeader } from './format.js';
import { writeWholeFile } from './whole-file.js';

export interface SnapshotOptions {
  readonly createdAt: Date;
  /**
   * Key material to include: file name -> content. It is read after the database snapshot began, so
   * that it is at least as new as the network record.
   */
  readonly files?: (() => Promise<Readonly<Record<string, Buffer>>>) | undefined;
}

export interface WrittenSnapshot {
  /** Bytes of the file. */
  readonly size: number;
  readonly rows: number;
  /** The checksum of the content, as in its last line. */
  readonly checksum: string;
}

/** Rows that are fetched at once. */
const SLICE = 500;

/** A higher level would take much time for a few percent. */
const COMPRESSION = 4;

/**
 * Writes all durable tables in one consistent state. It only reads, in one snapshot of the
 * database, so writers do not wait. A failure leaves no file.
 */
export async function writeSnapshot(
  pool: pg.Pool,
  path: string,
  options: SnapshotOptions,
): Promise<WrittenSnapshot> {
  const client = await pool.connect();
  let isBroken = true;
  try {
    await client.query('begin isolation level repeatable read read only');
    // `local` settings end with the transaction, also behind a pooler.
    await client.query('set local statement_timeout = 0');
    await client.query("set local idle_in_transaction_session_timeout = '300 s'");
    const sum = createHash('sha256');
    const totals = { rows: 0, checksum: '' };
    const lines = snapshotLines(client, options, sum, totals);
    const size = await writeWholeFile(path, lines, createGzip({ level: COMPRESSION }));
    await client.query('commit');
    isBroken = false;
    return { size, ...totals };
  } finally {
    client.release(isBroken);
  }
}

async function* snapshotLines(
  client: pg.ClientBase,
  options: SnapshotOptions,
  sum: Hash,
  totals: { rows: number; checksum: string },
): AsyncGenerator<Buffer> {
  const summed = (text: string): Buffer => {
    const bytes = Buffer.from(text);
    sum.update(bytes);
    return bytes;
  };
  const tables = await durableTables(client);
  yield summed(line(await header(client, tables, options)));
  for (const table of tables) {
    yield summed(line({ table: table.name, columns: table.columns }));
    for await (const rows of rowsOf(client, table)) {
      totals.rows += rows.length;
      yield summed(rows.map((row) => `${row}\n`).join(''));
    }
  }
  if (options.files) yield summed(line({ files: encoded(await options.files()) }));
  totals.checksum = sum.digest('hex');
  yield Buffer.from(line({ rows: totals.rows, sha256: totals.checksum }));
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

const encoded = (files: Readonly<Record<string, Buffer>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [name, bytes.toString('base64')]),
  );

async function header(
  client: pg.ClientBase,
  tables: readonly DurableTable[],
  { createdAt, files }: SnapshotOptions,
): Promise<SnapshotHeader> {
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::float8 as count from "${name}"`,
    );
    counts[name] = rows[0]?.count ?? 0;
  }
  const { rows: migrations } = await client.query<{ name: string }>(
    'select migration_name as name from "_prisma_migrations" where finished_at is not null order by 1',
  );
  const { rows: networks } = await client.query<SnapshotHeader['network']>(
    `select id, epoch, root_fingerprint as "rootFingerprint", key_check as "keyCheck" from network_record`,
  );
  const [network] = networks;
  if (!network) throw new Error('the database has no network record');
  return {
    format: FORMAT,
    version: VERSION,
    createdAt: createdAt.toISOString(),
    migrations: migrations.map(({ name }) => name),
    network,
    includesPki: files !== undefined,
    counts,
  };
}

/** The server builds the lines, which keeps the work per row here small. */
async function* rowsOf(
  client: pg.ClientBase,
  { name, columns }: DurableTable,
): AsyncGenerator<string[]> {
  const texts = columns.map((column) => `"${column}"::text`).join(', ');
  await client.query(
    `declare slice no scroll cursor for select json_build_array(${texts})::text as line from "${name}"`,
  );
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${String(SLICE)} from slice`);
    if (rows.length > 0) yield rows.map((row) => row.line);
    if (rows.length < SLICE) break;
  }
  await client.query('close slice');
}
