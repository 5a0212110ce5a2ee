import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { ManagementClient } from '../events/management-client.js';
import { Traffic, type RoutingRouter } from './traffic-network.js';

/* Inspections over the WebSocket of operators, at a controller that serves no router. */

let net: Traffic;
let second: TestController;
let client: ManagementClient;

beforeAll(async () => {
  net = await Traffic.start();
  second = await startController({ with: net.controller });
});
afterAll(async () => {
  await second.stop();
  await net.stop();
});
beforeEach(async () => {
  await net.begin();
  client = await ManagementClient.connect(second.port, { 'zt-session': second.token });
});
afterEach(async () => {
  client.end();
  await net.end();
});

/** The presence of a router reaches the other controller after a moment. */
const isKnownToSecond = ({ id }: RoutingRouter): Promise<unknown> =>
  eventually(async () => {
    const { body } = await second.rest('GET', `/edge-routers/${id}`);
    expect(body.data).toMatchObject({ isOnline: true });
  });

/** Has a router answer questions with one value; undefined: never. */
function answerWith({ router }: RoutingRouter, value: string | undefined): void {
  const { onFrame } = router;
  router.onFrame = (frame) => {
    if (frame.type !== CONTENT.inspect) return onFrame(frame);
    if (value === undefined) return true;
    const values = [{ name: 'links', value }];
    const body = messages.InspectResponse.encode({ success: true, values });
    router.answer(frame, CONTENT.inspectResult, body);
    return true;
  };
}

test('several routers answer, each for itself, beside one that is silent', async () => {
  const [other, silent] = [await net.newRouter(), await net.newRouter()];
  for (const each of [net.router, other, silent]) await isKnownToSecond(each);
  answerWith(net.router, '{"links":[]}');
  answerWith(other, 'a text');
  answerWith(silent, undefined);
  const pattern = [net.router, other, silent].map(({ id }) => id).join('|');
  const { success, errors, values } = await client.inspect(pattern, ['links']);
  expect({ success, errors }).toEqual({
    success: false,
    errors: [`${silent.id}: it did not answer in time`],
  });
  const byId = (a: { appId: string }, b: { appId: string }) => (a.appId < b.appId ? -1 : 1);
  expect(values.sort(byId)).toEqual(
    [
      { appId: net.router.id, name: 'links', value: '{"links":[]}' },
      { appId: other.id, name: 'links', value: 'a text' },
    ].sort(byId),
  );
});

test('controllers answer, too, with JSON as a text', async () => {
  const { body } = await second.rest('GET', '/controllers');
  const ids = (body.data as unknown as { id: string }[]).map(({ id }) => id);
  answerWith(net.router, 'a text');
  const { success, values } = await client.inspect('.*', ['config']);
  expect(success).toBe(true);
  const configs = values.filter(({ name }) => name === 'config');
  expect(configs.map(({ appId }) => appId).sort()).toEqual(ids.sort());
  for (const { value } of configs) expect(JSON.parse(value)).toHaveProperty('workers');
});

test('an enormous answer of a router is left out', async () => {
  await isKnownToSecond(net.router);
  answerWith(net.router, 'x'.repeat(5 << 20));
  const { id } = net.router;
  expect(await client.inspect(id, ['links'])).toEqual({
    success: false,
    errors: [`${id}: its answer is too long`],
    values: [],
  });
});

test.each([
  ['(', ['links'], 'appRegex: it is not a regular expression'],
  ['x'.repeat(1_001), ['links'], expect.stringMatching(/pattern/)],
  ['.*', Array<string>(101).fill('links'), expect.stringMatching(/names/)],
])('a request with %.10s is refused', async (pattern, names, error) => {
  expect(await client.inspect(pattern, names)).toEqual({
    success: false,
    errors: [error],
    values: [],
  });
});

test('a pattern that matches nothing gives nothing', async () => {
  expect(await client.inspect('^no such node$', ['links'])).toEqual({
    success: true,
    errors: [],
    values: [],
  });
});
