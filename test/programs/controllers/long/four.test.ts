import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { startControllerProcess, type ControllerProcess } from '../../../support/controller.js';
import { openPool } from '../../../support/database.js';
import { eventually } from '../../../support/eventually.js';

/** Four controllers on one database write at once, and agree in the end. */

const CONTROLLERS = 4;
const ROUNDS = 60;
const TEAMS = 5;

let first: ControllerProcess & { dataDir: string };
const all: ControllerProcess[] = [];
let pool: pg.Pool;
/** Records that the log has to have: one for each write that was acknowledged. */
let acknowledged = 0;

beforeAll(async () => {
  const env = { OVERGRAPH_SESSION_TIMEOUT: '20s', OVERGRAPH_RATE_LIMIT: '0' };
  first = await startControllerProcess({ env });
  all.push(first);
  while (all.length < CONTROLLERS) all.push(await startControllerProcess({ env, with: first }));
  pool = openPool(first.databaseUrl, 2);
}, 120_000);
afterAll(async () => {
  await pool.end();
  for (const controller of all.slice(1)) await controller.stop();
  await first.stop();
});

const team = (n: number): string => `team-${String(n % TEAMS)}`;

async function write(
  on: ControllerProcess,
  method: string,
  path: string,
  body?: object,
): Promise<string> {
  const answer = await on.rest(method, path, body);
  if (answer.status !== 200 && answer.status !== 201) throw new Error(answer.text);
  acknowledged += 1;
  return (answer.body.data as { id?: string } | undefined)?.id ?? '';
}

/** Creates, changes and deletes, each time at another controller. */
async function work(begin: number, identities: string[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const at = (n: number): ControllerProcess => all[(begin + round + n) % CONTROLLERS] ?? first;
    const name = `${String(begin)}-${String(round)}`;
    const identity = await write(at(0), 'POST', '/identities', {
      name,
      type: 'Default',
      isAdmin: false,
      roleAttributes: [team(round)],
    });
    identities.push(identity);
    const service = await write(at(1), 'POST', '/services', {
      name,
      encryptionRequired: true,
      roleAttributes: [team(round)],
    });
    const policy = await write(at(2), 'POST', '/service-policies', {
      name,
      type: round % 2 === 0 ? 'Dial' : 'Bind',
      semantic: 'AnyOf',
      identityRoles: [`#${team(round)}`],
      serviceRoles: [`#${team(round + begin)}`],
    });
    await write(at(3), 'PATCH', `/identities/${identity}`, { roleAttributes: [team(round + 1)] });
    if (round % 3 === 0) await write(at(1), 'DELETE', `/services/${service}`);
    if (round % 4 === 0) await write(at(2), 'DELETE', `/service-policies/${policy}`);
  }
}

const COLLECTIONS = {
  identities: 'identity',
  services: 'service',
  'service-policies': 'service_policy',
};

async function totals(on: ControllerProcess): Promise<number[]> {
  const counts: number[] = [];
  for (const path of Object.keys(COLLECTIONS)) {
    counts.push((await on.rest('GET', `/${path}?limit=1`)).body.meta.pagination.totalCount);
  }
  return counts;
}

async function access(on: ControllerProcess, identities: readonly string[]): Promise<unknown> {
  const found: unknown[] = [];
  for (const id of identities) {
    const { body } = await on.rest('GET', `/services?asIdentity=${id}&limit=500`);
    const services = body.data as { id: string; permissions: string[] }[];
    found.push(services.map((s) => [s.id, s.permissions]));
  }
  return found;
}

describe('four controllers', () => {
  test('agree on totals, access and the log after writing at once', async () => {
    const identities: string[] = [];
    const { rows: before } = await pool.query<{ count: number }>(
      'select count(*)::int as count from change',
    );
    await Promise.all(Array.from({ length: 8 }, (_, i) => work(i, identities)));
    const stored: number[] = [];
    for (const table of Object.values(COLLECTIONS)) {
      const { rows } = await pool.query<{ n: number }>(`select count(*)::int as n from ${table}`);
      stored.push(rows[0]?.n ?? 0);
    }
    for (const on of all) {
      await eventually(async () => {
        expect(await totals(on)).toStrictEqual(stored);
      });
    }
    const some = identities.filter((_, i) => i % 20 === 0);
    const expected = await access(first, some);
    expect(JSON.stringify(expected)).toContain('Dial');
    for (const on of all.slice(1)) expect(await access(on, some)).toStrictEqual(expected);
    const { rows: after } = await pool.query<{ count: number; twice: number }>(
      `select count(*)::int as count,
         (count(*) - count(distinct (entity_type, entity_id, revision, operation)))::int as twice
       from change`,
    );
    expect(after).toStrictEqual([{ count: (before[0]?.count ?? 0) + acknowledged, twice: 0 }]);
  }, 240_000);

  test('the one that is left does what one does for all', async () => {
    for (const { child } of all.slice(1)) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const token = await first.login();
    const { tookMs } = await eventually(async () => {
      const { rowCount } = await pool.query('select from api_session where token = $1', [token]);
      expect(rowCount).toBe(0);
    }, 90_000);
    // The timeout of sessions, not less.
    expect(tookMs).toBeGreaterThan(15_000);
    const { body } = await first.rest('GET', '/version');
    expect(body).toBeDefined();
  }, 120_000);
});
