import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { listen } from '../../../src/programs/controller/listener.js';

/* Clients that come together, as all do after a restart, while the process is busy. */

const MOST = 2_000;
/** A connection that the system has refused to queue is tried again only a second later. */
const TURNS = 20;
const NO_LIMITS = { connections: 0, addressConnections: 0, addressRate: 0 };

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The system caps the queue. */
const systemMost = (): number =>
  process.platform === 'linux'
    ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))
    : Infinity;

test('far more connections wait to be accepted than a turn of the event loop accepts', async () => {
  const accepted: Socket[] = [];
  const acceptor = await listen({ host: '127.0.0.1', port: 0 }, NO_LIMITS, (socket) => {
    accepted.push(socket);
  });
  const { port } = acceptor.address() as AddressInfo;
  const count = Math.min(MOST, systemMost());
  let connected = 0;
  const clients = Array.from({ length: count }, () =>
    connect(port, '127.0.0.1', () => (connected += 1)),
  );
  try {
    for (let turns = 0; turns < TURNS; turns += 1) await turn();
    expect(connected).toBe(count);
    expect(accepted.length).toBeLessThan(count);
  } finally {
    for (const socket of [...clients, ...accepted]) socket.destroy();
    acceptor.close();
  }
});
