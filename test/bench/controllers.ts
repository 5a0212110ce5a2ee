import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { stat } from 'node:fs/promises';
import pg from 'pg';
import { ensureDatabase } from '../../src/data/store/embedded/index.js';
import { restoreSnapshot } from '../../src/data/store/snapshot/index.js';
import { ask, CONNECTIONS, drive, inTurn, repeat, type Load } from './load.js';
import { byTurns, floorPath, keysOf, type Effort, type Measured } from './measure.js';
import { READS, type HttpRequest } from './reads.js';
import { table } from './results.js';
import { joinStage, type Server, type Stage } from './stage.js';
import { CREATE_IDENTITY } from './writes.js';

/** What several controllers on one database do. */

export const FEED = { name: 'feed: from a write on one controller to reads on another' };
export const THROUGHPUT = { name: 'controllers: throughput of 1, 2 and 4 on one database' };
export const SNAPSHOT = { name: 'snapshot and restore' };

const BASE = '/edge/management/v1';
const SAMPLES = 200;
const MAX_LAG = 250;

const get = (path: string): HttpRequest => ({ method: 'GET', path: `${BASE}${path}` });
const post = (path: string, body: object): HttpRequest => ({
  method: 'POST',
  path: `${BASE}${path}`,
  body: JSON.stringify(body),
});

/** Milliseconds from the answer to a write until another controller shows it. */
export async function measureFeed(stage: Stage, token: string): Promise<string> {
  const other = await joinStage(stage, 2);
  try {
    const total = async (origin: string): Promise<number> => {
      type Page = { meta: { pagination: { totalCount: number } } };
      return (await ask<Page>(origin, get('/services?limit=1'), token)).meta.pagination.totalCount;
    };
    const lags: number[] = [];
    let expected = await total(stage.controller);
    for (let i = 0; i < SAMPLES; i += 1) {
      const service = { name: `feed-${randomUUID()}`, encryptionRequired: true };
      await ask(stage.controller, post('/services', service), token);
      const began = performance.now();
      expected += 1;
      while ((await total(other.origin)) < expected);
      lags.push(performance.now() - began);
    }
    lags.sort((a, b) => a - b);
    const at = (share: number): number => lags[Math.floor(lags.length * share)] ?? 0;
    return table(
      ['write on one controller, read on another', 'p50 ms', 'p99 ms', 'target p99', ''],
      [
        [
          `seen after, of ${String(SAMPLES)}`,
          at(0.5).toFixed(1),
          at(0.99).toFixed(1),
          `<= ${String(MAX_LAG)}`,
          at(0.99) <= MAX_LAG ? 'pass' : 'FAIL',
        ],
      ],
    );
  } finally {
    await other.stop();
  }
}

/** Of its own, so that no controller has to follow what the floor writes. */
const FLOOR_TABLES = `create table floor_identity (like identity including all);
  create table floor_change (like change including all)`;

/** One statement that stores an identity with its change record, without anything around it. */
const STORE = `with i as (insert into floor_identity (id, created_at, updated_at, name, type_id, auth_policy_id, role_attributes)
    values ($1, now(), now(), $1, 'Default', 'default', '{os-1,site-3,staff,team-7}') returning *)
  insert into floor_change (epoch, at, entity_type, entity_id, operation, revision, after)
    select 1, now(), 'Identity', id, 'create', 1, to_jsonb(i) from i`;

const merged = (loads: readonly Load[]): Load => ({
  seconds: Math.max(...loads.map(({ seconds }) => seconds)),
  times: loads.flatMap(({ times }) => times),
});

/** Reads and writes by the same client on 1, 2 and 4 controllers, by turns with the floor. */
export async function measureThroughput(
  stage: Stage,
  token: string,
  { seconds: all }: Effort,
): Promise<string> {
  // Forty connections at once need longer rounds to be told apart.
  const effort = { seconds: all, rounds: 2 };
  const others = [];
  for (const number of [2, 3, 4]) others.push(await joinStage(stage, number));
  const pool = new pg.Pool({ connectionString: stage.databaseUrl, max: CONNECTIONS });
  try {
    const origins = [stage.controller, ...others.map(({ origin }) => origin)];
    const read = READS.find(({ name }) => name === 'REST identity detail');
    if (!read) throw new Error('there is no read of an identity');
    const keys = read.keys === undefined ? [''] : await keysOf(stage, read.keys);
    const asked = inTurn(keys.map((key) => read.request(key)));
    const floor = inTurn(
      keys.map((key) => ({ method: 'GET' as const, path: floorPath(read, key) })),
    );
    await pool.query(FLOOR_TABLES);
    const create = await CREATE_IDENTITY.prepare(stage, token);
    // The first writes of a process take longest: longer than the warm-up of all of them at once.
    for (const origin of origins)
      for (let i = 0; i < 20; i += 1) await ask(origin, create(), token);
    const on =
      (count: number, next: () => HttpRequest) =>
      async (seconds: number): Promise<Load> =>
        merged(
          await Promise.all(
            origins.slice(0, count).map((origin) => drive(origin, next, seconds, token)),
          ),
        );
    const store = () => pool.query({ name: 'store', text: STORE, values: [randomUUID()] });
    const loads = (next: () => HttpRequest) => [1, 2, 4].map((count) => on(count, next));
    const reads = await byTurns(
      [(seconds) => drive(stage.floor, floor, seconds, ''), ...loads(asked)],
      effort,
    );
    const writes = await byTurns([(seconds) => repeat(store, seconds), ...loads(create)], effort);
    return table(
      ['controllers', 'reads/s', 'to floor', 'p99 ms', 'writes/s', 'to floor', 'p99 ms'],
      ['1', '2', '4'].map((name, i) => [name, ...cells(reads, i + 1), ...cells(writes, i + 1)]),
    );
  } finally {
    await pool.end();
    for (const other of others) await other.stop();
  }
}

function cells(measured: readonly Measured[], i: number): string[] {
  const [floor, ours] = [measured[0], measured[i]];
  if (!floor || !ours) throw new Error('nothing was measured');
  const ratio = ours.perSecond / floor.perSecond;
  return [ours.perSecond.toFixed(0), ratio.toFixed(2), ours.p99.toFixed(1)];
}

/** Seconds to write the whole database into a file, and to fill an empty one from it. */
export async function measureSnapshot(
  server: Server,
  stage: Stage,
  token: string,
): Promise<string> {
  const query = 'mutation { createSnapshot { name rows } }';
  const request: HttpRequest = {
    method: 'POST',
    path: '/graphql',
    body: JSON.stringify({ query }),
  };
  type Created = { data: { createSnapshot: { name: string; rows: number } } };
  const began = performance.now();
  const { data } = await ask<Created>(stage.controller, request, token);
  const written = performance.now();
  const { name, rows } = data.createSnapshot;
  const path = join(stage.dataDir, 'snapshots', name);
  const url = await ensureDatabase(server.url, 'restored');
  const restoring = performance.now();
  await restoreSnapshot({ url, path, now: new Date() });
  const restored = performance.now();
  const seconds = (from: number, to: number): string => ((to - from) / 1000).toFixed(1);
  return table(
    ['snapshot of the whole database', 'rows', 'MB', 'written in s', 'restored in s'],
    [
      [
        name,
        rows.toLocaleString('en'),
        ((await stat(path)).size / 1024 / 1024).toFixed(1),
        seconds(began, written),
        seconds(restoring, restored),
      ],
    ],
  );
}
