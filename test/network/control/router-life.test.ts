import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { eventually } from '../../support/eventually.js';
import { isSuccess } from '../../support/test-router.js';
import { made, openSession, routeOf, Traffic, unique } from './traffic-network.js';

/* Operators drain, restore and decommission a router at the router itself. */

let net: Traffic;

beforeAll(async () => {
  net = await Traffic.start();
});
afterAll(() => net.stop());
beforeEach(() => net.begin());
afterEach(() => net.end());

const order = async (type: number): Promise<void> => {
  expect(isSuccess(await net.router.router.ask(type))).toBe(true);
};

async function precedences(): Promise<Record<string, string>> {
  const { body } = await net.controller.rest('GET', `/services/${net.serviceId}/terminators`);
  const rows = body.data as unknown as { id: string; precedence: string }[];
  return Object.fromEntries(rows.map(({ id, precedence }) => [id, precedence]));
}

test('the terminators of a drained router come last, and get their precedence back', async () => {
  const other = await net.newRouter();
  const required = await net.bind(net.router, { precedence: 'Required' });
  const ordinary = await net.bind(net.router);
  const elsewhere = await net.bind(other);
  await order(CONTENT.quiesce);
  const drained = { [required]: 'failed', [ordinary]: 'failed', [elsewhere]: 'default' };
  expect(await precedences()).toEqual(drained);
  await order(CONTENT.quiesce);
  expect(await precedences()).toEqual(drained);
  await order(CONTENT.restore);
  expect(await precedences()).toEqual({
    [required]: 'required',
    [ordinary]: 'default',
    [elsewhere]: 'default',
  });
});

test('a dial goes to another router while the cheaper one is drained', async () => {
  const other = await net.newRouter();
  const dialing = await net.newRouter();
  await net.bind(net.router, { precedence: 'Required' });
  await net.bind(other);
  await order(CONTENT.quiesce);
  // Only the other one is reached without a link.
  made(await other.dial(net.dial));
  expect(routeOf(other).egress?.binding).toBe('edge');
  expect(dialing.routes).toEqual([]);
  expect(net.router.routes).toEqual([]);
});

test('a host that repeats its request while its router is drained does not undo it', async () => {
  const session = await openSession(net.controller, net.host, net.serviceId, 'Bind');
  const request = { address: unique('terminator'), precedence: 'Required' };
  await net.router.bind(session, request);
  await order(CONTENT.quiesce);
  const { body } = await net.router.bind(session, request);
  expect(messages.CreateTerminatorV2Response.decode(body).result).toBe('Success');
  expect(await precedences()).toEqual({ [request.address]: 'failed' });
  await order(CONTENT.restore);
  expect(await precedences()).toEqual({ [request.address]: 'required' });
});

test('a precedence that somebody sets meanwhile stays', async () => {
  const address = await net.bind(net.router);
  await order(CONTENT.quiesce);
  await net.controller.rest('PATCH', `/terminators/${address}`, { precedence: 'required' });
  await order(CONTENT.restore);
  expect(await precedences()).toEqual({ [address]: 'required' });
});

test('a decommissioned router is deleted with its terminators, and disconnected', async () => {
  const { id, router } = net.router;
  await net.bind(net.router);
  await order(CONTENT.decommission);
  await router.closed;
  await eventually(async () => {
    expect((await net.controller.rest('GET', `/edge-routers/${id}`)).status).toBe(404);
  });
  expect(await precedences()).toEqual({});
});

test('an order with a body is refused', async () => {
  const { router, id } = net.router;
  for (const type of [CONTENT.quiesce, CONTENT.restore, CONTENT.decommission]) {
    expect(isSuccess(await router.ask(type, Buffer.from([1])))).toBe(false);
  }
  expect((await net.controller.rest('GET', `/edge-routers/${id}`)).status).toBe(200);
});

test('a router that asks the controller for values gets none', async () => {
  const body = messages.InspectRequest.encode({ requestedValues: ['config', 'stackdump'] });
  const answer = await net.router.router.ask(CONTENT.inspect, body);
  expect(messages.InspectResponse.decode(answer.body)).toEqual({
    success: true,
    errors: [],
    values: [],
  });
});
