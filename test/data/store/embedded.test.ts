import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ensureDatabase, withDatabase } from '../../../src/data/store/embedded/index.js';
import { EmbeddedFixture, kill, query } from '../../support/embedded.js';

const fixture = new EmbeddedFixture();
afterEach(() => fixture.clear());

describe('embedded PostgreSQL', () => {
  it('is made at first start, keeps its content and ends when stopped', async () => {
    const dataDir = await fixture.dataDir();
    const first = await fixture.start(dataDir);
    expect(first.adopted).toBe(false);
    expect(first.directory).toBe(join(dataDir, 'postgres', 'cluster'));
    const url = await ensureDatabase(first.url, 'overgraph');
    expect(await ensureDatabase(first.url, 'overgraph')).toBe(url);
    await query(url, 'create table kept as select 42 as answer');
    await first.stop();
    await expect(query(url, 'select 1')).rejects.toMatchObject({ code: 'ENOENT' });

    const second = await fixture.start(dataDir);
    expect(second.adopted).toBe(false);
    expect(await query(url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('speaks UTF-8, sorts by bytes and listens on a private socket only', async () => {
    const server = await fixture.start(await fixture.dataDir());
    const url = await ensureDatabase(server.url, 'overgraph');
    expect(
      await query(
        url,
        `select pg_encoding_to_char(encoding) as encoding, datcollate, datctype,
                current_setting('listen_addresses') as addresses
           from pg_database where datname = 'overgraph'`,
      ),
    ).toEqual([{ encoding: 'UTF8', datcollate: 'C', datctype: 'C', addresses: '' }]);
    const socket = await stat(join(server.directory, '..', 'run'));
    expect(socket.mode & 0o777).toBe(0o700);
  });

  it('is refused to a second process', async () => {
    const dataDir = await fixture.dataDir();
    const { parent } = await fixture.startElsewhere(dataDir);
    await expect(fixture.start(dataDir)).rejects.toMatchObject({
      name: 'StartError',
      cause: expect.stringContaining(`in use by the controller with process id ${parent.pid}`),
    });
  });

  it('is adopted with its content after its controller was killed', async () => {
    const dataDir = await fixture.dataDir();
    const { parent, url } = await fixture.startElsewhere(dataDir);
    await query(url, 'create table kept as select 42 as answer');
    const [before] = await query(url, 'select pg_postmaster_start_time()::text as time');
    await kill(parent, 'SIGKILL');

    const server = await fixture.start(dataDir);
    expect(server.adopted).toBe(true);
    expect(server.url).toBe(url);
    expect(await query(url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    expect(await query(url, 'select pg_postmaster_start_time()::text as time')).toEqual([before]);
    await server.stop();
    await expect(query(url, 'select 1')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('refuses a cluster of another major version', async () => {
    const dataDir = await fixture.dataDir();
    const cluster = join(dataDir, 'postgres', 'cluster');
    await mkdir(cluster, { recursive: true });
    await writeFile(join(cluster, 'PG_VERSION'), '9\n');
    await expect(fixture.start(dataDir)).rejects.toMatchObject({
      cause: expect.stringContaining('was made by PostgreSQL 9'),
    });
  });
});

describe('the URL of another database', () => {
  it.each([
    ['postgresql://postgres@/postgres?host=%2Frun', 'postgresql://postgres@/other?host=%2Frun'],
    ['postgres://u:p@db:5432/a?sslmode=require', 'postgres://u:p@db:5432/other?sslmode=require'],
    ['postgresql://db', 'postgresql://db/other'],
  ])('of %s is %s', (url, expected) => {
    expect(withDatabase(url, 'other')).toBe(expected);
  });
});
