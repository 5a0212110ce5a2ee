import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { textValue } from '../../../src/network/control/header-values.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { isSuccess, TestRouter } from '../../support/test-router.js';
import { link, made, refused, RoutingRouter, Traffic } from './traffic-network.js';

/* Two controllers of a network: one serves the routers, until another one takes them over. */

let net: Traffic;
let second: TestController;

beforeAll(async () => {
  net = await Traffic.start();
  second = await startController({ with: net.controller });
  await net.begin();
});
afterAll(async () => {
  await net.end();
  await second.stop();
  await net.stop();
});

const RUNNING = new Map([[0, textValue('the connection before')]]);

async function refusal(): Promise<string> {
  const refused = TestRouter.open(second.port, net.router.enrolled);
  const answer = await refused.next(CONTENT.result);
  expect(isSuccess(answer)).toBe(false);
  await refused.closed;
  return answer.body.toString();
}

test('routers and circuits outlive the controller that serves them', async () => {
  expect(await refusal()).toContain('busy');

  const other = await net.newRouter();
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

  net.controller.child.kill('SIGKILL');
  await Promise.all([net.router.router.closed, other.router.closed]);
  await second.rest('DELETE', `/sessions/${net.dial.id}`);
  const { value: again, tookMs } = await eventually(
    () => RoutingRouter.connect(second, net.router.enrolled, { headers: RUNNING }),
    40_000,
  );
  expect(tookMs).toBeLessThan(30_000);
  // It may have waited for a controller longer than its client waits for a circuit.
  expect(refused(await again.dial(dial))).toEqual({
    code: 1,
    text: 'the router was without a controller',
  });
  const otherAgain = await RoutingRouter.connect(second, other.enrolled, { headers: RUNNING });
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
}, 180_000);
