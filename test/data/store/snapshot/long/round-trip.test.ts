import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fillNetwork, sizeFor } from '../../../../bench/network.js';
import { openNetwork } from '../../../../../src/data/store/network-record.js';
import { Database } from '../../../../../src/data/store/database.js';
import {
  restoreSnapshot,
  verifySnapshot,
  writeSnapshot,
  type WrittenSnapshot,
} from '../../../../../src/data/store/snapshot/index.js';
import { createEmptyDatabase, type TestDatabase } from '../../../../support/database.js';
import { storedIn, withClient } from '../stored.js';

/** Snapshot and restore of a network of 100,000 identities with its change log. */

const IDENTITIES = 100_000;
const MINUTES = 60_000;
const MEGABYTE = 1024 * 1024;

let from: TestDatabase;
let to: TestDatabase;
let folder: string;
let database: Database;
let written: WrittenSnapshot;
const path = (): string => join(folder, 'large.snapshot');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overgraph-large-snapshot-'));
  [from, to] = [await createEmptyDatabase(), await createEmptyDatabase()];
  await fillNetwork(from.url, sizeFor(IDENTITIES));
  database = new Database({ url: from.url, named: true, connections: 4 });
  await withClient(from.url, async (client) => {
    await client.query(
      `insert into auth_policy (id, created_at, updated_at, name, "primary", secondary) values ('default', now(), now(), 'Default', '{}', '{}');
       insert into identity_type (id, created_at, updated_at, name) values ('Default', now(), now(), 'Default');
       insert into change (epoch, at, entity_type, entity_id, operation, revision, after)
         select 1, created_at, 'Identity', id, 'create', 1, to_jsonb(i) from identity i`,
    );
  });
  await openNetwork(database, { rootFingerprint: 'root', keyCheck: 'key', predecessors: [] });
}, 5 * MINUTES);
afterAll(async () => {
  await database.close();
  await from.drop();
  await to.drop();
  await rm(folder, { recursive: true, force: true });
});

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  const result = await work();
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  process.stderr.write(`${what}: ${seconds} s\n`);
  return result;
}

describe('100,000 identities', () => {
  test(
    'are written while writers go on',
    async () => {
      let slowest = 0;
      const state = { isWriting: true };
      const writers = (async () => {
        for (let n = 0; state.isWriting; n += 1) {
          const begin = performance.now();
          await database.pool.query('update lease set holder = $1 where false', [String(n)]);
          await database.pool.query(
            `insert into lease (name, holder, expires_at) values ('writer', 'w', now())
             on conflict (name) do update set expires_at = now()`,
          );
          slowest = Math.max(slowest, performance.now() - begin);
        }
      })();
      const before = process.memoryUsage().rss;
      written = await timed('snapshot', () =>
        writeSnapshot(database.pool, path(), { createdAt: new Date() }),
      );
      state.isWriting = false;
      await writers;
      const grown = (process.memoryUsage().rss - before) / MEGABYTE;
      process.stderr.write(
        `${String(written.rows)} rows, ${(written.size / MEGABYTE).toFixed(1)} MiB; slowest write meanwhile ${slowest.toFixed(0)} ms; memory +${grown.toFixed(0)} MiB\n`,
      );
      expect(written.rows).toBeGreaterThan(300_000);
      expect(slowest).toBeLessThan(2_000);
    },
    5 * MINUTES,
  );

  test(
    'are verified',
    async () => {
      const { rows, checksum } = await timed('verify', () => verifySnapshot(path()));
      expect({ rows, checksum }).toStrictEqual({ rows: written.rows, checksum: written.checksum });
    },
    5 * MINUTES,
  );

  test(
    'are the same after a restore',
    async () => {
      await timed('restore', () => restoreSnapshot({ url: to.url, path: path(), now: new Date() }));
      await withClient(to.url, (client) =>
        client.query(
          "delete from change where entity_type = 'NetworkRecord'; update network_record set epoch = 1",
        ),
      );
      expect(await storedIn(to.url)).toStrictEqual(await storedIn(from.url));
    },
    10 * MINUTES,
  );
});
