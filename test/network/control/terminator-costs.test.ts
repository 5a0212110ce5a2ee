import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { eventually } from '../../support/eventually.js';
import { made, refused, Traffic } from './traffic-network.js';

/* What dials make of the cost of a terminator, as both doors show it. */

let net: Traffic;
let terminatorId: string;

beforeAll(async () => {
  net = await Traffic.start();
});
afterAll(() => net.stop());
beforeEach(async () => {
  await net.begin();
  terminatorId = await net.bind(net.router);
});
afterEach(() => net.end());

async function shown(): Promise<number[]> {
  const { body } = await net.controller.rest('GET', `/terminators/${terminatorId}`);
  const { data } = await net.controller.graphql(
    'query ($id: ID!) { terminator(id: $id) { dynamicCost } }',
    { id: terminatorId },
  );
  const { dynamicCost } = body.data as { dynamicCost: number };
  return [dynamicCost, (data as { terminator: { dynamicCost: number } }).terminator.dynamicCost];
}

const costs = (expected: number): Promise<unknown> =>
  eventually(async () => {
    expect(await shown()).toStrictEqual([expected, expected]);
  });

test('each circuit costs something, as long as it runs', async () => {
  expect(await shown()).toStrictEqual([0, 0]);
  const { circuitId } = made(await net.router.dial(net.dial));
  await costs(2);
  made(await net.router.dial(net.dial));
  await costs(4);
  net.router.router.tell(CONTENT.fault, messages.Fault, { subject: 'EgressFault', id: circuitId });
  await costs(2);
});

test('failures cost more, and are forgotten by and by', async () => {
  net.router.onRoute = () => ({ isDone: false });
  refused(await net.router.dial(net.dial));
  // Two attempts of 20 each, of which half is forgotten in a minute.
  await eventually(async () => {
    for (const cost of await shown()) {
      expect(cost).toBeGreaterThan(0);
      expect(cost).toBeLessThanOrEqual(40);
    }
  });
});

test('a list shows the costs, too', async () => {
  made(await net.router.dial(net.dial));
  await costs(2);
  const { body } = await net.controller.rest('GET', `/services/${net.serviceId}/terminators`);
  expect(body.data).toMatchObject([{ id: terminatorId, cost: 0, dynamicCost: 2 }]);
});
