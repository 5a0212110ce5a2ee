import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { startControllerProcess, type ControllerProcess } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';

/** A controller that is told to stop answers what it has taken on. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(env: Record<string, string> = {}): Promise<ControllerProcess> {
  const controller = await startControllerProcess({ env });
  ends.push(() => controller.stop());
  return controller;
}

/** Holds every write of services until it is let go. */
async function holdServices({ databaseUrl }: ControllerProcess): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  ends.push(() => client.end());
  await client.query('begin');
  await client.query('lock table service in exclusive mode');
  return client;
}

const isHeld = async (client: pg.Client): Promise<void> => {
  const { rowCount } = await client.query(
    "select from pg_locks where not granted and relation = 'service'::regclass",
  );
  expect(rowCount).toBe(1);
};

const openSocket = async (port: number): Promise<TLSSocket> => {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  ends.push(() => Promise.resolve(void socket.destroy()));
  await once(socket, 'secureConnect');
  return socket;
};

/** A connection without a request may end by a reset, too. */
const closeOf = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.once('close', () => {
      resolve();
    });
  });

const exitOf = async ({ child }: ControllerProcess): Promise<number | null> => {
  if (child.exitCode === null) await once(child, 'exit');
  return child.exitCode;
};

describe('told to stop', () => {
  test('it answers the request under way, lets nobody in, and ends well', async () => {
    const controller = await start();
    const silent = connectPlain({ port: controller.port, host: '127.0.0.1' });
    await once(silent, 'connect');
    // Neither a request nor a handshake: nothing is lost with them.
    const idle = [silent, await openSocket(controller.port)];
    const idleEnd = Promise.all(idle.map(closeOf));
    const holder = await holdServices(controller);
    const held = controller.rest('POST', '/services', { name: 'held', encryptionRequired: true });
    await eventually(() => isHeld(holder));

    controller.child.kill('SIGTERM');
    await eventually(async () => {
      await expect(openSocket(controller.port)).rejects.toThrow('ECONNREFUSED');
    });
    await idleEnd;
    expect(controller.child.exitCode).toBeNull();
    const letGo = Date.now();
    await holder.query('commit');

    const { status, headers, body } = await held;
    expect([status, headers.connection]).toStrictEqual([201, 'close']);
    expect(await exitOf(controller)).toBe(0);
    expect(Date.now() - letGo).toBeLessThan(10_000);
    const { id } = body.data as { id: string };
    const { rows } = await holder.query('select name from service where id = $1', [id]);
    expect(rows).toStrictEqual([{ name: 'held' }]);
  });

  test('it serves on for a while, and says that it is about to end', async () => {
    const controller = await start({ OVERGRAPH_DRAIN: '2s' });
    expect((await controller.send('GET', '/health-checks')).status).toBe(200);
    controller.child.kill('SIGTERM');
    await eventually(async () => {
      const { status, headers, body } = await controller.send<{ data: { checks: object[] } }>(
        'GET',
        '/health-checks',
      );
      expect([status, headers.connection]).toStrictEqual([503, 'close']);
      expect(body.data.checks[0]).toMatchObject({
        id: 'serving',
        healthy: false,
        err: 'this controller is stopping',
      });
    });
    const served = await controller.rest('GET', '/identities');
    expect([served.status, served.headers.connection]).toStrictEqual([200, 'close']);
    const { data } = await controller.graphql('{ services { totalCount } }');
    expect(data).toStrictEqual({ services: { totalCount: 0 } });
    expect(await exitOf(controller)).toBe(0);
  });
});
