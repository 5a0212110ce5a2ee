import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LiveKeys } from '../../../src/trust/pki/index.js';
import { serveHttps, type TestServer } from '../../support/https-server.js';
import { keysIn } from '../../support/key-material.js';

/*
 * A client that sends its next request as soon as it has the whole answer to the one before, the head
 * and the body in TLS records of their own, as many HTTP libraries do.
 */

const REQUESTS = 50;
const BODY = '{"name":"kept"}';
/** Other work of a busy server, within which the next request arrives. */
const BUSY_MILLIS = 5;

let folder: string;
let server: TestServer;
let faults: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overgraph-kept-'));
  const first = await keysIn(folder);
  const load = () => Promise.resolve(first);
  const keys = new LiveKeys({ first, load, accept: () => Promise.resolve() });
  server = await serveHttps((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      // What is written here is told to be written one turn of the loop later.
      setImmediate(() => {
        response.end(body === BODY ? 'x'.repeat(Number(request.headers['x-size'])) : '');
        const end = performance.now() + BUSY_MILLIS;
        while (performance.now() < end);
      });
    });
  }, keys);
  server.server.on('clientError', ({ message }: Error) => faults.push(message));
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

/** In a thread of its own, so that it answers while the server is busy. */
const CLIENT = `
  const { connect } = require('node:tls');
  const { parentPort, workerData: { port, size, body, requests } } = require('node:worker_threads');
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  socket.setNoDelay(true);
  const ask = () => {
    socket.write('POST / HTTP/1.1\\r\\nhost: localhost\\r\\nx-size: ' + size
      + '\\r\\ncontent-length: ' + body.length + '\\r\\n\\r\\n');
    socket.write(body);
  };
  let answered = 0;
  let missing = 0;
  socket.on('data', (chunk) => {
    if (missing === 0) missing = chunk.indexOf('\\r\\n\\r\\n') + 4 + size;
    missing -= chunk.length;
    if (missing > 0) return;
    answered += 1;
    if (answered === requests) socket.destroy();
    else ask();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => parentPort.postMessage(answered));
  socket.on('secureConnect', ask);
`;

/** How many of the requests on one connection are answered. */
function answered(size: number): Promise<number> {
  const { port } = server;
  const workerData = { port, size, body: BODY, requests: REQUESTS };
  const client = new Worker(CLIENT, { eval: true, workerData });
  return new Promise((resolve, reject) => {
    client.once('message', resolve);
    client.once('error', reject);
  });
}

describe('a kept connection', () => {
  test.each([1_000, 20_000, 100_000, 1_000_000])(
    'goes on after answers of %d bytes',
    async (size) => {
      faults = [];
      expect([await answered(size), faults]).toStrictEqual([REQUESTS, []]);
    },
  );
});
