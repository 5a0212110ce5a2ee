import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { TlsClient } from './tls-client.js';

/* What a client may do with its connections. */

const MAX_CONNECTIONS = 12;
const MAX_OF_ADDRESS = 4;

let controller: TestController;

beforeAll(async () => {
  controller = await startController({
    env: {
      OVERGRAPH_MAX_CONNECTIONS: String(MAX_CONNECTIONS),
      OVERGRAPH_ADDRESS_CONNECTIONS: String(MAX_OF_ADDRESS),
      OVERGRAPH_REQUEST_TIMEOUT: '3s',
    },
  });
});
afterAll(() => controller.stop());

const works = async (client: TlsClient): Promise<boolean> => {
  const before = client.statuses.length;
  client.head('GET /version HTTP/1.1');
  return (await client.answers(before + 1)).at(-1) === 200;
};

const refusedFrom = (address: string): Promise<boolean> =>
  TlsClient.connect(controller.port, address).then(
    (client) => {
      client.end();
      return false;
    },
    () => true,
  );

test('an address has so many, and again when it closes one', async () => {
  const open = await Promise.all(
    Array.from({ length: MAX_OF_ADDRESS }, () => TlsClient.connect(controller.port, '127.0.0.2')),
  );
  expect(await refusedFrom('127.0.0.2')).toBe(true);
  expect(await refusedFrom('127.0.0.3')).toBe(false);
  for (const client of open) expect(await works(client)).toBe(true);
  open.pop()?.end();
  let isRefused = true;
  for (let i = 0; i < 100 && isRefused; i += 1) isRefused = await refusedFrom('127.0.0.2');
  expect(isRefused).toBe(false);
  for (const client of open) client.end();
});

test('all together have so many', async () => {
  const open: TlsClient[] = [];
  let refused = 0;
  for (let i = 0; i < MAX_CONNECTIONS + 2; i += 1) {
    const address = `127.0.0.${String(20 + Math.floor(i / MAX_OF_ADDRESS))}`;
    await TlsClient.connect(controller.port, address).then(
      (client) => open.push(client),
      () => (refused += 1),
    );
  }
  // The connection on which the admin logged in may be one of them.
  expect(refused).toBeGreaterThanOrEqual(2);
  for (const client of open) client.end();
  // The controller learns of each end a moment later.
  await eventually(async () => {
    expect(await refusedFrom('127.0.0.4')).toBe(false);
  });
});

describe('a request', () => {
  test('with a head above 32 KiB is refused', async () => {
    const client = await TlsClient.connect(controller.port, '127.0.0.4');
    client.head('GET /version HTTP/1.1', `x-long: ${'x'.repeat(33 * 1024)}`);
    expect(await client.answers(1)).toStrictEqual([431]);
    await client.closed();
  });

  test('with a head of 800 KiB is refused when it was sent, not reset', async () => {
    for (let i = 0; i < 20; i += 1) {
      const client = await TlsClient.connect(controller.port, '127.0.0.5');
      const errors: Error[] = [];
      client.socket.on('error', (error: Error) => errors.push(error));
      client.head('GET /version HTTP/1.1', `x-long: ${'x'.repeat(800 * 1024)}`);
      expect(await client.answers(1)).toStrictEqual([431]);
      await client.closed();
      expect(errors).toStrictEqual([]);
    }
  });

  test('with a head that does not end is cut', async () => {
    const client = await TlsClient.connect(controller.port, '127.0.0.5');
    client.head('GET /version HTTP/1.1', `x-long: ${'x'.repeat(32 * 1024 * 1024)}`);
    await client.closed();
  });

  test('with a head of 31 KiB is served', async () => {
    const client = await TlsClient.connect(controller.port, '127.0.0.4');
    client.head('GET /version HTTP/1.1', `x-long: ${'x'.repeat(31 * 1024)}`);
    expect(await client.answers(1)).toStrictEqual([200]);
    client.end();
  });

  test.each([
    ['/edge/client/v1/authenticate?method=password', 'content-length: 1048577'],
    ['/graphql', 'content-length: 1048577'],
    ['/graphql/stream', 'content-length: 1048577'],
  ])('to %s that announces more than 1 MiB is refused unread', async (path, length) => {
    const client = await TlsClient.connect(controller.port, '127.0.0.5');
    client.head(`POST ${path} HTTP/1.1`, 'content-type: application/json', length);
    expect(await client.answers(1)).toStrictEqual([413]);
    await client.closed();
  });

  test.each(['/edge/client/v1/authenticate?method=password', '/graphql', '/graphql/stream'])(
    'to %s that turns out to be larger than 1 MiB is refused',
    async (path) => {
      const client = await TlsClient.connect(controller.port, '127.0.0.6');
      client.head(
        `POST ${path} HTTP/1.1`,
        'content-type: application/json',
        'transfer-encoding: chunked',
      );
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      for (let i = 0; i < 17; i += 1) client.send(chunk);
      expect(await client.answers(1)).toStrictEqual([413]);
      await client.closed();
    },
  );

  test.each(['/edge/client/v1/authenticate?method=password', '/graphql', '/graphql/stream'])(
    'to %s whose body does not come is refused when its time is up',
    async (path) => {
      const client = await TlsClient.connect(controller.port, '127.0.0.7');
      client.head(
        `POST ${path} HTTP/1.1`,
        'content-type: application/json',
        'content-length: 1000',
      );
      const slowly = setInterval(() => {
        client.send('x');
      }, 100);
      const statuses = await client.answers(1).finally(() => {
        clearInterval(slowly);
      });
      expect(statuses).toStrictEqual([503]);
      expect(client.received).toContain('TIMEOUT');
      expect(client.received.toLowerCase()).toContain('retry-after: 1');
      await client.closed();
    },
  );
});

test('a port scanner that says nothing holds nobody up', async () => {
  const silent = connect(controller.port, '127.0.0.1');
  await once(silent, 'connect');
  expect((await controller.send('GET', '/version')).status).toBe(200);
  silent.destroy();
});
