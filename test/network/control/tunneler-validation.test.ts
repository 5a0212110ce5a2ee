import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { ManagementClient } from '../events/management-client.js';
import { Traffic, type RoutingRouter } from './traffic-network.js';

/* Routers of version 1.6 that refuse to tell the terminators of a tunneler. */

const VALIDATE = 10115;
const REFUSAL = 'tunnel dialer is not of type Inspectable';

let net: Traffic;
let client: ManagementClient;

beforeAll(async () => {
  net = await Traffic.start();
});
afterAll(() => net.stop());
beforeEach(async () => {
  await net.begin();
  const { port, token } = net.controller;
  client = await ManagementClient.connect(port, { 'zt-session': token });
});
afterEach(async () => {
  client.end();
  await net.end();
});

async function detailsOf({ id, router }: RoutingRouter) {
  router.onFrame = (frame) => {
    if (frame.type !== CONTENT.inspect) return false;
    const body = messages.InspectResponse.encode({ success: false, errors: [REFUSAL] });
    router.answer(frame, CONTENT.inspectResult, body);
    return true;
  };
  const request = messages.ValidateRoutersRequest.encode({ filter: `id = "${id}"` });
  const { results } = await client.validate(VALIDATE, request);
  return messages.RouterErtTerminatorsDetails.decode(results[0]?.body ?? Buffer.alloc(0));
}

test('a router without a tunneler has none', async () => {
  expect(await detailsOf(net.router)).toMatchObject({ validateSuccess: true, details: [] });
});

test('a router with a tunneler can not be validated', async () => {
  const router = await net.newRouter({ isTunnelerEnabled: true });
  expect(await detailsOf(router)).toMatchObject({ validateSuccess: false, message: REFUSAL });
});
