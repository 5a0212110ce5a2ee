import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { Health, Unwell, type HealthReport } from '../../../src/requests/observability/index.js';
import { withDatabase } from '../../../src/data/store/embedded/index.js';
import {
  freePort,
  startController,
  startControllerProcess,
  type Answer,
  type TestController,
} from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';

interface HealthBody {
  readonly data: HealthReport;
  readonly meta: object;
}

describe('health', () => {
  let time = Date.UTC(2026, 0, 1);
  const now = (): Date => new Date(time);

  test('is looked at again after a second, and counts failures in a row', async () => {
    let fault: Error | undefined;
    let asked = 0;
    const run = (): void => {
      asked += 1;
      if (fault) throw fault;
    };
    const health = new Health([{ id: 'thing', run }], now);
    const thing = async (): Promise<unknown> => (await health.report()).checks[1];
    const ok = {
      id: 'thing',
      healthy: true,
      lastCheckDuration: expect.stringMatching(/^[\d.]+ms$/),
    };
    const at = (millis: number): string => new Date(millis).toISOString();

    const begin = time;
    expect(await thing()).toStrictEqual({ ...ok, lastCheckTime: at(begin) });
    time += 999;
    await thing();
    expect(asked).toBe(1);

    fault = new Unwell('it is broken');
    time = begin + 1000;
    const failing = { ...ok, healthy: false, err: 'it is broken', failingSince: at(begin + 1000) };
    const first = { lastCheckTime: at(begin + 1000), consecutiveFailures: 1 };
    expect(await thing()).toStrictEqual({ ...failing, ...first });
    time = begin + 2000;
    const second = { lastCheckTime: at(begin + 2000), consecutiveFailures: 2 };
    expect(await thing()).toStrictEqual({ ...failing, ...second });

    fault = undefined;
    time = begin + 3000;
    expect(await thing()).toStrictEqual({ ...ok, lastCheckTime: at(begin + 3000) });
    expect(asked).toBe(4);
  });

  test('says nothing of faults that nobody expected', async () => {
    const run = (): never => {
      throw new Error('postgresql://user:password@host');
    };
    const { healthy, checks } = await new Health([{ id: 'thing', run }], now).report();
    expect([healthy, checks[1]?.err]).toStrictEqual([false, 'it failed']);
  });

  test('does not wait for what does not answer', async () => {
    const run = (): Promise<void> => new Promise(() => undefined);
    const { healthy, checks } = await new Health([{ id: 'thing', run }], now).report();
    expect([healthy, checks[1]?.err]).toStrictEqual([false, 'it did not answer in time']);
  });

  test('ends with the order to stop, at once', async () => {
    const health = new Health([], now);
    expect((await health.report()).healthy).toBe(true);
    health.stop();
    const { healthy, checks } = await health.report();
    expect([healthy, checks[0]?.err]).toStrictEqual([false, 'this controller is stopping']);
  });
});

describe('the health endpoint', () => {
  let controller: TestController;
  beforeAll(async () => {
    controller = await startController();
  });
  afterAll(() => controller.stop());

  const ask = (path: string): Promise<Answer<HealthBody>> => controller.send('GET', path);

  test.each(['/health-checks', '/health-checks/v1'])('is at %s for anybody', async (path) => {
    const { status, headers, body } = await ask(path);
    expect([status, headers['content-type']]).toStrictEqual([200, 'application/json']);
    expect(body.meta).toMatchObject({ apiVersion: '0.0.1' });
    expect(body.data).toStrictEqual({
      healthy: true,
      checks: [
        'serving',
        'database.read',
        'database.write',
        'change-feed',
        'keys',
        'event-loop',
      ].map((id) => ({
        id,
        healthy: true,
        lastCheckDuration: expect.stringMatching(/^[\d.]+ms$/),
        lastCheckTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      })),
    });
  });

  test('is short when asked to be', async () => {
    const { status, body } = await ask('/health-checks/v1?type=short');
    expect([status, body.data]).toStrictEqual([200, { healthy: true }]);
  });

  test('is asked by a program of the examples, whose exit code tells', async () => {
    const run = (port: number): Promise<{ code: unknown; stdout: string }> =>
      new Promise((resolve) => {
        const env = { PATH: process.env.PATH, OVERGRAPH_PORT: String(port) };
        execFile(process.execPath, ['examples/healthy.mjs'], { env }, (error, stdout) => {
          resolve({ code: error?.code ?? 0, stdout });
        });
      });
    expect(await run(controller.port)).toStrictEqual({
      code: 0,
      stdout: expect.stringContaining('"healthy":true'),
    });
    expect(await run(await freePort())).toStrictEqual({ code: 1, stdout: '' });
  });

  test('is announced with the interfaces', async () => {
    const { body } = await controller.rest('GET', '/version');
    const address = `https://localhost:${String(controller.port)}/health-checks/v1`;
    expect(body.data).toMatchObject({
      apiVersions: {
        'health-checks': {
          v1: { path: '/health-checks/v1', version: 'v1', apiBaseUrls: [address] },
        },
      },
    });
  });

  test.each(['/health-checks/v2', '/health-checks/v1/x', '/health-check'])(
    'is not at %s',
    async (path) => {
      expect((await ask(path)).status).toBe(404);
    },
  );

  test('says which check fails while the database is read-only or gone, and recovers', async () => {
    const [, name = ''] = /\/(test_\w+)/.exec(controller.databaseUrl) ?? [];
    const connectionString = withDatabase(controller.databaseUrl, 'postgres');
    const client = new pg.Client({ connectionString });
    await client.connect();
    const others = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = '${name}' and pid <> pg_backend_pid()`;
    const failing = async (): Promise<string[]> => {
      const { status, body } = await ask('/health-checks');
      expect([status, body.data.healthy]).toStrictEqual([503, false]);
      return body.data.checks.filter(({ healthy }) => !healthy).map(({ id }) => id);
    };
    try {
      await client.query(`alter database ${name} set default_transaction_read_only = on`);
      await client.query(others);
      await eventually(async () => {
        expect(await failing()).toStrictEqual(['database.write']);
      });
      await client.query(`alter database ${name} reset default_transaction_read_only`);
      await client.query(`alter database ${name} with allow_connections false`);
      await client.query(others);
      await eventually(async () => {
        expect(await failing()).toStrictEqual(
          expect.arrayContaining(['database.read', 'database.write']),
        );
      });
    } finally {
      await client.query(`alter database ${name} with allow_connections true`);
      await client.end();
    }
    // A sign of life is stored every five seconds.
    await eventually(async () => {
      expect((await ask('/health-checks')).status).toBe(200);
    });
  });
});

describe('the listener for monitors alone', () => {
  const METRICS_TOKEN = 'monitors-show-this-token';
  let controller: TestController;
  let origin: string;
  beforeAll(async () => {
    const port = await freePort();
    origin = `http://127.0.0.1:${String(port)}`;
    controller = await startController({
      env: {
        OVERGRAPH_HEALTH_LISTEN: `127.0.0.1:${String(port)}`,
        OVERGRAPH_METRICS_TOKEN: METRICS_TOKEN,
        OVERGRAPH_RATE_LIMIT: '100',
      },
    });
  });
  afterAll(() => controller.stop());

  const ask = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(`${origin}${path}`, init);

  test.each(['/health-checks', '/health-checks/v1'])('has %s without TLS', async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ data: { healthy: true } });
    expect(answer.headers.get('x-request-id')).not.toBeNull();
  });

  test('has the metrics for their token, and for no session', async () => {
    const metrics = (headers: Record<string, string>): Promise<Response> =>
      ask('/metrics', { headers });
    const answer = await metrics({ authorization: `Bearer ${METRICS_TOKEN}` });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('overgraph_requests_total{');
    for (const headers of [
      {},
      { authorization: 'Bearer monitors-show-this-toke' },
      { 'zt-session': controller.token },
      { authorization: `Bearer ${controller.token}` },
    ]) {
      expect((await metrics(headers)).status).toBe(401);
    }
    const shared = await controller.send('GET', '/metrics', {
      headers: { 'zt-session': controller.token },
    });
    expect(shared.status).toBe(200);
  });

  test.each([
    ['/', 404],
    ['/version', 404],
    ['/edge/management/v1/version', 404],
    ['/graphql', 404],
    ['/console/', 404],
    ['/oidc/.well-known/openid-configuration', 404],
  ])('has nothing else: %s', async (path, status) => {
    expect((await ask(path, { headers: { 'zt-session': controller.token } })).status).toBe(status);
  });

  test('answers the error of the method to others than GET', async () => {
    const answer = await ask('/health-checks', { method: 'POST' });
    expect([answer.status, answer.headers.get('allow')]).toStrictEqual([405, 'GET']);
  });

  test('is what the program of the examples asks where it is configured', async () => {
    const { port } = new URL(origin);
    const run = (listen: string): Promise<unknown> =>
      new Promise((resolve) => {
        const env = { PATH: process.env.PATH, OVERGRAPH_HEALTH_LISTEN: listen };
        execFile(process.execPath, ['examples/healthy.mjs'], { env }, (error) => {
          resolve(error?.code ?? 0);
        });
      });
    expect(await run(`127.0.0.1:${port}`)).toBe(0);
    expect(await run(`0.0.0.0:${port}`)).toBe(0);
    expect(await run(`127.0.0.1:${String(await freePort())}`)).toBe(1);
  });

  test('stops the start, with its variable, where its port is in use', async () => {
    const listen = new URL(origin).host;
    await expect(
      startControllerProcess({ env: { OVERGRAPH_HEALTH_LISTEN: listen } }),
    ).rejects.toThrow(/is in use by another program[^]*set OVERGRAPH_HEALTH_LISTEN to a free port/);
  });

  test('refuses an address that sends too many, which do not count at the shared port', async () => {
    const request = 'GET /health-checks?type=short HTTP/1.1\r\nhost: a\r\n\r\n';
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    try {
      let answers = '';
      socket.on('error', () => undefined);
      socket.on('data', (data: Buffer) => (answers += data.toString()));
      // Twice the rate may come at once; a client that sends far more without an answer is disconnected.
      socket.write(request.repeat(270));
      await eventually(() => {
        expect(answers).toContain('HTTP/1.1 429 ');
      });
      expect(answers).toMatch(/HTTP\/1.1 200 [^]*HTTP\/1.1 429 [^]*\r\nretry-after: \d/i);
    } finally {
      socket.destroy();
    }
    const shared = await controller.send('GET', '/health-checks');
    expect(shared.status).toBe(200);
  });
});
