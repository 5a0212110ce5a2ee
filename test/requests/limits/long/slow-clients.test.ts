import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../../support/controller.js';
import { TlsClient } from '../tls-client.js';

const ANSWERS = 60;

/* Clients that stop in the middle are cut off; each of these takes half a minute at most. */

let controller: TestController;

beforeAll(async () => {
  controller = await startController();
  for (let i = 0; i < 3_000; i += 1) {
    await controller.create('services', {
      name: `service-${String(i)}-${'x'.repeat(80)}`,
      encryptionRequired: true,
      tags: { text: 'x'.repeat(1_000) },
    });
  }
}, 120_000);
afterAll(() => controller.stop());

const since = (begin: number): number => (performance.now() - begin) / 1000;

test('a connection without a handshake', async () => {
  const begin = performance.now();
  const silent = connect(controller.port, '127.0.0.1');
  silent.on('error', () => undefined);
  await once(silent, 'close');
  expect(since(begin)).toBeGreaterThan(8);
  expect(since(begin)).toBeLessThan(15);
}, 30_000);

test('a head that comes byte by byte', async () => {
  const client = await TlsClient.connect(controller.port);
  const begin = performance.now();
  client.send('GET /version HTTP/1.1\r\nx-slow: ');
  const slowly = setInterval(() => {
    client.send('x');
  }, 500);
  await client.closed(20_000);
  clearInterval(slowly);
  expect(since(begin)).toBeGreaterThan(8);
  expect(client.statuses).toStrictEqual([408]);
}, 30_000);

test('a connection that asks nothing', async () => {
  const client = await TlsClient.connect(controller.port);
  client.head('GET /version HTTP/1.1');
  await client.answers(1);
  const begin = performance.now();
  await client.closed(80_000);
  expect(since(begin)).toBeGreaterThan(50);
}, 90_000);

test.each(['/edge/management/v1/services?limit=500', '/edge/management/v1/services?limit=-1'])(
  'an answer that is not taken: %s',
  async (path) => {
    const client = await TlsClient.connect(controller.port);
    client.socket.pause();
    // More than all buffers on the way can take.
    for (let i = 0; i < ANSWERS; i += 1) {
      client.head(`GET ${path} HTTP/1.1`, `zt-session: ${controller.token}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 45_000));
    // It learns of its end when it reads on.
    client.socket.resume();
    await client.closed(5_000);
    expect(client.statuses.length).toBeLessThan(ANSWERS);
  },
  90_000,
);
