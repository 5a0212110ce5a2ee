import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { TlsClient } from './tls-client.js';

/* Handshakes that come together from one address are done one after another, in time for others. */

const AT_ONCE = 50;
/** A tenth of the requests that an address may send. */
const PER_SECOND = 2;
const MAX_WAIT_SECONDS = 10;

let controller: TestController;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_RATE_LIMIT: String(10 * PER_SECOND) } });
});
afterAll(() => controller.stop());

const handshakes = (count: number, address: string): Promise<TlsClient[]> =>
  Promise.all(Array.from({ length: count }, () => TlsClient.connect(controller.port, address)));

/** Without a handshake; the controller may have closed it already. */
async function connected(localAddress: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: controller.port, localAddress });
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined);
  return socket;
}

const endAll = (clients: readonly (TlsClient | Socket)[]): void => {
  for (const client of clients) {
    if (client instanceof TlsClient) client.end();
    else client.destroy();
  }
};

test('so many at once, the others in their turn', async () => {
  const begin = performance.now();
  const clients = await handshakes(AT_ONCE + 2 * PER_SECOND, '127.0.0.31');
  expect(performance.now() - begin).toBeGreaterThan(1_900);
  endAll(clients);
});

test('none waits longer than a handshake may take, and other addresses do not wait', async () => {
  const clients = await handshakes(AT_ONCE, '127.0.0.32');
  const waiting = new Set<Socket>();
  // More than these can wait: meanwhile the turn of some may have come.
  while ([...waiting].every(({ destroyed }) => !destroyed)) {
    waiting.add(await connected('127.0.0.32'));
  }
  const open = [...waiting].filter(({ destroyed }) => !destroyed);
  expect(open.length).toBeGreaterThanOrEqual(PER_SECOND * MAX_WAIT_SECONDS);
  endAll([...open, ...(await handshakes(1, '127.0.0.33')), ...clients]);
});

test('one that is reset while it waits ends alone', async () => {
  const clients = await handshakes(AT_ONCE, '127.0.0.34');
  const waiting = await connected('127.0.0.34');
  await new Promise((resolve) => waiting.write('GET / HTTP/1.1', resolve));
  waiting.resetAndDestroy();
  const [other] = await handshakes(1, '127.0.0.35');
  other?.head('GET /version HTTP/1.1');
  expect(await other?.answers(1)).toStrictEqual([200]);
  endAll([...clients, ...(other ? [other] : [])]);
});
