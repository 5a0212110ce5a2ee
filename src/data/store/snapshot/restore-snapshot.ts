import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { unfitness } from '../fit-server.js';
import { LOCK, applyMigration, knownMigrations, openLedger } from '../migrate.js';
import type { SnapshotHeader, SnapshotTable } from './format.js';
import { SnapshotReading } from './read-snapshot.js';
import { SnapshotFault } from './snapshot-fault.js';

export interface RestoreOptions {
  /** The URL of the database to restore into, which must be empty. */
  readonly url: string;
  readonly path: string;
  readonly now: Date;
  /** Key material that replaces that of the snapshot in the network record. */
  readonly newKeys?: { readonly rootFingerprint: string; readonly keyCheck: string } | undefined;
}

export interface Restored {
  readonly header: SnapshotHeader;
  readonly rows: number;
  readonly epoch: number;
  /** Number of second factors whose secrets the new secret key can not open. */
  readonly lostFactors: number;
}

/** Bytes of one statement: large enough to be fast, small enough for the memory. */
const BATCH = 1024 * 1024;

/**
 * Fills an empty database from a snapshot, in one transaction: it creates the tables as they were
 * then, fills them and runs later migrations. After a failure the database is empty as before.
 */
export async function restoreSnapshot(options: RestoreOptions): Promise<Restored> {
  const client = new pg.Client({ connectionString: options.url });
  // A broken connection is reported by its next statement.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query("begin; set local timezone = 'UTC'; set local statement_timeout = 0");
    // A controller that starts now waits, and then finds a filled database.
    await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
    await refuseUnsuitable(client);
    const restored = await restoreIn(client, options);
    await client.query('commit');
    await client.query('analyze');
    return restored;
  } finally {
    // Also ends a transaction that is still open.
    await client.end();
  }
}

async function refuseUnsuitable(client: pg.ClientBase): Promise<void> {
  const unfit = await unfitness(client);
  if (unfit !== undefined) throw new SnapshotFault(`the database can not be used: ${unfit}`);
  const { rows } = await client.query<{ tables: string[] }>(
    `select array(select relname::text from pg_class where relnamespace = 'public'::regnamespace
       and relkind in ('r', 'p', 'v', 'm', 'f') order by relname) as tables`,
  );
  const [{ tables } = { tables: [] }] = rows;
  if (tables.length > 0) {
    const some = tables.slice(0, 3).join(', ');
    throw new SnapshotFault(`the database is not empty: it has ${some}; restore into an empty one`);
  }
}

async function restoreIn(client: pg.ClientBase, options: RestoreOptions): Promise<Restored> {
  const reading = new SnapshotReading(options.path);
  let load: TableLoad | undefined;
  let laterMigrations: readonly string[] = [];
  for await (const part of reading.parts()) {
    if (part.kind === 'header') laterMigrations = await makeTables(client, part.header);
    else if (part.kind === 'table') {
      await load?.flush();
      load = await TableLoad.begin(client, part.table);
    } else if (part.kind === 'rows') await load?.add(part.lines);
  }
  await load?.flush();
  const { header, rows } = reading.whole();
  await setSequences(client);
  // The controllers that ran at the time of the snapshot do not run on this database.
  await client.query(`update controller set last_seen_at = 'epoch'`);
  for (const name of laterMigrations) await applyMigration(client, name);
  return { header, rows, ...(await beginEpoch(client, header, options)) };
}

/** Creates the tables as they were at the snapshot; gives the later migrations. */
async function makeTables(client: pg.ClientBase, header: SnapshotHeader): Promise<string[]> {
  const ownMigrations = await knownMigrations();
  const unknownMigration = header.migrations.find((name) => !ownMigrations.includes(name));
  if (unknownMigration !== undefined) {
    throw new SnapshotFault(
      `the snapshot was made by another release, whose migration ${unknownMigration} is unknown here; restore it with that release or a later one`,
    );
  }
  await openLedger(client);
  for (const name of header.migrations) await applyMigration(client, name);
  const { rows } = await client.query<{ tables: string }>(
    `select string_agg(format('%I', relname), ', ') as tables from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> '_prisma_migrations'`,
  );
  // The snapshot has newer values of rows that migrations inserted.
  await client.query(`truncate ${rows[0]?.tables ?? ''}`);
  return ownMigrations.filter((name) => !header.migrations.includes(name));
}

/** Collects the rows of one table into statements of bounded size. */
class TableLoad {
  #lines: string[] = [];
  #size = 0;

  private constructor(
    private readonly client: pg.ClientBase,
    private readonly statement: string,
  ) {}

  static async begin(client: pg.ClientBase, { table, columns }: SnapshotTable): Promise<TableLoad> {
    const { rows } = await client.query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
       where attrelid = to_regclass($1) and attnum > 0 and not attisdropped`,
      [`public."${table}"`],
    );
    const types = new Map(rows.map(({ name, type }) => [name, type]));
    const values = columns.map((column, i) => {
      const type = types.get(column);
      if (type === undefined) {
        throw new SnapshotFault(`the schema has no column ${table}.${column}, as the snapshot has`);
      }
      return `(r ->> ${String(i)})::${type}`;
    });
    const names = columns.map((column) => `"${column}"`).join(', ');
    return new TableLoad(
      client,
      `insert into "${table}" (${names}) overriding system value select ${values.join(', ')} from jsonb_array_elements($1::jsonb) r`,
    );
  }

  async add(lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      this.#lines.push(line);
      this.#size += line.length;
      if (this.#size >= BATCH) await this.flush();
    }
  }

  async flush(): Promise<void> {
    if (this.#lines.length === 0) return;
    const batch = `[${this.#lines.join(',')}]`;
    this.#lines = [];
    this.#size = 0;
    await this.client.query(this.statement, [batch]);
  }
}

/** Sets sequences to continue after the highest value. */
async function setSequences(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(
    `select c.relname as "table", a.attname as "column", s.name as sequence
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     cross join lateral (select pg_get_serial_sequence(format('%I.%I', 'public', c.relname), a.attname) as name) s
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and s.name is not null`,
  );
  for (const { table, column, sequence } of rows) {
    await client.query(
      `select setval($1, coalesce(max("${column}"), 1), max("${column}") is not null) from "${table}"`,
      [sequence],
    );
  }
}

/**
 * Increments the epoch, so that readers of the change log start again: later changes of the
 * original do not exist here.
 */
async function beginEpoch(
  client: pg.ClientBase,
  header: SnapshotHeader,
  { newKeys, now }: RestoreOptions,
): Promise<Pick<Restored, 'epoch' | 'lostFactors'>> {
  const { network } = header;
  const keys = newKeys ?? network;
  const { rows } = await client.query<{ epoch: number }>(
    'update network_record set epoch = epoch + 1, root_fingerprint = $1, key_check = $2 returning epoch',
    [keys.rootFingerprint, keys.keyCheck],
  );
  const epoch = rows[0]?.epoch ?? 0;
  const lostFactors =
    keys.keyCheck === network.keyCheck ? 0 : await dropFactors(client, epoch, now);
  await client.query(
    `insert into change (epoch, at, entity_type, entity_id, operation, revision, before, after, address, request_id)
     values ($1, $2, 'NetworkRecord', $3, 'update', $1, $4, $5, 'command line', $6)`,
    [
      epoch,
      now,
      network.id,
      JSON.stringify({ epoch: network.epoch, rootFingerprint: network.rootFingerprint }),
      JSON.stringify({
        epoch,
        rootFingerprint: keys.rootFingerprint,
        restoredFrom: header.createdAt,
      }),
      randomBytes(6).toString('hex'),
    ],
  );
  return { epoch, lostFactors };
}

/** Deletes second factors that are sealed with another secret key; their owners must enroll again. */
async function dropFactors(client: pg.ClientBase, epoch: number, now: Date): Promise<number> {
  const { rows } = await client.query<{ id: string; revision: number }>(
    `with gone as (delete from mfa returning identity_id)
     update identity set is_mfa_enabled = false, revision = revision + 1, updated_at = $1
     where id in (select identity_id from gone) returning id, revision`,
    [now],
  );
  await client.query(
    `insert into change (epoch, at, entity_type, entity_id, operation, revision, before, after, address)
     select $1, $2, 'Identity', id, 'update', revision, '{"isMfaEnabled":true}', '{"isMfaEnabled":false}', 'command line'
     from unnest($3::text[], $4::int[]) c(id, revision)`,
    [epoch, now, rows.map(({ id }) => id), rows.map(({ revision }) => revision)],
  );
  return rows.length;
}
