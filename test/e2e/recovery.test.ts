import { chmod, cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { oneTimeCode } from '../trust/auth/one-time-code.js';
import { PASSWORD } from '../trust/auth/client.js';
import { MfaHolder } from '../trust/auth/mfa-holder.js';
import { overgraph } from '../support/command.js';
import {
  ADMIN_PASSWORD,
  freePort,
  startController,
  TestController,
} from '../support/controller.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { isRoot } from '../support/embedded.js';
import { Program } from '../support/program.js';

/** A network is saved, restored elsewhere, and its administrator gets in again. */

let source: TestController & { dataDir: string };
let folder: string;
let port: number;
let holder: MfaHolder;
let secret: string;
const databases: TestDatabase[] = [];
const programs: Program[] = [];
const files = { plain: '', withKeys: '' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overgraph-recovery-'));
  // Enterable by the account that PostgreSQL runs as.
  await chmod(folder, isRoot ? 0o711 : 0o700);
  port = await freePort();
  source = await startController();
  holder = await MfaHolder.create(source);
  ({ secret } = await holder.complete());
  files.plain = await snapshot();
  await query(source.databaseUrl, "delete from lease where name = 'snapshot'");
  files.withKeys = await snapshot('--include-pki');
});

afterAll(async () => {
  for (const program of programs) await program.end('SIGTERM');
  await source.stop();
  for (const database of databases) await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function snapshot(...options: string[]): Promise<string> {
  const env = { OVERGRAPH_DATA_DIR: source.dataDir, OVERGRAPH_ADMIN_PASSWORD: ADMIN_PASSWORD };
  const at = ['--url', `https://localhost:${String(source.port)}`];
  const { code, out, err } = await overgraph(env, 'snapshot', 'create', ...at, ...options);
  expect({ code, err }).toStrictEqual({ code: 0, err: '' });
  const [name = ''] = out.split(' ');
  const file = join(folder, `${options.join('') || 'plain'}.snapshot`);
  await cp(join(source.dataDir, 'snapshots', name), file);
  return file;
}

/** The controllers that count as running. */
const RUNNING =
  "select name from controller where last_seen_at > clock_timestamp() - interval '1 day'";

const dataDir = (name: string): string => join(folder, name);

async function emptyDatabase(): Promise<string> {
  const database = await createEmptyDatabase();
  databases.push(database);
  return database.url;
}

const embedded = (): Record<string, string> => ({
  OVERGRAPH_DATA_DIR: dataDir('embedded'),
  OVERGRAPH_PORT: String(port),
  OVERGRAPH_LOG_LEVEL: 'warn',
});

/** Starts the restored controller, and gives what speaks to it. */
async function start(env: Record<string, string>): Promise<[Program, TestController]> {
  const program = new Program(env);
  programs.push(program);
  await program.ready();
  return [program, new TestController(port, '', () => Promise.resolve())];
}

/** Logs the holder in, who proves the second factor that was set up at the first controller. */
async function proveFactor(at: TestController, drift: number): Promise<number> {
  const token = await at.login(holder.person.username, PASSWORD);
  const body = { code: oneTimeCode(secret, new Date(), drift) };
  const path = '/edge/client/v1/authenticate/mfa';
  return (await at.rest('POST', path, body, { 'zt-session': token })).status;
}

describe('a snapshot file', () => {
  test('is checked by a command', async () => {
    const { code, out } = await overgraph({}, 'snapshot', 'verify', files.withKeys);
    expect(code).toBe(0);
    expect(out).toMatch(
      /is sound: \d+ rows, [0-9a-f]{64}\nmade .*, epoch 1, .*\nwith key material\n/,
    );
    const broken = await overgraph({}, 'snapshot', 'verify', join(folder, 'nothing'));
    expect(broken).toMatchObject({ code: 2, out: '', err: expect.stringContaining('ENOENT') });
  });

  test('is made once a minute', async () => {
    const answer = await source.rest('POST', '/database/snapshot');
    expect([answer.status, answer.body.error.code]).toStrictEqual([429, 'RATE_LIMITED']);
  });
});

describe('a restore', () => {
  test('needs the keys of the network', async () => {
    const DATABASE_URL = await emptyDatabase();
    const env = { DATABASE_URL, OVERGRAPH_DATA_DIR: dataDir('without-keys') };
    const { code, err } = await overgraph(env, 'restore', files.plain);
    expect({ code, err }).toStrictEqual({
      code: 2,
      err: expect.stringMatching(
        /neither the snapshot nor .* has the keys of the network: .*pki import.*--new-pki/,
      ),
    });
    expect(
      await query(DATABASE_URL, "select from pg_class where relname = 'identity'"),
    ).toHaveLength(0);
    expect(await readdir(dataDir('without-keys'))).not.toContain('pki');
  });

  test('refuses other keys, unless they are to be new', async () => {
    const DATABASE_URL = await emptyDatabase();
    const other = {
      DATABASE_URL,
      OVERGRAPH_DATA_DIR: dataDir('other-keys'),
      OVERGRAPH_PORT: String(port),
    };
    const begun = await overgraph(other, 'restore', '--new-pki', files.plain);
    expect(begun).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/as epoch 2\.\n.*enroll again\.\n1 second factor lost/),
    });
    const again = { ...other, DATABASE_URL: await emptyDatabase() };
    for (const file of [files.plain, files.withKeys]) {
      const { code, err } = await overgraph(again, 'restore', file);
      expect({ code, err }).toStrictEqual({
        code: 2,
        err: expect.stringContaining(
          'the root certificate here is not that of the network in the snapshot',
        ),
      });
    }
    const [program, controller] = await start(other);
    expect(await controller.login()).not.toBe('');
    // The factor is gone with the key, and its owner is let in to set up another one.
    const token = await controller.login(holder.person.username, PASSWORD);
    const session = await controller.rest('GET', '/edge/client/v1/current-api-session', undefined, {
      'zt-session': token,
    });
    expect(session.body.data).toMatchObject({ authQueries: [] });
    await program.end('SIGTERM');
  });

  test('with the keys beside it brings up the same network, whose secrets open', async () => {
    const DATABASE_URL = await emptyDatabase();
    await cp(join(source.dataDir, 'pki'), join(dataDir('beside'), 'pki'), { recursive: true });
    const env = {
      DATABASE_URL,
      OVERGRAPH_DATA_DIR: dataDir('beside'),
      OVERGRAPH_PORT: String(port),
    };
    expect(await overgraph(env, 'restore', files.plain)).toMatchObject({ code: 0, err: '' });
    const refused = await overgraph(env, 'restore', files.plain);
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringContaining('the database is not empty'),
    });
    // The source runs, but not on this database.
    expect(await query(DATABASE_URL, RUNNING)).toStrictEqual([]);
    expect(await query(source.databaseUrl, RUNNING)).toHaveLength(1);
    const [program, controller] = await start(env);
    expect(await controller.login()).not.toBe('');
    expect(await proveFactor(controller, 1)).toBe(200);
    const [record] = await query(DATABASE_URL, 'select epoch from network_record');
    expect(record?.epoch).toBe(2);
    await program.end('SIGTERM');
  });

  test('fills an embedded database, with the keys of the file', async () => {
    const { code, err, out } = await overgraph(embedded(), 'restore', files.withKeys);
    expect({ code, err, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining('as epoch 2'),
    });
    expect((await stat(join(dataDir('embedded'), 'pki', 'secret.key'))).mode & 0o777).toBe(0o600);
    const [, controller] = await start(embedded());
    expect(await controller.login()).not.toBe('');
  });
});

describe('with access to the machine', () => {
  test('an administrator gets a password while the controller runs, and old sessions end', async () => {
    const controller = new TestController(port, '', () => Promise.resolve());
    const old = await controller.login();
    const { code, out } = await overgraph(embedded(), 'admin', 'reset-password');
    const [, password = ''] = /^password {2}(\S+)$/m.exec(out) ?? [];
    expect({ code, length: password.length > 15 }).toStrictEqual({ code: 0, length: true });
    expect(await controller.login('admin', password)).not.toBe('');
    await expect(controller.login()).rejects.toThrow('INVALID_AUTH');
    const { status } = await controller.rest('GET', '/identities', undefined, {
      'zt-session': old,
    });
    expect(status).toBe(401);
  });

  test('the secret key is not changed while a controller runs', async () => {
    const { code, err } = await overgraph(embedded(), 'secret-key', 'rotate');
    expect({ code, err }).toStrictEqual({
      code: 2,
      err: expect.stringContaining('is in use by the controller'),
    });
  });

  test('and neither is one that the environment sets', async () => {
    const env = { ...embedded(), OVERGRAPH_SECRET_KEY: Buffer.alloc(32, 1).toString('base64') };
    await programs.at(-1)?.end('SIGTERM');
    const { code, err } = await overgraph(env, 'secret-key', 'rotate');
    expect({ code, err }).toStrictEqual({
      code: 2,
      err: expect.stringContaining('is set by OVERGRAPH_SECRET_KEY'),
    });
  });

  test('the secret key is changed, and secrets open with the new one', async () => {
    const key = join(dataDir('embedded'), 'pki', 'secret.key');
    const before = await readFile(key);
    const { code, out, err } = await overgraph(embedded(), 'secret-key', 'rotate');
    expect({ code, out, err }).toStrictEqual({
      code: 0,
      out: expect.stringContaining('a new secret key, with 2 secrets under it'),
      err: '',
    });
    expect(await readFile(key)).not.toStrictEqual(before);
    const [, controller] = await start(embedded());
    // A step that was not used yet: the counter came with the snapshot.
    expect(await proveFactor(controller, 1)).toBe(200);
  });

  test.each([
    [['admin'], 'admin takes reset-password'],
    [['secret-key', 'show'], 'secret-key takes rotate'],
    [['restore'], 'restore takes one file'],
    [['snapshot', 'verify'], 'snapshot takes create or verify <file>'],
    [['export', '--new-pki'], '--new-pki is an option of restore'],
  ])('the command line must make sense, not %j', async (args, says) => {
    const { code, err } = await overgraph({}, ...args);
    expect({ code, err }).toStrictEqual({ code: 2, err: expect.stringContaining(says) });
  });
});
