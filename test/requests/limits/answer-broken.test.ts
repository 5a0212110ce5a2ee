import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { answerBroken } from '../../../src/requests/limits/answer-broken.js';

/* What is answered to requests that are no HTTP. */

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** All that comes back until the server ends the connection. */
async function received(text: string, listener: RequestListener): Promise<string> {
  server = createServer(listener);
  answerBroken(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  let all = '';
  socket.on('data', (chunk: Buffer) => (all += chunk.toString()));
  socket.write(text);
  await once(socket, 'close');
  return all;
}

const statuses = (text: string): string[] => text.match(/HTTP\/1\.1 \d+/g) ?? [];
const REQUEST = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
const broken = Object.assign(new Error('broken'), { code: 'HPE_INVALID_URL' });

describe('a request that is no HTTP', () => {
  test('is 400', async () => {
    expect(statuses(await received('no HTTP\r\n\r\n', () => undefined))).toEqual(['HTTP/1.1 400']);
  });

  test('is 400 after an answer that is complete and still on its way', async () => {
    const all = await received(REQUEST, ({ socket }, response) => {
      response.end('complete');
      server.emit('clientError', broken, socket);
    });
    expect(statuses(all)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(all).toContain('complete');
  });

  test('is not answered into an answer that has begun', async () => {
    const all = await received(REQUEST, ({ socket }, response) => {
      response.write('begun', () => server.emit('clientError', broken, socket));
    });
    expect(statuses(all)).toEqual(['HTTP/1.1 200']);
  });
});
