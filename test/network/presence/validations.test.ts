import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { validationAnswer } from '../../../src/network/presence/index.js';
import type { Subscriptions } from '../../../src/graph/index.js';
import { eventually } from '../../support/eventually.js';
import { subscriptionsOf } from '../../support/subscriptions.js';
import { TwoControllers } from './two-controllers.js';

/* Validations of routers that are connected to another controller. */

let network: TwoControllers;
let subscriptions: Subscriptions;
const faults: unknown[] = [];

beforeAll(async () => {
  network = await TwoControllers.start();
  subscriptions = subscriptionsOf(network.second, (error) => faults.push(error));
});
afterAll(async () => {
  subscriptions.stop();
  await network.stop();
  expect(faults).toEqual([]);
});

test.each([
  ['routerValidation(kind: LINKS, filter: $filter) { count result { isDone errors } }', 'id'],
  ['terminatorValidation(filter: $filter) { count result { detail } }', 'router'],
])('a router that has connected elsewhere just now is asked: %s', async (field, member) => {
  const { first, second } = network;
  const router = await network.router();
  await first.parts.presence.connect(router);
  const serviceId = await first.create('Service', {
    ...{ name: network.unique('service'), encryptionRequired: true },
  });
  await first.create('Terminator', {
    ...{ service: serviceId, router: router.routerId, binding: 'edge', address: 'a' },
  });
  const asked: string[] = [];
  const detach = first.parts.presence.attachInspector((nodeId) => {
    asked.push(nodeId);
    return Promise.resolve(
      validationAnswer({ isDone: true, isValid: true, errors: [], details: [] }),
    );
  });
  const { token } = await second.openSession(await second.defaultAdminId());
  const running = await subscriptions.start(
    { headers: { 'zt-session': token }, rawHeaders: [], socket: {} } as never,
    {
      query: `subscription ($filter: String) { ${field} }`,
      variables: { filter: `${member} = "${router.routerId}"` },
      operationName: undefined,
    },
    (error) => faults.push(error),
  );
  let isOver = false;
  const reading = (async () => {
    while (!isOver) isOver = (await running.next()).done === true;
  })();
  await eventually(async () => {
    await first.parts.presence.refresh();
    expect(isOver).toBe(true);
  });
  await reading;
  expect(asked).toEqual([router.routerId]);
  detach();
});
