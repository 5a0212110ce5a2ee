import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { connect } from 'node:tls';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { offeredProtocols } from '../../../src/programs/controller/client-hello.js';
import { runs } from '../../support/runs.js';

/* The first bytes of TLS connections, as a client of Node sends them. */

async function firstBytes(protocols: string[]): Promise<Buffer> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', ALPNProtocols: protocols });
  client.on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  server.close();
  return bytes;
}

/** The same message in records of at most so many bytes. */
function inRecords(bytes: Buffer, most: number): Buffer {
  const message = bytes.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += most) {
    const part = message.subarray(at, at + most);
    const head = Buffer.from([0x16, 3, 1, 0, 0]);
    head.writeUInt16BE(part.length, 3);
    records.push(head, part);
  }
  return Buffer.concat(records);
}

test.each([[['ziti-ctrl']], [['h2', 'http/1.1']], [[]]])('the offer %j is read', async (offer) => {
  const bytes = await firstBytes(offer);
  expect(offeredProtocols(bytes)).toEqual(offer);
  const inSeveral = inRecords(bytes, Math.ceil(bytes.length / 5));
  expect(offeredProtocols(inSeveral)).toEqual(offer);
  for (let end = 1; end < bytes.length; end += 1) {
    expect(offeredProtocols(bytes.subarray(0, end))).toBeUndefined();
  }
});

test('bytes of anything else offer nothing', async () => {
  const bytes = await firstBytes(['ziti-ctrl']);
  expect(offeredProtocols(Buffer.from('GET / HTTP/1.1'))).toEqual([]);
  expect(offeredProtocols(inRecords(bytes, 1))).toEqual([]);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
      (changes) => {
        const changed = Buffer.from(bytes);
        for (const [at, value] of changes) changed[at] = value;
        const offer = offeredProtocols(changed);
        expect(offer === undefined || Array.isArray(offer)).toBe(true);
      },
    ),
    runs(100),
  );
});
