import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { startControllerProcess, type ControllerProcess } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { LEVELS, LogReader, metricsIn } from './support.js';

/** Clients that hang up: no errors of ours, told at level info, and counted. */

const METRICS_TOKEN = 'metrics-token-of-the-test';

let controller: ControllerProcess;
let log: LogReader;

beforeAll(async () => {
  controller = await startControllerProcess({
    env: { OVERGRAPH_LOG_LEVEL: 'debug', OVERGRAPH_METRICS_TOKEN: METRICS_TOKEN },
  });
  log = new LogReader(controller.child);
});
afterAll(() => controller.stop());

async function opened(): Promise<TLSSocket> {
  const socket = connect({ port: controller.port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

const head = (method: string, path: string, more: readonly string[]): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'host: localhost',
    'content-type: application/json',
    `zt-session: ${controller.token}`,
    ...more,
    '\r\n',
  ].join('\r\n');

async function metrics(): Promise<[name: string, value: number][]> {
  const { text } = await controller.send('GET', '/metrics', {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
  });
  return [...metricsIn(text)];
}

const goneRequests = async (): Promise<number> =>
  (await metrics())
    .filter(([name]) => name.startsWith('overgraph_requests_total') && name.includes('"499"'))
    .reduce((sum, [, value]) => sum + value, 0);

/** Beside the one that asks. */
async function isTakenOn(): Promise<void> {
  await eventually(async () => {
    expect((await metrics()).find(([name]) => name === 'overgraph_requests_open')?.[1]).toBe(2);
  });
}

/** One more was counted, its line is of level info, and no line of any other is worse. */
async function isNoErrorOfOurs(before: {
  readonly gone: number;
  readonly lines: number;
}): Promise<void> {
  await eventually(async () => {
    expect(await goneRequests()).toBe(before.gone + 1);
  });
  const { value: lines } = await eventually(() => {
    const since = log.lines.slice(before.lines);
    if (!since.some(isGone)) throw new Error('it is not logged yet');
    return since;
  });
  expect(lines.filter(isGone)).toMatchObject([{ level: LEVELS.info }]);
  expect(lines.filter(({ level }) => Number(level) > LEVELS.info)).toStrictEqual([]);
}

const isGone = ({ msg, status }: Record<string, unknown>): boolean =>
  msg === 'request' && status === 499;

const HALF = '{"name": "half of it';
const BODIES: [what: string, method: string, path: string, more: string[]][] = [
  ['a body', 'POST', '/edge/management/v1/services', ['content-length: 100']],
  ['a body in chunks', 'POST', '/edge/management/v1/services', ['transfer-encoding: chunked']],
  ['a body of credentials', 'POST', '/authenticate?method=password', ['content-length: 100']],
  ['a document', 'POST', '/graphql', ['content-length: 100']],
  ['a document in chunks', 'POST', '/graphql', ['transfer-encoding: chunked']],
  ['a compressed document', 'POST', '/graphql', ['content-length: 9', 'content-encoding: gzip']],
  ['an import', 'POST', '/graphql/import', ['content-length: 100']],
  ['a subscription', 'POST', '/graphql/stream', ['content-length: 100']],
];

describe('a client that hangs up', () => {
  test.each(BODIES)('in the middle of %s', async (_, method, path, more) => {
    const before = { gone: await goneRequests(), lines: log.lines.length };
    const isChunked = more.includes('transfer-encoding: chunked');
    const socket = await opened();
    socket.write(head(method, path, more) + (isChunked ? '99\r\n' : '') + HALF.slice(0, 8));
    await isTakenOn();
    socket.destroy();
    await isNoErrorOfOurs(before);
  });

  test.each([
    ['a write', 'POST', '/edge/management/v1/services', '{"name":"n","encryptionRequired":true}'],
    [
      'a write of the graph',
      'POST',
      '/graphql',
      JSON.stringify({
        query: 'mutation { createService(input: { name: "m", encryptionRequired: true }) { id } }',
      }),
    ],
    ['a read', 'GET', '/edge/management/v1/services', ''],
    ['a read without limit', 'GET', '/edge/management/v1/services?limit=-1', ''],
  ])('while %s is under way', async (_, method, path, body) => {
    const before = { gone: await goneRequests(), lines: log.lines.length };
    const holder = new pg.Client({ connectionString: controller.databaseUrl });
    await holder.connect();
    await holder.query('begin; lock table service in access exclusive mode');
    const socket = await opened();
    socket.write(head(method, path, [`content-length: ${String(body.length)}`]) + body);
    await eventually(async () => {
      const { rowCount } = await holder.query('select from pg_locks where not granted');
      expect(rowCount).toBeGreaterThan(0);
    });
    socket.destroy();
    await eventually(async () => {
      expect(await goneRequests()).toBe(before.gone + 1);
    });
    await holder.query('rollback');
    await holder.end();
    await isNoErrorOfOurs(before);
  });
});
