import { cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  EmbeddedFixture,
  eventually,
  isRoot,
  kill,
  postmasterPid,
  query,
} from '../../../support/embedded.js';

const fixture = new EmbeddedFixture();
afterEach(() => fixture.clear());

const asRoot = isRoot ? describe : describe.skip;

describe('embedded PostgreSQL after a crash', () => {
  it('comes back under the same URL when it is killed', async () => {
    const server = await fixture.start(await fixture.dataDir());
    await query(server.url, 'create table kept as select 42 as answer');
    process.kill(await postmasterPid(server), 'SIGKILL');
    await eventually(() => {
      expect(fixture.log.lines).toContain('the embedded PostgreSQL answers again');
    });
    expect(fixture.log.lines).toContain(
      'the embedded PostgreSQL ended (signal SIGKILL); starting it again',
    );
    expect(await query(server.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('starts although its pid file names another program', async () => {
    const dataDir = await fixture.dataDir();
    const first = await fixture.start(dataDir);
    const pidFile = join(first.directory, 'postmaster.pid');
    const lines = (await readFile(pidFile, 'utf8')).split('\n');
    await first.stop();
    await writeFile(pidFile, [process.pid, ...lines.slice(1)].join('\n'));
    const second = await fixture.start(dataDir);
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('recovers when both the controller and the server were killed', async () => {
    const dataDir = await fixture.dataDir();
    const { parent, url } = await fixture.startElsewhere(dataDir);
    await query(url, 'create table kept as select 42 as answer');
    const pid = await postmasterPid({ directory: join(dataDir, 'postgres', 'cluster') });
    await kill(parent, 'SIGKILL');
    process.kill(pid, 'SIGKILL');
    const server = await fixture.start(dataDir);
    expect(server.adopted).toBe(false);
    expect(await query(server.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('restarts an adopted server under the same URL', async () => {
    const dataDir = await fixture.dataDir();
    const { parent, url } = await fixture.startElsewhere(dataDir);
    await kill(parent, 'SIGKILL');
    const server = await fixture.start(dataDir);
    process.kill(await postmasterPid(server), 'SIGKILL');
    await eventually(() => {
      expect(fixture.log.lines).toContain('the embedded PostgreSQL answers again');
    });
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('is tried again until what is in the way is gone', async () => {
    const server = await fixture.start(await fixture.dataDir());
    const control = join(server.directory, 'global', 'pg_control');
    await rename(control, `${control}.away`);
    process.kill(await postmasterPid(server), 'SIGKILL');
    await eventually(() => {
      const failed = fixture.log.lines.filter((line) => line.includes('it will be tried again'));
      expect(failed.length).toBeGreaterThan(1);
    });
    await rename(`${control}.away`, control);
    await eventually(() => {
      expect(fixture.log.lines).toContain('the embedded PostgreSQL answers again');
    });
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('embedded PostgreSQL in an odd place', () => {
  it('uses a short socket path when the data directory lies deep', async () => {
    const deep = join(await fixture.dataDir(), 'deep '.repeat(20).trim(), '%+&');
    await mkdir(deep, { recursive: true });
    const server = await fixture.start(deep);
    expect(server.directory).toBe(join(deep, 'postgres', 'cluster'));
    expect(server.url).toContain(encodeURIComponent('/tmp/overgraph-'));
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

asRoot('embedded PostgreSQL as root', () => {
  it('lives where its account can go when the data directory is private', async () => {
    const dataDir = await fixture.dataDir(0o700);
    const first = await fixture.start(dataDir);
    expect(first.directory.startsWith(dataDir)).toBe(false);
    expect((await stat(first.directory)).uid).toBe(65_534);
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    const second = await fixture.start(dataDir);
    expect(second.directory).toBe(first.directory);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('refuses a copied data directory, and a recorded home that is gone', async () => {
    const parent = await fixture.dataDir(0o700);
    const [original, copy] = [join(parent, 'original'), join(parent, 'copy')];
    await mkdir(original, { mode: 0o700 });
    const server = await fixture.start(original);
    await server.stop();
    await cp(original, copy, { recursive: true });
    await expect(fixture.start(copy)).rejects.toMatchObject({
      cause: expect.stringContaining('is a copy of'),
    });
    await rm(dirname(server.directory), { recursive: true });
    await expect(fixture.start(original)).rejects.toMatchObject({
      cause: expect.stringContaining('which is gone'),
    });
  });

  it('begins empty when the data directory was deleted and made again', async () => {
    const parent = await fixture.dataDir(0o700);
    const dataDir = join(parent, 'data');
    await mkdir(dataDir, { mode: 0o700 });
    const first = await fixture.start(dataDir);
    await first.stop();
    await rm(dataDir, { recursive: true });
    await mkdir(dataDir, { mode: 0o700 });
    const second = await fixture.start(dataDir);
    expect(second.directory).not.toBe(first.directory);
    expect(fixture.log.lines.join('\n')).toContain('holds an earlier database');
  });

  it('runs as nobody, in no group of ours', async () => {
    const server = await fixture.start(await fixture.dataDir());
    const status = await readFile(`/proc/${await postmasterPid(server)}/status`, 'utf8');
    expect(status).toMatch(/^Uid:\s+65534/m);
    expect(status).toMatch(/^Gid:\s+65534/m);
    expect(status).toMatch(/^Groups:\s*$/m);
  });
});
