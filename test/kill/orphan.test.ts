import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { builtProgram } from '../../src/base/program-folder.js';
import { lockDirectory } from '../../src/data/store/embedded/directory-lock.js';
import { startOfProcess } from '../../src/data/store/embedded/process-info.js';
import { watchFile } from '../../src/data/store/embedded/watch-order.js';
import { EmbeddedFixture, kill, postmasterPid, query } from '../support/embedded.js';
import { eventually } from '../support/eventually.js';
import { hasProcesses, watchesOver } from './processes.js';

/** What becomes of an embedded PostgreSQL whose controller was killed. One cluster for all. */

/** On a busy machine too. */
const PATIENCE = 60_000;

const fixture = new EmbeddedFixture();
let dataDir: string;
let cluster: string;

beforeAll(async () => {
  dataDir = await fixture.dataDir();
  const server = await fixture.start(dataDir);
  cluster = server.directory;
  await query(server.url, 'create table kept as select 42 as answer');
  await server.stop();
}, PATIENCE);
afterEach(async () => {
  const server = await fixture.start(dataDir);
  expect(await query(server.url, 'select answer from kept')).toStrictEqual([{ answer: 42 }]);
  await server.stop();
}, PATIENCE);
afterAll(() => fixture.clear());

const pidFile = (): string => join(cluster, 'postmaster.pid');

const isGone = (): Promise<unknown> =>
  eventually(async () => {
    await expect(readFile(pidFile())).rejects.toMatchObject({ code: 'ENOENT' });
  }, PATIENCE);

const startTime = async (url: string): Promise<unknown> =>
  query(url, 'select pg_postmaster_start_time()::text as time');

const withProcesses = hasProcesses ? test : test.skip;

describe('a PostgreSQL whose controller was killed', () => {
  test(
    'shuts down by itself when nobody adopts it',
    async () => {
      const { parent } = await fixture.startElsewhere(dataDir, 100);
      await kill(parent, 'SIGKILL');
      await isGone();
      const server = await fixture.start(dataDir);
      expect(server.adopted).toBe(false);
      await server.stop();
      expect(await logText()).toContain('received fast shutdown request');
    },
    PATIENCE,
  );

  withProcesses(
    'goes on with the controller that adopts it, under one watch',
    async () => {
      const { parent, url } = await fixture.startElsewhere(dataDir, 3_600_000);
      const before = await startTime(url);
      const [former] = await watchesOver(dataDir);
      await kill(parent, 'SIGKILL');
      const server = await fixture.start(dataDir);
      expect([server.adopted, await startTime(url)]).toStrictEqual([true, before]);
      await eventually(async () => {
        const watches = await watchesOver(dataDir);
        expect(watches).toHaveLength(1);
        expect(watches).not.toContain(former);
      }, PATIENCE);
      await server.stop();
      expect(await watchesOver(dataDir)).toStrictEqual([]);
    },
    PATIENCE,
  );

  test(
    'is had by the next controller, though it comes as the server is told to end',
    async () => {
      for (const waitMs of [190, 260, 330]) {
        const { parent } = await fixture.startElsewhere(dataDir, 200);
        await kill(parent, 'SIGKILL');
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        const server = await fixture.start(dataDir);
        const before = await startTime(server.url);
        // Longer than a watch looks away.
        await new Promise((resolve) => setTimeout(resolve, 1_200));
        expect(await startTime(server.url)).toStrictEqual(before);
        await server.stop();
      }
    },
    PATIENCE,
  );
});

async function logText(): Promise<string> {
  const folder = join(cluster, '..', 'log');
  const names = await readdir(folder);
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('');
}

describe('the watch over it', () => {
  withProcesses(
    'is replaced when it is killed, and the server goes on',
    async () => {
      const server = await fixture.start(dataDir);
      const before = await startTime(server.url);
      const [former = 0] = await watchesOver(dataDir);
      process.kill(former, 'SIGKILL');
      await eventually(async () => {
        const watches = await watchesOver(dataDir);
        expect(watches).toHaveLength(1);
        expect(watches).not.toContain(former);
      }, PATIENCE);
      expect(await startTime(server.url)).toStrictEqual(before);
      await server.stop();
    },
    PATIENCE,
  );

  withProcesses('waits with little memory', async () => {
    const server = await fixture.start(dataDir);
    const [watch] = await watchesOver(dataDir);
    const status = await readFile(`/proc/${String(watch)}/status`, 'utf8');
    const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
    await server.stop();
    // A Node process has more than 40 MB.
    expect(kilobytes).toBeLessThan(10_000);
  });

  test(
    'ends the server without a shell, too',
    async () => {
      const { parent } = await fixture.startElsewhere(dataDir, 3_600_000);
      const home = join(dataDir, 'postgres');
      const order = { home, cluster, pgCtl: 'pg_ctl', token: 'without a shell', adoptionMs: 100 };
      await writeFile(watchFile(home), order.token);
      const watch = spawn(process.execPath, [
        builtProgram('orphan-watch-process'),
        JSON.stringify(order),
      ]);
      await kill(parent, 'SIGKILL');
      watch.stdin.end();
      await isGone();
      await once(watch, 'exit');
    },
    PATIENCE,
  );

  withProcesses('knows nothing of the environment of the controller', async () => {
    process.env.OVERGRAPH_SECRET_OF_TEST = 'secret';
    const server = await fixture.start(dataDir);
    delete process.env.OVERGRAPH_SECRET_OF_TEST;
    const [watch] = await watchesOver(dataDir);
    expect(await readFile(`/proc/${String(watch)}/environ`, 'utf8')).not.toContain('OVERGRAPH');
    await server.stop();
  });

  test('holds up a controller only as long as it works, and gives way to one', async () => {
    const folder = join(dataDir, 'lock');
    await mkdir(folder);
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const { pid = 0 } = child;
    await writeFile(
      join(folder, `watch-${String(pid)}-${(await startOfProcess(pid)) ?? ''}.lock`),
      '',
    );
    expect(await lockDirectory(folder, 'watch')).toBe(pid);
    let isHeld = false;
    const locking = lockDirectory(folder, 'controller').then((lock) => {
      isHeld = true;
      return lock;
    });
    // Longer than a controller waits for another one.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(isHeld).toBe(false);
    await kill(child, 'SIGKILL');
    const lock = await locking;
    expect(typeof lock).toBe('object');
    expect(await lockDirectory(folder, 'watch')).toBe(process.pid);
    if (typeof lock === 'object') await lock.release();
  });
});

describe('what a killed PostgreSQL leaves behind', () => {
  const PAST = new Date(Date.now() - 60_000);

  test('a lock file that it had no time to fill', async () => {
    for (const path of [pidFile(), join(cluster, '..', 'run', '.s.PGSQL.5432.lock')]) {
      await writeFile(path, '');
      await utimes(path, PAST, PAST);
    }
    const server = await fixture.start(dataDir);
    expect(await postmasterPid(server)).toBeGreaterThan(1);
    await server.stop();
  });

  withProcesses('a process id that another PostgreSQL got', async () => {
    const other = new pg.Client({ connectionString: process.env.OVERGRAPH_TEST_DATABASE_URL });
    await other.connect();
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
    await writeFile(pidFile(), `${String(rows[0]?.pid)}\n${cluster}\n1\n5432\n\n\n\nready\n`);
    const server = await fixture.start(dataDir);
    expect(await postmasterPid(server)).not.toBe(rows[0]?.pid);
    await server.stop();
    await other.end();
  });
});
