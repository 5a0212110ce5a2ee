import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startController, type TestController } from '../support/controller.js';
import { eventually } from '../support/eventually.js';

/* A refusal reaches a client that still sends its body. */

const MIB = 1024 * 1024;

let controller: TestController;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());

/** A client that has sent the head of a request, and what it has read. */
async function begin(path: string, head: string): Promise<{ socket: TLSSocket; read: string[] }> {
  const socket = connect({ port: controller.port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const read: string[] = [];
  socket.on('data', (piece: Buffer) => read.push(piece.toString()));
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
      `zt-session: ${controller.token}\r\n${head}\r\n\r\n`,
  );
  return { socket, read };
}

/** Resolves when the whole refusal has come. */
async function refusal(read: readonly string[]): Promise<void> {
  await eventually(() => {
    expect(read.join('')).toMatch(
      /^HTTP\/1.1 413 [^]*Connection: close[^]*REQUEST_ENTITY_TOO_LARGE/i,
    );
  });
}

const PATHS = ['/edge/management/v1/identities', '/graphql'];

test.each(PATHS)('of a body whose length was named: %s', async (path) => {
  const { socket, read } = await begin(path, `Content-Length: ${String(3 * MIB)}`);
  await refusal(read);
  socket.write(Buffer.alloc(3 * MIB, ' '));
  // A connection that ended too early is reset, which is an error.
  await once(socket, 'end');
  socket.destroy();
});

test.each(PATHS)('of a body that grows: %s', async (path) => {
  const { socket, read } = await begin(path, 'Transfer-Encoding: chunked');
  const chunk = `${MIB.toString(16)}\r\n${' '.repeat(MIB)}\r\n`;
  socket.write(chunk + chunk);
  await refusal(read);
  socket.write(`${chunk}0\r\n\r\n`);
  await once(socket, 'end');
  socket.destroy();
});

test('a client that never ends its body is not waited for', async () => {
  const { socket, read } = await begin(PATHS[0] ?? '', `Content-Length: ${String(3 * MIB)}`);
  await refusal(read);
  await once(socket, 'end');
  socket.destroy();
});
