import { readdir, readFile, rm, stat, writeFile, mkdtemp, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import {
  restoreSnapshot,
  SnapshotFault,
  verifySnapshot,
} from '../../../../src/data/store/snapshot/index.js';
import { writeWholeFile } from '../../../../src/data/store/snapshot/whole-file.js';
import { createEmptyDatabase, type TestDatabase } from '../../../support/database.js';
import { InProcess } from '../../../support/in-process.js';
import { ownNetwork } from '../../../inventory/transfer/network.js';
import { storedIn, tablesOf, withClient } from './stored.js';

/** Snapshot files: what is in them, and which of them are refused. */

let on: InProcess;
let folder: string;
let now = new Date('2026-11-20T12:00:00Z');
let file: string;
const empties: TestDatabase[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overgraph-snapshot-'));
  on = await InProcess.start(undefined, { now: () => now });
  await on.read(
    'mutation ($document: JSON!) { importNetwork(document: $document) { faultCount } }',
    {
      document: await ownNetwork(),
    },
  );
  await on.create('Identity', {
    name: 'zoë "the\nfirst"\\',
    type: 'Default',
    isAdmin: false,
    tags: { a: null, b: 1.5, c: '\u2028' },
  });
  const service = await on.create('Service', { name: 'bytes', encryptionRequired: true });
  const router = await on.create('EdgeRouter', { name: 'r', isTunnelerEnabled: true });
  await on.create('Terminator', {
    service,
    router,
    binding: 'edge',
    address: 'x',
    identitySecret: 'AP9/gA==',
  });
  const { name } = await create();
  file = join(on.folder, 'snapshots', name);
});
afterAll(async () => {
  for (const database of empties) await database.drop();
  await on.stop();
  await rm(folder, { recursive: true, force: true });
});

const CREATE =
  'mutation ($includePki: Boolean) { createSnapshot(includePki: $includePki) { name size rows checksum createdAt } }';

interface Created {
  readonly name: string;
  readonly size: number;
  readonly rows: number;
  readonly checksum: string;
  readonly createdAt: string;
}

async function create(includePki = false): Promise<Created> {
  now = new Date(now.getTime() + 60_000);
  return (await on.read<{ createSnapshot: Created }>(CREATE, { includePki })).createSnapshot;
}

async function emptyDatabase(): Promise<string> {
  const database = await createEmptyDatabase();
  empties.push(database);
  return database.url;
}

const linesOf = async (path: string): Promise<string[]> =>
  gunzipSync(await readFile(path))
    .toString()
    .trimEnd()
    .split('\n');

describe('a snapshot', () => {
  test('is one file, for its owner alone, as the answer tells', async () => {
    const created = await create();
    const path = join(on.folder, 'snapshots', created.name);
    expect(created.name).toMatch(/^overgraph-20261120T12\d{4}Z\.snapshot$/);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(on.folder, 'snapshots'))).mode & 0o777).toBe(0o700);
    expect((await stat(path)).size).toBe(created.size);
    const verified = await verifySnapshot(path);
    expect(verified).toMatchObject({ rows: created.rows, checksum: created.checksum });
    expect(verified.header).toMatchObject({
      format: 'overgraph-snapshot',
      version: 1,
      createdAt: created.createdAt,
      includesPki: false,
      network: { epoch: 1, keyCheck: on.parts.keys.keyCheck },
    });
    expect(verified.files).toBeUndefined();
    expect(await readdir(join(on.folder, 'snapshots'))).not.toContainEqual(
      expect.stringContaining('.tmp'),
    );
  });

  test('may be made once a minute, at whichever controller', async () => {
    await create();
    const other = await InProcess.start(on, { now: () => now });
    try {
      for (const controller of [on, other]) {
        const { errors } = await controller.graph(CREATE, {});
        expect([errors[0]?.code, errors[0]?.status]).toStrictEqual(['RATE_LIMITED', 429]);
        expect(errors[0]?.retryAfter).toBe(60);
      }
      now = new Date(now.getTime() + 59_999);
      expect((await other.graph(CREATE, {})).errors[0]).toMatchObject({
        code: 'RATE_LIMITED',
        retryAfter: 1,
      });
      now = new Date(now.getTime() + 1);
      expect((await other.graph(CREATE, {})).errors).toStrictEqual([]);
    } finally {
      await other.stop();
    }
  });

  test('has the keys only when asked for', async () => {
    const { name } = await create(true);
    const { files, header } = await verifySnapshot(join(on.folder, 'snapshots', name));
    expect(header.includesPki).toBe(true);
    expect(Object.keys(files ?? {})).toStrictEqual(
      expect.arrayContaining(['root.key', 'root.pem', 'secret.key', 'signer.key', 'server.key']),
    );
    expect(files?.['secret.key']).toBe(on.parts.keys.secretKey.toString('base64'));
    expect((await linesOf(file)).join('\n')).not.toContain('PRIVATE KEY');
  });

  test('leaves out what does not outlive a crash', async () => {
    const { pool } = on.parts.database;
    const { rows } = await pool.query<{ name: string }>(
      `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'u'`,
    );
    const volatile = rows.map(({ name }) => name);
    expect(volatile).toStrictEqual(
      expect.arrayContaining([
        'identity_posture',
        'service_freshness',
        'router_presence',
        'identity_trace',
      ]),
    );
    const { header } = await verifySnapshot(file);
    expect(Object.keys(header.counts).filter((name) => volatile.includes(name))).toStrictEqual([]);
  });

  test('shows one moment, while writers go on', async () => {
    const { pool } = on.parts.database;
    const holder = await pool.connect();
    try {
      // A write under way, which is not part of it and is not waited for.
      await holder.query("begin; update identity set name = 'unseen' where is_default_admin");
      const { name } = await create();
      const lines = await linesOf(join(on.folder, 'snapshots', name));
      expect(lines.some((line) => line.includes('unseen'))).toBe(false);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });

  test('that can not be written leaves nothing, and may be tried again at once', async () => {
    now = new Date(now.getTime() + 60_000);
    const blocked = join(folder, 'blocked');
    await writeFile(blocked, 'a file where a folder should be');
    const snapshots = on.parts.store.snapshots({
      folder: join(blocked, 'snapshots'),
      now: () => now,
      keyFiles: () => Promise.resolve({}),
    });
    await expect(snapshots.create('a', false)).rejects.toThrow('ENOTDIR');
    await expect(on.ctx().modules.snapshots.create('b', false)).resolves.toMatchObject({});
  });

  test('that breaks off leaves no part of a file', async () => {
    const path = join(folder, 'broken', 'file');
    async function* source(): AsyncGenerator<Buffer> {
      yield await Promise.resolve(Buffer.alloc(100_000, 'x'));
      throw new Error('the disk is full');
    }
    await expect(writeWholeFile(path, source())).rejects.toThrow('the disk is full');
    expect(await readdir(join(folder, 'broken'))).toStrictEqual([]);
  });
});

describe('a restored database', () => {
  test('holds the same, table by table, but for the epoch', async () => {
    const before = await storedIn(on.url);
    const { name } = await create();
    const url = await emptyDatabase();
    const path = join(on.folder, 'snapshots', name);
    const restored = await restoreSnapshot({ url, path, now });
    expect(restored).toMatchObject({ epoch: 2, lostFactors: 0 });
    await withClient(url, async (client) => {
      const { rows } = await client.query(
        `delete from change where entity_type = 'NetworkRecord' returning operation, actor_id, address, after`,
      );
      expect(rows).toStrictEqual([
        {
          operation: 'update',
          actor_id: null,
          address: 'command line',
          after: expect.objectContaining({ epoch: 2 }),
        },
      ]);
      await client.query('update network_record set epoch = 1');
    });
    expect(await storedIn(url)).toStrictEqual(before);
    expect(Object.keys(before)).toStrictEqual(
      expect.arrayContaining(['change', 'mfa', 'terminator']),
    );
    expect(await tablesOf(url)).toStrictEqual(await tablesOf(on.url));
  });

  test('goes on counting where the other was', async () => {
    const url = await emptyDatabase();
    await restoreSnapshot({ url, path: file, now });
    await withClient(url, async (client) => {
      const { rows } = await client.query<{ next: boolean }>(
        `select nextval('change_seq_seq') > (select max(seq) from change) as next`,
      );
      expect(rows).toStrictEqual([{ next: true }]);
    });
  });

  test('is made from an older schema, and brought up to date', async () => {
    const lines = await linesOf(file);
    const header = JSON.parse(lines[0] ?? '') as { migrations: string[] };
    const older = join(folder, 'older.snapshot');
    const migrations = header.migrations.filter((name) => !name.endsWith('_operations'));
    expect(migrations.length).toBe(header.migrations.length - 1);
    await writeFile(older, sealed([JSON.stringify({ ...header, migrations }), ...lines.slice(1)]));
    const url = await emptyDatabase();
    await restoreSnapshot({ url, path: older, now });
    expect(await tablesOf(url)).toStrictEqual(await tablesOf(on.url));
  });

  test('loses second factors that the new secret key can not open', async () => {
    const { pool } = on.parts.database;
    const id = await on.create('Identity', {
      name: 'two-factors',
      type: 'Default',
      isAdmin: false,
    });
    await pool.query(
      `insert into mfa (identity_id, id, created_at, updated_at, is_verified, secret, recovery_codes) values ($1, 'm', now(), now(), true, 's', 'r')`,
      [id],
    );
    await pool.query('update identity set is_mfa_enabled = true where id = $1', [id]);
    const { name } = await create();
    const url = await emptyDatabase();
    const newKeys = { rootFingerprint: 'new', keyCheck: 'new' };
    const path = join(on.folder, 'snapshots', name);
    expect(await restoreSnapshot({ url, path, now, newKeys })).toMatchObject({ lostFactors: 1 });
    await withClient(url, async (client) => {
      const { rows } = await client.query(
        `select (select count(*)::int from mfa) as mfa, is_mfa_enabled, revision,
          (select max(revision) from change where entity_id = i.id) as logged from identity i where id = $1`,
        [id],
      );
      expect(rows).toStrictEqual([{ mfa: 0, is_mfa_enabled: false, revision: 2, logged: 2 }]);
    });
    await pool.query('delete from mfa');
  });

  test('must have been empty', async () => {
    const before = await storedIn(on.url);
    await expect(restoreSnapshot({ url: on.url, path: file, now })).rejects.toThrow(
      'the database is not empty',
    );
    expect(await storedIn(on.url)).toStrictEqual(before);
  });
});

/** Lines of a snapshot with the sum that they should have. */
function sealed(lines: readonly string[]): Buffer {
  const body = lines
    .slice(0, -1)
    .map((line) => `${line}\n`)
    .join('');
  const rows = lines.filter((line) => line.startsWith('[')).length;
  const sha256 = createHash('sha256').update(body).digest('hex');
  return gzipSync(`${body}${JSON.stringify({ rows, sha256 })}\n`);
}

type Change = (lines: string[], bytes: Buffer) => Buffer | string[];

const edit = (lines: string[], at: RegExp, by: (line: string) => string): string[] =>
  lines.map((line) => (at.test(line) ? by(line) : line));

const REFUSED: readonly (readonly [name: string, change: Change, says: RegExp])[] = [
  ['is empty', () => Buffer.alloc(0), /breaks off|damaged/],
  [
    'is no gzip',
    () => Buffer.from('nonsense'),
    /damaged, or no snapshot, near byte \d+ \(at its beginning\)/,
  ],
  ['is another document', () => ['{"a":1}'], /no snapshot \(at line 1\)/],
  ['is cut off', (_, bytes) => bytes.subarray(0, bytes.length / 2), /breaks off \(at /],
  ['lacks its last bytes', (_, bytes) => bytes.subarray(0, -4), /breaks off|damaged/],
  ['has a flipped bit', (_, bytes) => flipped(bytes), /damaged|no JSON|no row|checksum|rows/],
  [
    'has junk behind it',
    (_, bytes) => Buffer.concat([bytes, Buffer.from('junk')]),
    /4 bytes follow its end|damaged, or no snapshot, near byte/,
  ],
  [
    'has a second stream behind it',
    (_, bytes) => Buffer.concat([bytes, bytes]),
    /nothing may follow|no row can stand/,
  ],
  [
    'is of a later version',
    (l) => edit(l, /"format"/, (h) => h.replace('"version":1', '"version":2')),
    /of version 2, and only 1 is known/,
  ],
  [
    'has another checksum',
    (l) => edit(l, /"sha256"/, (e) => e.replace(/"sha256":"./, '"sha256":"x')),
    /checksum is/,
  ],
  ['has an altered value', (l) => edit(l, /zoë/, (r) => r.replace('zoë', 'zoo')), /checksum is/],
  [
    'lacks a row',
    (l) => l.filter((line) => !line.includes('zoë')),
    /table identity has \d+ rows, and the header says \d+/,
  ],
  ['lacks its last line', (l) => l.slice(0, -1), /breaks off \(at line \d+/],
  [
    'lacks a value',
    (l) => edit(l, /zoë/, () => '["x"]'),
    /no row of this table \(at line \d+, row \d+ of table identity\)/,
  ],
  [
    'has a value of another kind',
    (l) => edit(l, /zoë/, (r) => r.replace('null', '{}')),
    /no row of this table/,
  ],
  ['lacks a table', (l) => withoutTable(l, 'mfa'), /table mfa is missing/],
  [
    'names a table like a statement',
    (l) => edit(l, /"table":"mfa"/, (t) => t.replace('mfa', 'mfa\\"; drop')),
    /not what can stand here/,
  ],
];

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const at = Math.floor(copy.length / 3);
  copy[at] = (copy[at] ?? 0) ^ 16;
  return copy;
}

function withoutTable(lines: readonly string[], name: string): string[] {
  return lines.filter((line) => !line.startsWith(`{"table":"${name}"`));
}

describe('a file', () => {
  test.each(REFUSED)('that %s is refused, and restores nothing', async (name, change, says) => {
    const bytes = await readFile(file);
    const changed = change(await linesOf(file), bytes);
    await mkdir(join(folder, 'bad'), { recursive: true });
    const path = join(folder, 'bad', name.replaceAll(' ', '-'));
    await writeFile(path, Buffer.isBuffer(changed) ? changed : gzipSync(`${changed.join('\n')}\n`));
    const refusal = await verifySnapshot(path).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SnapshotFault);
    expect((refusal as Error).message).toMatch(says);
    expect((refusal as Error).message.startsWith(`${path}: `)).toBe(true);
    const url = await emptyDatabase();
    await expect(restoreSnapshot({ url, path, now })).rejects.toThrow(SnapshotFault);
    expect(await tablesOf(url)).toStrictEqual([]);
  });

  test('that is not there is refused', async () => {
    await expect(verifySnapshot(join(folder, 'nothing'))).rejects.toThrow(
      'can not be read: ENOENT',
    );
  });

  test('of a later release is refused, naming what it lacks', async () => {
    const [first = '', ...rest] = await linesOf(file);
    const header = JSON.parse(first) as { migrations: string[] };
    const migrations = [...header.migrations, '29990101000000_later'];
    const path = join(folder, 'later.snapshot');
    await writeFile(path, sealed([JSON.stringify({ ...header, migrations }), ...rest]));
    const url = await emptyDatabase();
    await expect(restoreSnapshot({ url, path, now })).rejects.toThrow(
      '29990101000000_later is unknown',
    );
    expect(await tablesOf(url)).toStrictEqual([]);
  });

  test('whose rows break a rule of the schema restores nothing', async () => {
    const lines = await linesOf(file);
    const path = join(folder, 'dangling.snapshot');
    const dangling = edit(lines, /zoë/, (row) => row.replace('"Default"', '"nobody"'));
    await writeFile(path, sealed(dangling));
    const url = await emptyDatabase();
    await expect(restoreSnapshot({ url, path, now })).rejects.toThrow('identity_type_id_fkey');
    expect(await tablesOf(url)).toStrictEqual([]);
  });
});
