import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, request as httpsRequest } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { newPerson, PASSWORD } from '../../../../trust/auth/client.js';
import { startControllerProcess, type ControllerProcess } from '../../../../support/controller.js';

/*
 * One address asks for what costs most, fifty times as often as it may; another one reads all the
 * same, and nothing grows. All limits are the default ones. OVERGRAPH_TEST_SECONDS is how long all
 * attacks take together; OVERGRAPH_TEST_RATE is another limit of requests a second of an address, for
 * machines that can not serve as many and attack at the same time.
 */

const RATE = Number(process.env.OVERGRAPH_TEST_RATE ?? 1_000);
const ABUSE = 50 * RATE;
const MAX_SLOWDOWN = 5;
const SECONDS = Number(process.env.OVERGRAPH_TEST_SECONDS ?? 600);
const MEGABYTE = 1024 * 1024;
/** What caches, pools and plans may take once they are full. */
const MAX_GROWTH = 300 * MEGABYTE;
const MIN_READS = 200;
/** Between two reads: so that the reader stays within all limits. */
const PAUSE_MILLIS = Math.max(4, 2_000 / RATE);
const MINUTE = 60_000;

const ATTACKS = [
  'repeated fields',
  'new documents',
  'wrong documents',
  'introspection',
  'large variables',
  'filters',
  'bodies of streams',
  'subscriptions',
  'handshakes',
];
const EACH_MILLIS = (SECONDS * 1_000) / ATTACKS.length;

let controller: ControllerProcess;
let database: pg.Client;
let attackerToken: string;
let quiet: number;
let before: Memory;

beforeAll(async () => {
  controller = await startControllerProcess({
    env: {
      OVERGRAPH_RATE_LIMIT: String(RATE),
      OVERGRAPH_SESSION_RATE_LIMIT: '300',
      OVERGRAPH_GRAPHQL_BUDGET: '3000000',
    },
  });
  for (let i = 0; i < 50; i += 1) {
    await controller.create('services', { name: `service ${String(i)}`, encryptionRequired: true });
  }
  database = new pg.Client({ connectionString: controller.databaseUrl });
  await database.connect();
  attackerToken = await tokenOfReader();
  await p99(1_000);
  quiet = await p99(Math.min(EACH_MILLIS, 20_000));
  before = await memory();
}, 3 * MINUTE);
afterAll(async () => {
  await database.end();
  await controller.stop();
});

/** Somebody who may read, and is not the one who reads beside the attack. */
async function tokenOfReader(): Promise<string> {
  const { username } = await newPerson(controller, { isAdmin: true });
  return controller.login(username, PASSWORD);
}

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

/** From an address that nobody else uses. */
const read = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: '127.0.0.1',
        port: controller.port,
        path: '/edge/management/v1/services?limit=25',
        localAddress: '127.0.0.2',
        agent,
        headers: { 'zt-session': controller.token },
      },
      (response) => {
        response.resume().on('end', () => {
          resolve(response.statusCode ?? 0);
        });
      },
    );
    request.on('error', reject);
    request.end();
  });

/** Milliseconds that all but a hundredth of the reads stay below, for so long and a little more. */
async function p99(millis: number): Promise<number> {
  const took: number[] = [];
  const end = performance.now() + millis;
  const latest = end + MINUTE;
  while (performance.now() < end || (took.length < MIN_READS && performance.now() < latest)) {
    const begin = performance.now();
    expect(await read()).toBe(200);
    took.push(performance.now() - begin);
    await pause(PAUSE_MILLIS);
  }
  took.sort((a, b) => a - b);
  return took[Math.floor(took.length * 0.99)] ?? 0;
}

interface Memory {
  readonly controller: number;
  /** Of the connections of the controller, without what all of them share. */
  readonly database: number;
}

async function memory(): Promise<Memory> {
  const { rows } = await database.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database()',
  );
  const each = await Promise.all(rows.map(({ pid }) => bytesOf(pid, 'RssAnon')));
  return {
    controller: await bytesOf(controller.child.pid ?? 0, 'VmRSS'),
    database: each.reduce((sum, bytes) => sum + bytes, 0),
  };
}

/** 0 for a process that has ended meanwhile. */
async function bytesOf(pid: number, name: string): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8').catch(() => '');
  const [, kilobytes] = new RegExp(`${name}:\\s+(\\d+) kB`).exec(status) ?? [];
  return Number(kilobytes ?? 0) * 1024;
}

const attack = (kind: string): ChildProcess =>
  spawn(
    process.execPath,
    [
      'test/requests/limits/long/attack.mjs',
      kind,
      String(controller.port),
      String(ABUSE),
      attackerToken,
    ],
    { env: { PATH: process.env.PATH }, stdio: ['ignore', 'ignore', 'inherit'] },
  );

const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(0);

describe('while one address sends fifty times its limit', () => {
  test.each(ATTACKS)(
    'of %s, the reads of another are served as soon',
    async (kind) => {
      const attacker = attack(kind);
      const loaded = await p99(EACH_MILLIS);
      const after = await memory();
      expect(attacker.exitCode).toBeNull();
      attacker.kill('SIGKILL');
      await once(attacker, 'exit');
      process.stderr.write(
        `${kind}: p99 quiet ${quiet.toFixed(1)} ms, loaded ${loaded.toFixed(1)} ms; ` +
          `controller ${megabytes(after.controller)} MB, database ${megabytes(after.database)} MB\n`,
      );
      expect(after.controller - before.controller).toBeLessThan(MAX_GROWTH);
      expect(after.database - before.database).toBeLessThan(MAX_GROWTH);
      expect(loaded).toBeLessThan(MAX_SLOWDOWN * quiet);
    },
    EACH_MILLIS + 2 * MINUTE,
  );
});
