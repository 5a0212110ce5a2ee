import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { levelOf } from '../../../src/requests/observability/index.js';
import {
  startControllerProcess,
  type Answer,
  type ControllerProcess,
} from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { LEVELS, LogReader, metricsIn, type RequestLine } from './support.js';

/** What is told of requests: a line each, an id that clients see too, and numbers. */

const METRICS_TOKEN = 'metrics-token-of-the-test';

let controller: ControllerProcess;
let log: LogReader;
let adminId: string;

beforeAll(async () => {
  controller = await startControllerProcess({
    env: { OVERGRAPH_LOG_LEVEL: 'debug', OVERGRAPH_METRICS_TOKEN: METRICS_TOKEN },
  });
  log = new LogReader(controller.child);
  const { body } = await controller.rest('GET', '/current-identity');
  adminId = (body.data as { id: string }).id;
});
afterAll(() => controller.stop());

const lineOf = async ({ headers }: Pick<Answer, 'headers'>): Promise<RequestLine> =>
  (await eventually(() => log.request(headers['x-request-id']))).value;

const graphql = (query: string, more: object = {}, headers: Record<string, string> = {}) =>
  controller.send<{ errors?: { extensions: { requestId: string } }[] }>('POST', '/graphql', {
    body: JSON.stringify({ query, ...more }),
    headers: { 'content-type': 'application/json', 'zt-session': controller.token, ...headers },
  });

describe('the line of a request', () => {
  test('names route, operation, outcome, caller and time, and not the path', async () => {
    const line = await lineOf(await controller.rest('GET', `/identities/${adminId}?secret=x1y2z3`));
    expect(line).toStrictEqual({
      level: LEVELS.debug,
      time: expect.any(Number),
      msg: 'request',
      method: 'GET',
      route: '/edge/management/v1/identities/{id}',
      operation: 'detailIdentity',
      status: 200,
      ms: expect.any(Number),
      requestId: expect.stringMatching(/^[\w.-]{10,}$/),
      identityId: adminId,
      address: '127.0.0.1',
    });
    expect(log.text).not.toContain('x1y2z3');
  });

  test('names the root fields of a document and nothing of its values', async () => {
    const one = await lineOf(
      await graphql(
        'query Named { alias: identities(filter: "name = \\"value-9\\"") { totalCount } }',
      ),
    );
    expect(one).toMatchObject({ route: '/graphql', operation: 'identities', name: 'Named' });
    const several = await lineOf(
      await graphql(
        '{ ...both } fragment both on Query { version { version } ... on Query { protocols { address } } }',
      ),
    );
    expect(several).toMatchObject({ operation: 'several', fields: ['version', 'protocols'] });
    expect(log.text).not.toContain('value-9');
    expect(log.text).not.toContain('alias');
  });

  test.each([
    ['an unknown path', '/edge/management/v1/no-such-thing/p4th', 404, 'none', 'none'],
    [
      'no session',
      '/edge/management/v1/identities',
      401,
      'listIdentities',
      '/edge/management/v1/identities',
    ],
    ['a path at the root', '/version', 200, 'listVersion', '/edge/client/v1/version'],
    ['a page', '/docs?p4th', 200, 'none', '/docs'],
  ])('is bounded in what it says of %s', async (_, path, status, operation, route) => {
    const line = await lineOf(await controller.send('GET', path));
    const level = status < 400 ? LEVELS.debug : LEVELS.info;
    expect(line).toMatchObject({ status, operation, route, level });
    expect(line).not.toHaveProperty('identityId');
    expect(log.text).not.toContain('p4th');
  });

  test('tells the outcome of a document that was answered with 200', async () => {
    const answer = await graphql('{ identities { totalCount } }', {}, { 'zt-session': 'none' });
    expect(answer.status).toBe(200);
    expect(await lineOf(answer)).toMatchObject({ status: 401, level: LEVELS.info });
  });

  test('has a level by outcome and time', () => {
    const levels = [
      [200, 999, false, 'debug'],
      [304, 1, false, 'debug'],
      [200, 1000, false, 'warn'],
      [200, 60_000, true, 'debug'],
      [404, 1, false, 'info'],
      [499, 1, false, 'info'],
      [499, 60_000, false, 'info'],
      [404, 1000, false, 'warn'],
      [500, 1, false, 'error'],
      [503, 1, false, 'warn'],
    ] as const;
    for (const [status, millis, isStream, level] of levels) {
      expect([status, millis, levelOf({ status, millis, isStream })]).toStrictEqual([
        status,
        millis,
        level,
      ]);
    }
  });
});

describe('the id of a request', () => {
  const idOf = ({ headers }: Answer): unknown => headers['x-request-id'];

  test('is another one each time, whatever the client sends', async () => {
    const headers = { 'x-request-id': 'of-the-client' };
    const ids = [
      idOf(await controller.send('GET', '/version', { headers })),
      idOf(await controller.send('GET', '/version', { headers })),
    ];
    expect(new Set([...ids, 'of-the-client']).size).toBe(3);
  });

  test('is that of the error envelope', async () => {
    for (const path of ['/identities/nobody', '/no-such-thing', '/identities?limit=x']) {
      const answer = await controller.rest('GET', path);
      expect(answer.body.error.requestId).toBe(idOf(answer));
    }
  });

  test.each([
    ['a refused field', '{ identity(id: "nobody") { policyAdvice { isDialAllowed } } }'],
    ['an unknown field', '{ nothing }'],
    ['a text that is no document', '{'],
    ['too much', `{ ${'a '.repeat(3000)} }`],
  ])('is that of the errors of %s', async (_, query) => {
    const answer = await graphql(query);
    expect(answer.body.errors?.[0]?.extensions.requestId).toBe(idOf(answer));
  });

  test('is with the fault of a request that failed unexpectedly', async () => {
    const client = new pg.Client({ connectionString: controller.databaseUrl });
    await client.connect();
    await client.query('alter table posture_check_type rename column operating_systems to broken');
    try {
      const answer = await controller.rest('GET', '/posture-check-types');
      expect([answer.status, answer.body.error.requestId]).toStrictEqual([500, idOf(answer)]);
      expect(await lineOf(answer)).toMatchObject({ status: 500, level: LEVELS.error });
      const fault = log.lines.find((l) => l.msg === 'a request failed unexpectedly');
      expect(fault).toMatchObject({ requestId: idOf(answer), level: LEVELS.error });
    } finally {
      await client.query(
        'alter table posture_check_type rename column broken to operating_systems',
      );
      await client.end();
    }
  });
});

describe('metrics', () => {
  const read = (headers: Record<string, string>) => controller.send('GET', '/metrics', { headers });

  const scrape = async (): Promise<Map<string, number>> => {
    const { status, text } = await read({ authorization: `Bearer ${METRICS_TOKEN}` });
    expect(status).toBe(200);
    return metricsIn(text);
  };

  test('are for administrators and for who knows the token', async () => {
    await controller.create('identities', { name: 'nobody', type: 'Default', isAdmin: false });
    const refused: Record<string, string>[] = [
      {},
      { 'zt-session': 'none' },
      { authorization: 'Bearer' },
      { authorization: METRICS_TOKEN },
      { authorization: `Bearer ${METRICS_TOKEN}x` },
      { authorization: `Bearer ${METRICS_TOKEN.slice(1)}` },
    ];
    for (const headers of refused) {
      const { status, headers: sent, body } = await read(headers);
      expect([headers, status]).toStrictEqual([headers, 401]);
      expect(sent['www-authenticate']).toBe('Bearer realm="metrics"');
      expect(body).toMatchObject({ error: { code: 'UNAUTHORIZED' } });
    }
    const { status, headers } = await read({ 'zt-session': controller.token });
    expect([status, headers['content-type']]).toStrictEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    expect((await scrape()).size).toBeGreaterThan(50);
  });

  test('are read and not written', async () => {
    const { status, headers } = await controller.send('POST', '/metrics');
    expect([status, headers.allow]).toStrictEqual([405, 'GET']);
  });

  test('count requests by operation and outcome', async () => {
    const counted = 'overgraph_requests_total';
    const series = {
      listed: `${counted}{door="management",operation="listConfigTypes",status="200"}`,
      timed:
        'overgraph_request_duration_seconds_count{door="management",operation="listConfigTypes"}',
      refused: `${counted}{door="client",operation="detailService",status="404"}`,
      asked: `${counted}{door="graphql",operation="services",status="200"}`,
      unpermitted: `${counted}{door="graphql",operation="services",status="401"}`,
      strange: `${counted}{door="none",operation="none",status="404"}`,
    };
    const values = async (): Promise<Record<string, number>> => {
      const metrics = await scrape();
      return Object.fromEntries(
        Object.entries(series).map(([name, key]) => [name, metrics.get(key) ?? 0]),
      );
    };
    const before = await values();
    await controller.rest('GET', '/config-types');
    await controller.rest('GET', '/config-types?limit=1');
    await controller.rest('GET', '/edge/client/v1/services/unknown');
    await graphql('{ services { totalCount } }');
    await graphql('{ services { totalCount } }', {}, { 'zt-session': 'none' });
    await controller.send('GET', '/edge/management/v1/strange');
    await eventually(async () => {
      const after = await values();
      const added = Object.fromEntries(
        Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]),
      );
      expect(added).toStrictEqual({
        listed: 2,
        timed: 2,
        refused: 1,
        asked: 1,
        unpermitted: 1,
        strange: 1,
      });
    });
  });

  test('take their labels from what is served, whatever strangers ask', async () => {
    await controller.send('GET', '/edge/management/v1/str4nge?x=str4nge');
    await controller.send('STR4NGE', '/version').catch(() => undefined);
    await graphql('query Str4nge { str4nge }');
    await graphql('{ str4nge: version { version } }');
    const { text } = await read({ authorization: `Bearer ${METRICS_TOKEN}` });
    expect(text.toLowerCase()).not.toContain('str4nge');
  });

  test('show database, feed, sessions, index, event loop and build', async () => {
    const before = await scrape();
    await controller.create('services', { name: 'counted', encryptionRequired: true });
    await eventually(async () => {
      const metrics = await scrape();
      const value = (name: string): number => metrics.get(name) ?? NaN;
      const added = (name: string): number => value(name) - (before.get(name) ?? 0);
      expect(added('overgraph_policy_index_entries{kind="service"}')).toBe(1);
      // What was written before may have been delivered since, too.
      expect(added('overgraph_feed_delay_seconds_count')).toBeGreaterThanOrEqual(1);
      expect(added('overgraph_sql_statements_total')).toBeGreaterThan(5);
      expect(value('overgraph_feed_silence_seconds')).toBeLessThan(5);
      expect(value('overgraph_sessions{kind="api"}')).toBe(1);
      expect(value('overgraph_sessions{kind="service"}')).toBe(0);
      expect(value('overgraph_policy_index_build_seconds')).toBeGreaterThan(0);
      expect(value('overgraph_database_connections{state="total"}')).toBeGreaterThan(0);
      expect(value('overgraph_database_connections{state="waiting"}')).toBe(0);
      expect(value('overgraph_requests_open')).toBe(1);
      expect(value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
      expect(value('process_cpu_seconds_total')).toBeGreaterThan(0);
    });
    const builds = [...before].filter(([name]) => name.startsWith('overgraph_build_info{'));
    expect(builds).toStrictEqual([[expect.stringContaining(`node="${process.version}"`), 1]]);
  });
});
