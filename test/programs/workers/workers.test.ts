import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startControllerProcess, type ControllerProcess } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { Client } from './client.js';

/* A controller of three processes. Two clients more than processes, so that each serves some. */

const WORKERS = 3;
const CLIENTS = 5;

let controller: ControllerProcess;
let clients: Client[];
const first = (): Client => clients[0] as Client;
const nameOf = ({ body }: Awaited<ReturnType<Client['ask']>>): unknown => body.data.name;

const workersOf = (pid: number | undefined): number[] =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(Number)
    .filter((child) => commandOf(child).includes('worker-main.js'));

function commandOf(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

const start = (env: Record<string, string> = {}): Promise<ControllerProcess> =>
  startControllerProcess({ env: { OVERGRAPH_WORKERS: String(WORKERS), ...env } });

/** Waits until so many are fulfilled. */
const someOf = (promises: readonly Promise<unknown>[], count: number): Promise<number> =>
  new Promise((resolve, reject) => {
    let fulfilled = 0;
    for (const promise of promises) {
      promise.then(() => {
        fulfilled += 1;
        if (fulfilled === count) resolve(fulfilled);
      }, reject);
    }
  });

beforeAll(async () => {
  controller = await start();
  clients = Array.from({ length: CLIENTS }, () => new Client(controller.port, controller.token));
});
afterAll(async () => {
  for (const client of clients) client.end();
  await controller.stop();
});

const ofEach = (path: string, token?: string) =>
  Promise.all(clients.map((client) => client.ask('GET', path, undefined, token)));

describe('a write on one connection is seen on every other one at once', () => {
  test('of an entity, its name and its deletion', async () => {
    for (const [i, writer] of clients.entries()) {
      const id = await writer.create('/services', {
        name: `seen ${String(i)}`,
        encryptionRequired: true,
      });
      const path = `/services/${id}`;
      for (const { status } of await ofEach(path)) expect(status).toBe(200);
      // Again, since answers that were asked twice are kept for a moment.
      for (const answer of await ofEach(path)) expect(nameOf(answer)).toBe(`seen ${String(i)}`);
      for (let turn = 0; turn < 5; turn += 1) {
        const name = `renamed ${String(i)} ${String(turn)}`;
        await writer.ask('PATCH', path, { name });
        for (const answer of await ofEach(path)) expect(nameOf(answer)).toBe(name);
      }
      await writer.ask('DELETE', path);
      for (const { status } of await ofEach(path)) expect(status).toBe(404);
    }
  });

  test('of totals and of what a policy grants', async () => {
    const identity = await first().create('/identities', {
      name: 'reader',
      type: 'Device',
      isAdmin: false,
      roleAttributes: ['readers'],
    });
    const path = `/identities/${identity}/services`;
    const totals = async (): Promise<number[]> =>
      (await ofEach(path)).map(({ body }) => body.meta.pagination.totalCount);
    for (const [i, writer] of clients.entries()) {
      const service = await writer.create('/services', {
        name: `granted ${String(i)}`,
        encryptionRequired: true,
      });
      expect(await totals()).toEqual(clients.map(() => 0));
      const policy = await writer.create('/service-policies', {
        name: `grant ${String(i)}`,
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: ['#readers'],
        serviceRoles: [`@${service}`],
      });
      expect(await totals()).toEqual(clients.map(() => 1));
      await writer.ask('DELETE', `/service-policies/${policy}`);
      expect(await totals()).toEqual(clients.map(() => 0));
    }
  });

  test('of the end of a session', async () => {
    for (const writer of clients) {
      const token = await controller.login();
      for (const { status } of await ofEach('/current-identity', token)) expect(status).toBe(200);
      await writer.ask('DELETE', '/current-api-session', undefined, token);
      for (const { status } of await ofEach('/current-identity', token)) expect(status).toBe(401);
    }
  });
});

test('all processes are one instance, and its metrics are those of all', async () => {
  const requests = async (client: Client): Promise<number> => {
    const { text } = await client.ask('GET', '/metrics');
    const lines = text
      .split('\n')
      .filter((line) => /^overgraph_requests_total.*"getCurrentIdentity"/.test(line));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  const before = await requests(first());
  for (let i = 0; i < 4; i += 1) await ofEach('/current-identity');
  for (const client of clients) expect(await requests(client)).toBe(before + 4 * CLIENTS);
  const instances = await Promise.all(
    Array.from({ length: CLIENTS }, async () => (await controller.send('GET', '/version')).headers),
  );
  expect(new Set(instances.map((headers) => headers['ziti-instance-id'])).size).toBe(1);
});

test('the requests of an address are limited as by one process', async () => {
  const rate = 10;
  const own = await start({ OVERGRAPH_RATE_LIMIT: String(rate) });
  const many = Array.from({ length: CLIENTS }, () => new Client(own.port, own.token));
  const began = performance.now();
  const rounds = await Promise.all(
    many.map(async (client) => {
      const statuses = [];
      for (let i = 0; i < 8; i += 1) statuses.push((await client.ask('GET', '/version')).status);
      return statuses;
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const passed = rounds.flat().filter((status) => status === 200).length;
  // Twice the rate may come at once.
  expect(passed).toBeLessThanOrEqual(2 * rate + Math.ceil(seconds * rate));
  expect(rounds.flat()).toContain(429);
  for (const client of many) client.end();
  await own.stop();
});

test('no byte of a connection is lost on its way to a process', async () => {
  for (let round = 0; round < 20; round += 1) {
    const many = Array.from({ length: 25 }, () => new Client(controller.port, controller.token));
    const answers = await Promise.all(many.map((client) => client.ask('GET', '/identities')));
    expect(answers.map(({ status }) => status)).toEqual(many.map(() => 200));
    for (const client of many) client.end();
  }
});

test('a worker that ends is replaced, and the other connections continue', async () => {
  const own = await start();
  const many = Array.from({ length: 6 }, () => new Client(own.port, own.token));
  for (const client of many) expect((await client.ask('GET', '/version')).status).toBe(200);
  const before = workersOf(own.child.pid);
  expect(before).toHaveLength(WORKERS - 1);
  process.kill(before[0] as number, 'SIGKILL');
  // Each client connects again where its connection broke.
  const answers = await Promise.allSettled(many.map((client) => client.ask('GET', '/version')));
  const broken = answers.filter(({ status }) => status === 'rejected').length;
  expect(broken).toBeLessThanOrEqual(many.length / 2);
  for (const client of many) expect((await client.ask('GET', '/version')).status).toBe(200);
  await eventually(() => {
    const now = workersOf(own.child.pid);
    expect(now).toHaveLength(WORKERS - 1);
    expect(now).not.toContain(before[0]);
  });
  for (const client of many) client.end();
  await own.stop();
});

test('connections on their way to a worker that ends are served by another process', async () => {
  const own = await start();
  const [stopped] = workersOf(own.child.pid) as [number];
  // It takes no connection from now on.
  process.kill(stopped, 'SIGSTOP');
  const many = Array.from({ length: 3 * WORKERS }, () => new Client(own.port, own.token));
  const answers = many.map((client) => client.ask('GET', '/current-identity'));
  const served = await someOf(answers, 2 * WORKERS);
  process.kill(stopped, 'SIGKILL');
  expect(served).toBe(2 * WORKERS);
  for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
  for (const client of many) client.end();
  await own.stop();
});

describe('workers end with the first process', () => {
  test.each(['SIGTERM', 'SIGKILL'] as const)('by %s', async (signal) => {
    const own = await start();
    const pids = workersOf(own.child.pid);
    expect(pids).toHaveLength(WORKERS - 1);
    const ended = once(own.child, 'exit');
    own.child.kill(signal);
    await ended;
    expect(own.child.exitCode).toBe(signal === 'SIGTERM' ? 0 : null);
    await eventually(() => {
      for (const pid of pids) expect(commandOf(pid)).not.toContain('worker-main.js');
    });
    await own.stop();
  });
});
