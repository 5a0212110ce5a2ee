import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as httpsRequest } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  ADMIN_PASSWORD,
  startControllerProcess,
  type TestController,
} from '../../../../support/controller.js';

/* Whoever logs in and opens sessions hardly notices what others do to the controller. */

const RATE = 200;
const ABUSE = 50 * RATE;
const MAX_SLOWDOWN = 5;
const MINUTE = 60_000;

let controller: TestController;
let serviceId: string;

beforeAll(async () => {
  controller = await startControllerProcess({
    env: { OVERGRAPH_RATE_LIMIT: String(RATE), OVERGRAPH_LOGIN_LIMIT: '0' },
  });
  serviceId = await controller.create('services', { name: 'service', encryptionRequired: true });
  await controller.create('edge-routers', { name: 'router' });
  const everybody = { name: 'all', semantic: 'AnyOf', identityRoles: ['#all'] };
  const everyRouter = { edgeRouterRoles: ['#all'] };
  await controller.create('service-policies', {
    ...everybody,
    type: 'Dial',
    serviceRoles: ['#all'],
  });
  await controller.create('edge-router-policies', { ...everybody, ...everyRouter });
  await controller.create('service-edge-router-policies', {
    ...{ name: 'all', semantic: 'AnyOf', serviceRoles: ['#all'] },
    ...everyRouter,
  });
}, MINUTE);
afterAll(() => controller.stop());

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

/** From an address that nobody else uses. */
const post = (
  path: string,
  body: unknown,
  token?: string,
): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { 'zt-session': token }),
    };
    const options = {
      host: '127.0.0.1',
      localAddress: '127.0.0.2',
      method: 'POST',
      agent,
      headers,
    };
    const request = httpsRequest({ ...options, port: controller.port, path }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text });
      });
    });
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });

/** A login and a session for a service; fails unless both are granted. */
async function arrive(): Promise<void> {
  const login = await post('/edge/client/v1/authenticate?method=password', {
    username: 'admin',
    password: ADMIN_PASSWORD,
  });
  expect(login.status).toBe(200);
  const { data } = JSON.parse(login.text) as { data: { token: string } };
  const session = await post('/edge/client/v1/sessions', { serviceId, type: 'Dial' }, data.token);
  expect(session.status).toBe(201);
}

/** Milliseconds that all but a hundredth of the arrivals stay below. */
async function p99(count = 200): Promise<number> {
  const took: number[] = [];
  const one = async (): Promise<void> => {
    while (took.length < count) {
      const begin = performance.now();
      await arrive();
      took.push(performance.now() - begin);
    }
  };
  await Promise.all([one(), one()]);
  took.sort((a, b) => a - b);
  return took[Math.floor(took.length * 0.99)] ?? 0;
}

const SECOND = 1_000;

/** The lesser of two: what else the machine does disturbs one of them at the most. */
const quiet = async (): Promise<number> => Math.min(await p99(), await p99());

/** Sends as many requests as it can, up to fifty times the limit, on two hundred connections. */
function abuse(args: readonly string[]): ChildProcess {
  return spawn(
    process.execPath,
    [
      'node_modules/autocannon/autocannon.js',
      ...['-c', '200', '-p', '5', '-R', String(ABUSE), '-d', '300', '--no-progress'],
      ...args,
    ],
    { env: { PATH: process.env.PATH, NODE_TLS_REJECT_UNAUTHORIZED: '0' }, stdio: 'ignore' },
  );
}

function report(what: string, idle: number, loaded: number): void {
  process.stderr.write(
    `login and session, p99: idle ${idle.toFixed(0)} ms, ${what} ${loaded.toFixed(0)} ms\n`,
  );
  expect(loaded).toBeLessThan(MAX_SLOWDOWN * idle);
}

describe('while one address sends fifty times its limit', () => {
  const WRONG = ['-m', 'POST', '-H', 'content-type=application/json'];

  test.each([
    ['reads without a session', ['/version']],
    [
      'logins with a wrong password',
      [
        ...[...WRONG, '-b', '{"username":"admin","password":"wrong one"}'],
        '/edge/client/v1/authenticate?method=password',
      ],
    ],
    ['documents', [...WRONG, '-b', '{"query":"{ version { version } }"}', '/graphql']],
  ])(
    'with %s, logins and sessions of others stay quick',
    async (what, args) => {
      await p99(20);
      const idle = await quiet();
      const url = `https://127.0.0.1:${String(controller.port)}${args.at(-1) ?? ''}`;
      const abuser = abuse([...args.slice(0, -1), url]);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const loaded = await quiet();
      expect(abuser.exitCode).toBeNull();
      abuser.kill('SIGKILL');
      await once(abuser, 'exit');
      report(what, idle, loaded);
    },
    3 * MINUTE,
  );
});

test(
  'while networks are imported, exported, listed and analysed',
  async () => {
    await p99(20);
    const idle = await quiet();
    const state = { isRunning: true };
    const identities = Array.from({ length: 1_000 }, (_, i) => ({
      name: `identity-${String(i)}`,
      type: 'Default',
      isAdmin: false,
    }));
    let round = 0;
    let done = 0;
    const busy = [
      async () => {
        round += 1;
        const document = { identities: identities.map((i) => ({ ...i, tags: { round } })) };
        await controller.graphql(
          'mutation ($document: JSON!) { importNetwork(document: $document) { failure } }',
          { document },
        );
      },
      () => controller.graphql('{ exportNetwork }'),
      () => controller.rest('GET', '/identities?limit=-1'),
      () => controller.rest('GET', `/identities/${controllerAdmin}/policy-advice/${serviceId}`),
    ];
    const { body } = await controller.rest('GET', '/current-identity');
    const controllerAdmin = (body.data as { id: string }).id;
    const working = busy.flatMap((work) =>
      [1, 2].map(async () => {
        while (state.isRunning) {
          await work();
          done += 1;
        }
      }),
    );
    const loaded = await quiet();
    state.isRunning = false;
    await Promise.all(working);
    expect(done).toBeGreaterThan(busy.length);
    process.stderr.write(
      `login and session, p99: idle ${idle.toFixed(0)} ms, busy ${loaded.toFixed(0)} ms\n`,
    );
    // What administrators ask for takes its share of the processor; nobody waits a second for it.
    expect(loaded).toBeLessThan(SECOND);
  },
  5 * MINUTE,
);
