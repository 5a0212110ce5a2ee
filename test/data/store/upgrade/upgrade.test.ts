import { X509Certificate } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { loadKeyMaterial } from '../../../../src/trust/pki/index.js';
import {
  applyMigration,
  knownMigrations,
  migrate,
  newerMigrations,
  openLedger,
} from '../../../../src/data/store/migrate.js';
import { Database } from '../../../../src/data/store/database.js';
import { openNetwork } from '../../../../src/data/store/network-record.js';
import { startController, type TestController } from '../../../support/controller.js';
import { createEmptyDatabase, openPool, type TestDatabase } from '../../../support/database.js';
import { Program } from '../../../support/program.js';

/*
 * A network as the first migration knew it, with rows in every table, is brought to the newest. The
 * rows were written by a controller; they are never to be adapted to later migrations.
 */

type Row = Readonly<Record<string, unknown>>;

const FIRST = '20261120000000_foundation';
/** Their data was volatile, and their successors are filled anew. */
const REPLACED = new Set(['posture_data', 'router_presence']);
/** References need what they name before them. */
const EARLY = ['auth_policy', 'identity_type', 'identity', 'config_type', 'posture_check_type'];
const LATE = ['terminator', 'session', 'service_config_override'];

let database: TestDatabase;
let pool: pg.Pool;
let folder: string;
let rows: Record<string, Row[]>;

const inOrder = (tables: readonly string[]): string[] => [
  ...EARLY,
  ...tables.filter((table) => ![...EARLY, ...LATE].includes(table)),
  ...LATE,
];

const tablesNow = async (): Promise<string[]> => {
  const { rows: found } = await pool.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename not like '\\_%'`,
  );
  return found.map(({ name }) => name).sort();
};

async function fill(table: string, row: Row): Promise<void> {
  const columns = Object.keys(row)
    .map((name) => `"${name}"`)
    .join(', ');
  await pool.query(
    `insert into "${table}" (${columns}) select ${columns} from jsonb_populate_record(null::"${table}", $1)`,
    [JSON.stringify(row)],
  );
}

beforeAll(async () => {
  rows = JSON.parse(
    await readFile('test/data/store/upgrade/foundation.json', 'utf8'),
  ) as typeof rows;
  folder = await mkdtemp(join(tmpdir(), 'overgraph-upgrade-'));
  database = await createEmptyDatabase();
  pool = openPool(database.url, 4);
  const client = await pool.connect();
  await openLedger(client);
  await applyMigration(client, FIRST);
  client.release();
  for (const table of inOrder(Object.keys(rows))) {
    for (const row of rows[table] ?? []) await fill(table, row);
  }
  const keys = await loadKeyMaterial({
    directory: join(folder, 'pki'),
    advertiseHost: 'localhost',
    clock: () => new Date(),
  });
  const opened = new Database({ url: database.url, named: true, connections: 1 });
  await openNetwork(opened, keys);
  await opened.close();
});
afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('a network of the first migration', () => {
  let controller: TestController;
  afterAll(() => controller.stop());

  test('has rows in every table', async () => {
    expect(await knownMigrations()).toContain(FIRST);
    expect(await tablesNow()).toStrictEqual([...Object.keys(rows), 'network_record'].sort());
    for (const [table, of] of Object.entries(rows)) {
      expect([table, of.length > 0]).toStrictEqual([table, true]);
    }
  });

  test('keeps every value of every row on the way to the newest', async () => {
    const { rows: record } = await pool.query<Row>(
      'select to_jsonb(n) as row from network_record n',
    );
    const before: typeof rows = { ...rows, network_record: record.map(({ row }) => row as Row) };
    expect(await migrate(pool)).toStrictEqual((await knownMigrations()).slice(1));
    for (const [table, expected] of Object.entries(before)) {
      if (REPLACED.has(table)) continue;
      const { rows: found } = await pool.query<{ row: Row }>(
        `select to_jsonb(t) as row from "${table}" t`,
      );
      const kept = found.map(({ row }) => row);
      expect([table, kept]).toStrictEqual([
        table,
        expect.arrayContaining(expected.map((row) => expect.objectContaining(row))),
      ]);
      expect([table, kept.length]).toStrictEqual([table, expected.length]);
    }
  });

  test('is served by the controller of today, to those who were logged in and to those who log in', async () => {
    controller = await startController({ with: { databaseUrl: database.url, dataDir: folder } });
    const [session] = rows.api_session ?? [];
    for (const token of [controller.token, String(session?.token)]) {
      const { status, body } = await controller.rest('GET', '/current-identity', undefined, {
        'zt-session': token,
      });
      expect([status, body.data]).toMatchObject([200, { name: 'admin' }]);
    }
  });

  test('says of certificates that it had when they end', async () => {
    const { data } = await controller.graphql(
      '{ certificateAuthorities { nodes { id notAfter } } controllers { nodes { notAfter } } }',
    );
    const { certificateAuthorities, controllers } = data as Record<
      string,
      { nodes: { id: string; notAfter: string | null }[] }
    >;
    const ends = new Map(certificateAuthorities?.nodes.map(({ id, notAfter }) => [id, notAfter]));
    expect(ends.size).toBe(rows.certificate_authority?.length);
    for (const { id, cert_pem: pem } of rows.certificate_authority ?? []) {
      const { validTo } = new X509Certificate(String(pem));
      expect(ends.get(String(id))).toBe(new Date(validTo).toISOString());
    }
    expect(controllers?.nodes.map(({ notAfter }) => notAfter)).not.toContain(null);
  });

  test.each([
    ['auth_policy', 'auth-policies'],
    ['identity_type', 'identity-types'],
    ['identity', 'identities'],
    ['authenticator', 'authenticators'],
    ['certificate_authority', 'cas'],
    ['router', 'routers'],
    ['enrollment', 'enrollments'],
    ['external_jwt_signer', 'external-jwt-signers'],
    ['config_type', 'config-types'],
    ['config', 'configs'],
    ['service', 'services'],
    ['service_policy', 'service-policies'],
    ['edge_router_policy', 'edge-router-policies'],
    ['service_edge_router_policy', 'service-edge-router-policies'],
    ['posture_check_type', 'posture-check-types'],
    ['posture_check', 'posture-checks'],
    ['terminator', 'terminators'],
    ['api_session', 'api-sessions'],
    ['session', 'sessions'],
    ['controller', 'controllers'],
  ])('shows its rows of %s as %s', async (table, collection) => {
    const expected = (rows[table] ?? []).filter(({ is_edge: isEdge }) => isEdge !== true);
    const { status, body } = await controller.rest('GET', `/${collection}?limit=-1`);
    expect(status).toBe(200);
    const shown = body.data as { id: string; name?: string; tags: object; createdAt: string }[];
    for (const { id, name, tags, created_at: createdAt } of expected) {
      const entity = shown.find((one) => one.id === id);
      expect([table, entity]).toMatchObject([
        table,
        { id, tags, ...(name === undefined ? {} : { name }) },
      ]);
      expect(Date.parse(entity?.createdAt ?? '')).toBe(Date.parse(String(createdAt)));
    }
  });

  test('has its edge routers, its access and its overrides as before', async () => {
    const [ada] = (rows.identity ?? []).filter(({ name }) => name === 'ada');
    const { status, body } = await controller.rest(
      'GET',
      `/identities/${String(ada?.id)}/services`,
    );
    expect([status, body.data]).toMatchObject([200, [{ name: 'wiki' }]]);
    const routers = await controller.rest('GET', `/identities/${String(ada?.id)}/edge-routers`);
    expect(routers.body.data).toMatchObject([{ name: 'berlin' }]);
    const configs = await controller.rest('GET', `/identities/${String(ada?.id)}/service-configs`);
    const [override] = rows.service_config_override ?? [];
    expect(configs.body.data).toMatchObject([
      { serviceId: override?.service_id, configId: override?.config_id },
    ]);
  });
});

describe('a database of a newer release', () => {
  /** The migrations of this release and one more, of the given name. */
  async function bringFurther(name: string): Promise<void> {
    const further = join(folder, name);
    await cp('prisma/migrations', further, { recursive: true });
    await mkdir(join(further, name));
    await writeFile(join(further, name, 'migration.sql'), `create table "${name}" ("id" text)`);
    expect(await migrate(pool, further)).toStrictEqual([name]);
  }

  test('is served by this one, which says what it does not know', async () => {
    await bringFurther('29990101000000_more');
    expect(await migrate(pool)).toStrictEqual([]);
    expect(await newerMigrations(pool)).toStrictEqual(['29990101000000_more']);
    const controller = await startController({
      with: { databaseUrl: database.url, dataDir: folder },
    });
    expect((await controller.rest('GET', '/identities')).status).toBe(200);
    await controller.stop();
  });

  test('is refused when the newer release says that it does not fit', async () => {
    await bringFurther('29990102000000_gone_breaking');
    const program = new Program({ DATABASE_URL: database.url, OVERGRAPH_DATA_DIR: folder });
    expect(await program.end()).toBe(1);
    expect(program.stderr).toBe(
      'overgraph: a newer release has changed the database in a way that this one does not know (29990102000000_gone_breaking): start that release\n',
    );
  });
});
