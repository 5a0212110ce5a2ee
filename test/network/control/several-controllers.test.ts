import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { textValue } from '../../../src/network/control/header-values.js';
import { startControllerProcess, type ControllerProcess } from '../../support/controller.js';
import { wireTo } from '../../support/database-wire.js';
import { eventually } from '../../support/eventually.js';
import { connectTls, enrollRouter, helloFrame } from '../../support/test-router.js';
import { runSql } from '../../trust/auth/client.js';
import { link, made, refused, RoutingRouter, Traffic } from './traffic-network.js';

/* Several controllers of a network: one serves the routers, and any other one passes them on to it. */

let net: Traffic;
let first: ControllerProcess & { readonly dataDir: string };
let second: ControllerProcess;

beforeAll(async () => {
  first = await startControllerProcess({ env: { OVERGRAPH_WORKERS: '2' } });
  net = await Traffic.at(first);
  second = await startControllerProcess({ with: first });
  await net.begin();
});
afterAll(async () => {
  await net.end();
  await second.stop();
  await net.stop();
});

const RUNNING = new Map([[0, textValue('the connection before')]]);

/** Ends a controller without a word. Its lease would last for ever, if time alone could end it. */
async function kill({ child }: ControllerProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
  const whoeverHasIt = "update lease set expires_at = 'infinity' where name = 'routers'";
  await runSql(net.controller, whoeverHasIt);
}

/** A router that was connected before; it may have to try again, but is never refused. */
async function back(at: ControllerProcess, { enrolled }: RoutingRouter): Promise<RoutingRouter> {
  const { value } = await eventually(() =>
    RoutingRouter.connect(at, enrolled, { headers: RUNNING }).catch((error: unknown) => {
      const { message } = error as Error;
      if (message.startsWith('hello')) refusals.push(message);
      throw error;
    }),
  );
  expect(refusals).toEqual([]);
  return value;
}
const refusals: string[] = [];

test('routers and circuits outlive the controller that serves them', async () => {
  // At the other controller, which passes it on.
  const other = await RoutingRouter.connect(
    second,
    await enrollRouter(net.controller, { roleAttributes: ['open'] }),
  );
  const address = await net.bind(other);
  await link(net.router, other);
  const kept = made(await net.router.dial(net.dial));
  // Another session, which ends while no controller serves the routers.
  const { dial } = net;
  await net.newService();
  await net.bind(other);
  const cut = made(await net.router.dial(net.dial));
  await eventually(async () => {
    const { body } = await second.rest('GET', `/sessions/${net.dial.id}/route-path`);
    expect(body.data).toEqual({ routePath: [net.router.id, other.id] });
  });

  // A change by a controller without routers reaches them through the database.
  const begin = Date.now();
  const third = await net.bind(net.router);
  expect(third).not.toBe('');
  const { body } = await second.rest('POST', '/authenticate?method=password', {
    username: 'admin',
    password: 'correct horse',
  });
  const { token } = body.data as { token: string };
  await net.router.router.take(
    (frame) =>
      frame.type === CONTENT.apiSessionUpdated &&
      messages.ApiSessionUpdated.decode(frame.body).apiSessions.some(
        (session) => session.token === token,
      ),
  );
  expect(Date.now() - begin).toBeLessThan(10_000);

  await kill(first);
  await Promise.all([net.router.router.closed, other.router.closed]);
  await second.rest('DELETE', `/sessions/${net.dial.id}`);
  const again = await back(second, net.router);
  // It may have waited for a controller longer than its client waits for a circuit.
  expect(refused(await again.dial(dial))).toEqual({
    code: 1,
    text: 'the router was without a controller',
  });
  const otherAgain = await back(second, other);
  for (const at of [again, otherAgain]) {
    await eventually(() => {
      expect(at.unroutes).toEqual([{ circuitId: cut.circuitId, now: true }]);
    });
    at.router.tell(CONTENT.circuitConfirmation, messages.CircuitConfirmation, {
      circuitIds: [kept.circuitId],
    });
    await at.router.ask(CONTENT.ping);
    expect(at.unroutes).toHaveLength(1);
  }

  // Terminators and sessions are those of the network, so dials go on at once.
  again.router.tell(CONTENT.routerLinks, messages.RouterLinks, {
    links: [{ id: 'again', destRouterId: other.id, linkProtocol: 'tls', iteration: 1 }],
  });
  await again.router.ask(CONTENT.ping);
  await eventually(async () => {
    made(await again.dial(dial));
  });
  expect(otherAgain.routes.at(-1)?.egress?.destination).toBe(address);
  await again.router.close();
  await otherAgain.router.close();
});

test('what is not a router gets no further by the way of another controller', async () => {
  const third = await startControllerProcess({ with: net.controller });
  const stranger = connectTls(third.port);
  stranger.on('error', () => undefined);
  stranger.write(helloFrame({ id: net.router.id }));
  // The controller that serves routers has read it and refuses it.
  const [answer] = (await once(stranger, 'data')) as [Buffer];
  expect(answer.toString('latin1')).toContain('certificate');
  // The start of a handshake, and then nothing of the kind.
  const start = await startOfHandshake();
  const garbage = connect(third.port, '127.0.0.1');
  garbage.on('error', () => undefined);
  garbage.write(Buffer.concat([start, Buffer.alloc(100_000, 'x')]));
  garbage.resume();
  await once(garbage, 'close');
  expect((await third.rest('GET', '/version')).status).toBe(200);

  // The controller that serves the routers is gone while a router comes to another one.
  const router = await back(third, net.router);
  await kill(second);
  await router.router.closed;
  const again = await back(third, router);
  await again.router.close();
  await third.stop();
});

test('a controller that has lost its database sends its routers away', async () => {
  const { wire, url } = await wireTo({ url: net.controller.databaseUrl });
  const env = { DATABASE_URL: url };
  const wired = await startControllerProcess({ with: net.controller, env });
  const router = await back(wired, net.router);
  const last = await startControllerProcess({ with: net.controller });
  wire.cut();
  wire.closeAll();
  await router.router.closed;
  const again = await back(last, router);
  wire.mend();
  // It knows again who serves the routers.
  const other = await eventually(async () =>
    RoutingRouter.connect(wired, await enrollRouter(last, { roleAttributes: ['open'] })),
  );
  await other.value.router.close();
  await again.router.close();
  await wired.stop();
  await wire.stop();
  await last.stop();
});

/** The first bytes of a router, which stop in the middle of its handshake. */
async function startOfHandshake(): Promise<Buffer> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connectTls((server.address() as AddressInfo).port);
  client.on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [start] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return start;
}
