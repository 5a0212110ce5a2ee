import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { withDatabase } from '../../src/data/store/embedded/index.js';
import { ADMIN_PASSWORD, freePort } from '../support/controller.js';
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { OlderServer } from '../support/older-server.js';
import { Program } from '../support/program.js';

/** A start that can not succeed: one line with cause and cure, an exit code, nothing left running. */

let database: TestDatabase;
let shared: string;
let folder: string;
let taken: Server;
const programs: Program[] = [];
/** What a test of its own began. */
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await createDatabase();
  shared = await mkdtemp(join(tmpdir(), 'overgraph-start-shared-'));
  taken = createServer();
  taken.listen(0, '127.0.0.1');
  await once(taken, 'listening');
  taken.on('connection', (socket) => socket.destroy());
});
afterAll(async () => {
  taken.close();
  await once(taken, 'close');
  await database.drop();
  await rm(shared, { recursive: true, force: true });
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overgraph-start-'));
});
afterEach(async () => {
  for (const program of programs.splice(0)) await program.end('SIGKILL');
  for (const end of ends.splice(0)) await end();
  await chmod(folder, 0o700);
  await rm(folder, { recursive: true, force: true });
});

async function start(env: Record<string, string> = {}): Promise<Program> {
  const program = new Program({
    DATABASE_URL: database.url,
    // The first that gets to the database binds it to its keys.
    OVERGRAPH_DATA_DIR: shared,
    OVERGRAPH_PORT: String(await freePort()),
    OVERGRAPH_ADMIN_PASSWORD: ADMIN_PASSWORD,
    OVERGRAPH_LOG_LEVEL: 'warn',
    ...env,
  });
  programs.push(program);
  return program;
}

/** The one line that a refused start prints. */
async function refusal(env: Record<string, string>): Promise<string> {
  const program = await start(env);
  expect(await program.end()).toBe(1);
  expect(program.stdout).toBe('');
  expect(program.stderr).toMatch(/^overgraph: [^\n]+: [^\n]+\n$/);
  return program.stderr;
}

const withPort = (port: number): string =>
  `postgresql://somebody@127.0.0.1:${String(port)}/anything`;

describe('a start is refused in one line', () => {
  test.each([
    ['a port that is no number', { OVERGRAPH_PORT: 'x' }, 'OVERGRAPH_PORT'],
    ['a bad database URL', { DATABASE_URL: 'mysql://x' }, 'DATABASE_URL'],
    ['a key without certificate', { OVERGRAPH_TLS_KEY: process.execPath }, 'OVERGRAPH_TLS_CERT'],
    ['a short secret key', { OVERGRAPH_SECRET_KEY: 'c2hvcnQ=' }, 'OVERGRAPH_SECRET_KEY'],
  ])('%s', async (_, env, variable) => {
    expect(await refusal(env)).toContain(variable);
  });

  test('several bad variables name each', async () => {
    const program = await start({ OVERGRAPH_PORT: 'x', OVERGRAPH_LOG_LEVEL: 'loud' });
    expect(await program.end()).toBe(1);
    expect(program.stderr).toMatch(/OVERGRAPH_PORT/);
  });

  test('a busy port', async () => {
    const { port } = taken.address() as AddressInfo;
    const line = await refusal({ OVERGRAPH_PORT: String(port) });
    expect(line).toMatch(new RegExp(`127\\.0\\.0\\.1:${String(port)} is in use.*OVERGRAPH_PORT`));
  });

  test('a host that is not this machine', async () => {
    expect(await refusal({ OVERGRAPH_HOST: '192.0.2.1' })).toMatch(/192\.0\.2\.1.*OVERGRAPH_HOST/);
  });

  test('a file of events with a sink that is not available', async () => {
    const file = join(folder, 'events.yml');
    await writeFile(file, 'bus: { subscriptions: [], handler: { type: amqp, format: json } }\n');
    expect(await refusal({ OVERGRAPH_EVENTS: file })).toContain(
      `OVERGRAPH_EVENTS ${file}: bus.handler.type "amqp" is not available here: set it to file or stdout`,
    );
  });

  test('a data directory that is a file', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    expect(await refusal({ OVERGRAPH_DATA_DIR: file })).toMatch(
      /file is not a directory.*OVERGRAPH_DATA_DIR/,
    );
    expect(await refusal({ OVERGRAPH_DATA_DIR: join(file, 'below') })).toMatch(
      /not a directory.*OVERGRAPH_DATA_DIR/,
    );
  });

  (process.getuid?.() === 0 ? test.skip : test)('a data directory without access', async () => {
    await chmod(folder, 0o500);
    expect(await refusal({ OVERGRAPH_DATA_DIR: join(folder, 'data') })).toMatch(
      /may not be written.*OVERGRAPH_DATA_DIR/,
    );
  });

  test.each([
    ['nobody listens', () => freePort().then(withPort)],
    [
      'there is no such database',
      () => Promise.resolve(withDatabase(database.url, 'no_such_database')),
    ],
    ['there is no such host', () => Promise.resolve('postgresql://x@no-such-host.invalid/x')],
    [
      'something else listens',
      () => Promise.resolve(withPort((taken.address() as AddressInfo).port)),
    ],
  ])('a database where %s', async (_, url) => {
    const address = await url();
    const line = await refusal({ DATABASE_URL: address });
    expect(line).toMatch(/DATABASE_URL can not be used.*: start it, or correct DATABASE_URL/);
  });

  test('a PostgreSQL older than 17, with the version that it is and that is needed', async () => {
    const older = await OlderServer.before(database.url);
    ends.push(() => older.close());
    expect(await refusal({ DATABASE_URL: older.url })).toMatch(
      /DATABASE_URL can not be used \(it is PostgreSQL 15\.18, and PostgreSQL 17 or later is needed\): upgrade it/,
    );
  });

  test('a database that is not in UTF-8', async () => {
    const ascii = await createEmptyDatabase('SQL_ASCII');
    ends.push(() => ascii.drop());
    expect(await refusal({ DATABASE_URL: ascii.url })).toMatch(
      /DATABASE_URL can not be used \(its encoding is SQL_ASCII, and UTF8 is needed\)/,
    );
  });
});

describe('a second controller', () => {
  test('is refused on the data directory of a running one, which goes on', async () => {
    const first = await start();
    await first.ready();
    expect(await refusal({})).toMatch(
      new RegExp(
        `in use by the controller with process id ${String(first.child.pid)}.*OVERGRAPH_DATA_DIR`,
      ),
    );
    expect(first.hasEnded).toBe(false);
    expect(await first.end('SIGTERM')).toBe(0);
    // The lock went with it.
    const next = await start();
    await next.ready();
    expect(await next.end('SIGINT')).toBe(0);
    expect([next.stderr, first.stderr]).toStrictEqual(['', '']);
  });

  test('with other keys is refused on the database', async () => {
    const line = await refusal({ OVERGRAPH_DATA_DIR: join(folder, 'other') });
    expect(line).toMatch(/is not that of the network in the database.*overgraph pki import/);
  });

  test('is refused for a key file or kept password open to others, unless that is meant', async () => {
    const key = join(folder, 'secret');
    await writeFile(key, Buffer.alloc(32, 7));
    const env = { OVERGRAPH_DATA_DIR: folder, OVERGRAPH_SECRET_KEY: key };
    expect(await refusal(env)).toContain(`${key} holds a secret`);
    await chmod(key, 0o600);
    const password = join(folder, 'admin-password');
    await writeFile(password, 'secret\n');
    expect(await refusal(env)).toContain(`chmod 600 ${password}`);
    expect(await refusal({ ...env, OVERGRAPH_ALLOW_OPEN_KEY_FILES: 'true' })).toMatch(
      /is not that of the network/,
    );
  });

  test('starts on a directory whose controller was killed', async () => {
    const own = await createDatabase();
    try {
      const first = await start({ DATABASE_URL: own.url });
      await first.ready();
      await first.end('SIGKILL');
      const next = await start({ DATABASE_URL: own.url });
      await next.ready();
      expect(await next.end('SIGTERM')).toBe(0);
    } finally {
      await own.drop();
    }
  });
});
