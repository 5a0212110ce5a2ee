import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CONTENT, HEADER } from '../../../src/network/control/content-types.js';
import { readBool } from '../../../src/network/control/header-values.js';
import { messages } from '../../../src/network/messages/index.js';
import { startController, type TestController } from '../../support/controller.js';
import {
  enrollRouter,
  isSuccess,
  TestRouter,
  type EnrolledRouter,
} from '../../support/test-router.js';
import { StrictRouter } from '../data-model/strict-router.js';

/* Routers of version 1.6 and the data model, where the controller announces it to them. */

let controller: TestController;
let enrolled: EnrolledRouter;

beforeAll(async () => {
  const env = { OVERGRAPH_ROUTER_CAPABILITIES: 'data-model,grouped-channels,jwt-sessions' };
  controller = await startController({ env });
  enrolled = await enrollRouter(controller);
});
afterAll(() => controller.stop());

/** Terminators with ids of the router, links by their dialer, circuits by headers, the data model. */
const MASK = Buffer.from([0b11110]);

test('the first answer announces the model', async () => {
  const router = TestRouter.open(controller.port, enrolled);
  const answer = await router.next(CONTENT.result);
  expect(isSuccess(answer)).toBe(true);
  expect(answer.headers.get(12)).toEqual(MASK);
  const greeting = await router.next(CONTENT.serverHello);
  expect(readBool(greeting.headers.get(HEADER.dataModel))).toBe(true);
  await router.close();
});

/** Asks for the model as such a router does: its subscription has no id. */
const subscribe = (router: TestRouter, { index, timelineId }: StrictRouter): void => {
  router.tell(CONTENT.subscribeToDataModel, messages.SubscribeToDataModelRequest, {
    currentIndex: index,
    timelineId,
    subscriptionDurationSeconds: 300,
  });
};

const newService = (name: string): Promise<string> =>
  controller.create('services', { name, encryptionRequired: true });

/** Gives the router what comes until it knows a service; gives the types of the frames. */
async function learns(router: TestRouter, model: StrictRouter, service: string): Promise<number[]> {
  const types: number[] = [];
  while (!model.entity('service', service)) {
    const { type, headers, body } = await router.take(({ type: each }) =>
      [CONTENT.dataModel, CONTENT.dataModelChangeSet].some((wanted) => wanted === each),
    );
    expect(headers.has(HEADER.dataModelSubscription)).toBe(false);
    if (type === CONTENT.dataModel) model.takeState(body);
    else model.takeSet(body);
    types.push(type);
  }
  return types;
}

test('a router gets the whole, and when it comes back all keys and the rest alone', async () => {
  const model = new StrictRouter();
  const first = await newService('first');
  const router = await TestRouter.connect(controller.port, enrolled);
  subscribe(router, model);
  expect((await learns(router, model, first))[0]).toBe(CONTENT.dataModel);
  await router.close();

  const kids = [...model.keys.keys()];
  model.keys.clear();
  const second = await newService('second');
  const again = await TestRouter.connect(controller.port, enrolled);
  subscribe(again, model);
  expect(await learns(again, model, second)).not.toContain(CONTENT.dataModel);
  expect([...model.keys.keys()]).toEqual(kids);
  await again.close();
});
