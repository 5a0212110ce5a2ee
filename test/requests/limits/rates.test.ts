import { Agent, request as httpsRequest } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  ADMIN_PASSWORD,
  startController,
  type Answer,
  type Envelope,
  type TestController,
} from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { LoginClient, type Tokens } from '../../trust/oidc/login-client.js';
import { TlsClient } from './tls-client.js';

/* How many requests a second an address and a session may send; others do not feel it. */

const RATE = 5;
const BURST = 2 * RATE;
const CODE = 'SERVER_TOO_MANY_REQUESTS';
const MESSAGE =
  'Too many requests to alter state have been issued. Please slow your request rate or try again later.';

/** Each test speaks from an address of its own. */
const askFrom = (
  { port }: TestController,
  localAddress: string,
  path: string,
  options: { headers?: Record<string, string>; body?: string } = {},
): Promise<Answer<Envelope>> =>
  new Promise((resolve, reject) => {
    const { headers = {}, body } = options;
    const method = body === undefined ? 'GET' : 'POST';
    const agent = new Agent({ rejectUnauthorized: false });
    const request = httpsRequest(
      { host: '127.0.0.1', port, path, method, localAddress, agent, headers },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => {
          agent.destroy();
          const { statusCode: status = 0, headers: got } = response;
          resolve({ status, headers: got, text, body: JSON.parse(text) as Envelope });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });

const requestOf = (path: string, ...headers: readonly string[]): string =>
  [`GET ${path} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n');

/** Sends more than may pass, in one piece, so that nothing comes back meanwhile. */
const tooMany = (client: TlsClient, and = ''): void => {
  client.send(requestOf('/version').repeat(3 * BURST) + and);
};

const times = async <T>(count: number, work: () => Promise<T>): Promise<T[]> => {
  const answers: T[] = [];
  for (let i = 0; i < count; i += 1) answers.push(await work());
  return answers;
};

describe('an address', () => {
  let controller: TestController;

  beforeAll(async () => {
    controller = await startController({ env: { OVERGRAPH_RATE_LIMIT: String(RATE) } });
  });
  afterAll(() => controller.stop());

  test('is refused above its rate, on REST in the documented envelope', async () => {
    const answers = await Promise.all(
      Array.from({ length: 3 * BURST }, () => askFrom(controller, '127.0.0.11', '/version')),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(BURST);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(BURST);
    for (const { headers, body } of refused) {
      expect(headers['content-type']).toBe('application/json');
      expect(Number(headers['retry-after'])).toBe(1);
      expect(body).toStrictEqual({
        error: { code: CODE, message: MESSAGE, requestId: headers['x-request-id'] },
        meta: { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' },
      });
    }
  });

  test('is refused on the graph as an error of the graph', async () => {
    const body = JSON.stringify({ query: '{ version { version } }' });
    const headers = { 'content-type': 'application/json' };
    const answers = await Promise.all(
      Array.from({ length: 2 * BURST }, () =>
        askFrom(controller, '127.0.0.12', '/graphql', { headers, body }),
      ),
    );
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers['retry-after']).toBe('1');
    expect(refused?.body).toMatchObject({
      errors: [{ message: MESSAGE, extensions: { code: CODE, status: 429, retryAfter: 1 } }],
    });
  });

  test('is not refused for what another one sends', async () => {
    await Promise.all(
      Array.from({ length: 3 * BURST }, () => askFrom(controller, '127.0.0.13', '/version')),
    );
    expect((await askFrom(controller, '127.0.0.14', '/version')).status).toBe(200);
  });

  test('may go on after the time that it was told', async () => {
    const client = await TlsClient.connect(controller.port, '127.0.0.15');
    tooMany(client);
    expect((await client.answers(3 * BURST)).at(-1)).toBe(429);
    const [, after] = /retry-after: (\d+)/i.exec(client.received) ?? [];
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(after)));
    expect((await askFrom(controller, '127.0.0.15', '/version')).status).toBe(200);
    client.end();
  });

  test('is refused before its body is read', async () => {
    const client = await TlsClient.connect(controller.port, '127.0.0.16');
    tooMany(
      client,
      'POST /edge/client/v1/authenticate HTTP/1.1\r\nhost: localhost\r\ncontent-length: 500000\r\n\r\n',
    );
    expect((await client.answers(3 * BURST + 1)).at(-1)).toBe(429);
    await client.closed();
  });

  test('is refused sooner with large bodies, each of which counts as several requests', async () => {
    const client = await TlsClient.connect(controller.port, '127.0.0.10');
    const body = 'x'.repeat(4 * 16 * 1024);
    for (let i = 0; i < 3; i += 1) {
      client.send(
        `GET /version HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`,
      );
    }
    // Each is five requests, and ten pass at once.
    expect(await client.answers(3)).toStrictEqual([200, 200, 429]);
    client.end();
  });

  test.each([
    ['127.0.0.31', '/edge/client/v1/authenticate?method=password'],
    ['127.0.0.32', '/graphql'],
    ['127.0.0.33', '/graphql/stream'],
  ])(
    'is refused in the middle of a large body without a length, from %s to %s',
    async (from, path) => {
      const client = await TlsClient.connect(controller.port, from);
      client.head(
        `POST ${path} HTTP/1.1`,
        'content-type: application/json',
        'transfer-encoding: chunked',
      );
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      // The head counts as five requests, each chunk after the first as four, and ten pass at once.
      for (let i = 0; i < 10; i += 1) client.send(chunk);
      expect(await client.answers(1)).toStrictEqual([429]);
      client.end();
    },
  );

  test('that sends on regardless is not read for a moment', async () => {
    const client = await TlsClient.connect(controller.port, '127.0.0.17');
    tooMany(client);
    expect((await client.answers(3 * BURST)).at(-1)).toBe(429);
    client.send(requestOf('/version'));
    // Read at once it would be refused like those before it.
    expect((await client.answers(3 * BURST + 1)).at(-1)).toBe(200);
    client.end();
  });

  test('is refused WebSockets above its rate as well', async () => {
    const asked = Array.from({ length: 2 * BURST }, async () => {
      const client = await TlsClient.connect(controller.port, '127.0.0.19');
      client.head(
        'GET /graphql HTTP/1.1',
        'connection: upgrade',
        'upgrade: websocket',
        'sec-websocket-version: 13',
        'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
        'sec-websocket-protocol: graphql-transport-ws',
      );
      const [status] = await client.answers(1);
      client.end();
      return status;
    });
    const statuses = await Promise.all(asked);
    expect(new Set(statuses)).toStrictEqual(new Set([101, 429]));
  });

  test('that sends very much ahead is cut off', async () => {
    const client = await TlsClient.connect(controller.port, '127.0.0.18');
    client.send(requestOf('/version').repeat(500));
    await client.closed();
  });
});

describe('an API session', () => {
  let controller: TestController;

  beforeAll(async () => {
    controller = await startController({ env: { OVERGRAPH_SESSION_RATE_LIMIT: '1' } });
    // So that logins do not count for the admin's session.
    controller.token = '';
  });
  afterAll(() => controller.stop());

  test('is refused above its rate, in either header and on both doors', async () => {
    const token = await controller.login();
    const path = '/edge/client/v1/current-identity';
    const client = await TlsClient.connect(controller.port);
    client.send(
      requestOf(path, `zt-session: ${token}`).repeat(3 * BURST) +
        requestOf(path, `authorization: Bearer ${token}`) +
        requestOf('/graphql?query={version{version}}', `zt-session: ${token}`),
    );
    const statuses = await client.answers(3 * BURST + 2);
    expect(statuses.slice(0, 3)).toStrictEqual([200, 200, 429]);
    expect(statuses.slice(-3)).toStrictEqual([429, 429, 429]);
    client.end();
  });

  test('is refused above its rate over OpenID Connect, and no other one', async () => {
    const logIn = () => new LoginClient(controller).logInByPassword('admin', ADMIN_PASSWORD);
    const [busy, calm] = [await logIn(), await logIn()];
    const asking = ({ access_token }: Tokens): string =>
      requestOf('/edge/client/v1/current-identity', `authorization: Bearer ${access_token}`);
    const client = await TlsClient.connect(controller.port);
    client.send(asking(busy).repeat(3 * BURST) + asking(calm));
    const statuses = await client.answers(3 * BURST + 1);
    expect(statuses.slice(0, 3)).toStrictEqual([200, 200, 429]);
    expect(statuses.slice(-2)).toStrictEqual([429, 200]);
    client.end();
  });

  test('is refused wherever it comes from', async () => {
    const headers = { 'zt-session': await controller.login() };
    const answers = await Promise.all(
      Array.from({ length: 5 * BURST }, (_, i) =>
        askFrom(controller, `127.0.0.${String(20 + (i % 5))}`, '/version', { headers }),
      ),
    );
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  });

  test('does not take from another one of the same address', async () => {
    const [busy, calm] = [await controller.login(), await controller.login()];
    const path = '/edge/client/v1/current-identity';
    await times(2 * BURST, () =>
      askFrom(controller, '127.0.0.1', path, { headers: { 'zt-session': busy } }),
    );
    const answer = await askFrom(controller, '127.0.0.1', path, {
      headers: { 'zt-session': calm },
    });
    expect(answer.status).toBe(200);
  });

  test('is refused without a look into the database', async () => {
    const database = new pg.Client({ connectionString: controller.databaseUrl });
    await database.connect();
    const watcher = new pg.Client({ connectionString: controller.databaseUrl });
    await watcher.connect();
    const [waiting, refused] = await Promise.all([
      TlsClient.connect(controller.port),
      TlsClient.connect(controller.port),
    ]);
    const request = requestOf('/edge/client/v1/current-identity', 'zt-session: nobody-has-it');
    await database.query('begin');
    await database.query('lock table api_session in access exclusive mode');
    waiting.send(request.repeat(3 * BURST));
    await eventually(async () => {
      const { rows } = await watcher.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(rows).toHaveLength(1);
    });
    refused.send(request);
    expect(await refused.answers(1)).toStrictEqual([429]);
    expect(waiting.statuses).toStrictEqual([]);
    await database.query('rollback');
    await database.end();
    await watcher.end();
    for (const client of [waiting, refused]) client.end();
  });
});
