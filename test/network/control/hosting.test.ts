import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { enrollRouter, isSuccess } from '../../support/test-router.js';
import {
  newPerson,
  openNetwork,
  openSession,
  RoutingRouter,
  unique,
  type Person,
  type ServiceSession,
} from './traffic-network.js';

/* Clients of a router host services: terminators come and go. */

let controller: TestController;
let host: Person;
let dialer: Person;
let router: RoutingRouter;
let serviceId: string;
let session: ServiceSession;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_WORKERS: '2' } });
  await openNetwork(controller);
  host = await newPerson(controller, 'hosts');
  dialer = await newPerson(controller, 'dialers');
  router = await RoutingRouter.start(controller);
});
afterAll(() => controller.stop());
beforeEach(async () => {
  serviceId = await controller.create('services', {
    name: unique('svc'),
    encryptionRequired: false,
  });
  session = await openSession(controller, host, serviceId, 'Bind');
});
afterEach(() => {
  router.router.received.length = 0;
});

interface Shown {
  readonly id: string;
  readonly [member: string]: unknown;
}

async function terminators(): Promise<Shown[]> {
  const { body } = await controller.rest('GET', `/services/${serviceId}/terminators`);
  return body.data;
}

async function bind(
  address: string,
  members: Record<string, unknown> = {},
  by = session,
): Promise<{ result: string; msg: string }> {
  const { type, body } = await router.bind(by, { address, ...members });
  expect(type).toBe(CONTENT.createTerminatorResult);
  const { terminatorId, result, msg } = messages.CreateTerminatorV2Response.decode(body);
  expect(terminatorId).toBe(address);
  return { result, msg };
}

test('a client hosts a service: its terminator has the id that the router gave it', async () => {
  const address = unique('terminator');
  const members = { cost: 7, precedence: 'Required', instanceId: 'one' };
  expect(await bind(address, members)).toEqual({ result: 'Success', msg: '' });
  expect(await terminators()).toEqual([
    expect.objectContaining({
      id: address,
      address,
      binding: 'edge',
      routerId: router.id,
      serviceId,
      identity: 'one',
      cost: 7,
      precedence: 'required',
    }),
  ]);
  const asked = await controller.graphql(
    'query ($id: ID!) { terminator(id: $id) { hostId instanceId } }',
    { id: address },
  );
  expect(asked.data).toEqual({ terminator: { hostId: host.identityId, instanceId: 'one' } });
});

test('a repeated request changes the terminator, and makes no second one', async () => {
  const address = unique('terminator');
  await bind(address, { cost: 1 });
  expect((await bind(address, { cost: 2 })).result).toBe('Success');
  expect(await terminators()).toEqual([expect.objectContaining({ id: address, cost: 2 })]);
});

test.each([
  ['an empty address', async () => (await bind(' ')).result, 'FailedOther'],
  [
    'a token without a session',
    async () => (await bind(unique('t'), {}, { id: '', token: 'unknown' })).result,
    'FailedInvalidSession',
  ],
  [
    'a session to dial',
    async () => {
      const dial = await openSession(controller, dialer, serviceId, 'Dial');
      return (await bind(unique('t'), {}, dial)).result;
    },
    'FailedInvalidSession',
  ],
  [
    'a cost beyond the largest',
    async () => (await bind(unique('t'), { cost: 65_536 })).result,
    'FailedOther',
  ],
  [
    'the id of a terminator of another service',
    async () => {
      const address = unique('t');
      await bind(address);
      const other = await controller.create('services', {
        name: unique('svc'),
        encryptionRequired: false,
      });
      const result = await bind(address, {}, await openSession(controller, host, other, 'Bind'));
      return result.result;
    },
    'FailedIdConflict',
  ],
  [
    'an instance that another identity hosts',
    async () => {
      await bind(unique('t'), { instanceId: 'taken' });
      const other = await newPerson(controller, 'hosts');
      const second = await openSession(controller, other, serviceId, 'Bind');
      return (await bind(unique('t'), { instanceId: 'taken' }, second)).result;
    },
    'FailedOther',
  ],
])('%s is refused', async (_what, ask, result) => {
  const before = await terminators();
  expect(await ask()).toBe(result);
  expect((await terminators()).length).toBeLessThanOrEqual(before.length + 1);
});

test('a router that the session may not use hosts nothing', async () => {
  const closed = await RoutingRouter.start(controller, { roleAttributes: ['closed'] });
  const { body } = await closed.bind(session, { address: unique('t') });
  expect(messages.CreateTerminatorV2Response.decode(body).result).toBe('FailedOther');
  expect(await terminators()).toEqual([]);
  await closed.router.close();
});

test('a terminator is changed in all forms, by its own router alone', async () => {
  const address = unique('terminator');
  await bind(address);
  const update = messages.UpdateBindRequest.encode({
    terminatorId: address,
    cost: 11,
    updateCost: true,
    precedence: 'Failed',
  });
  expect((await router.router.ask(CONTENT.updateBind, update)).type).toBe(CONTENT.updateBindResult);
  expect(await terminators()).toEqual([
    expect.objectContaining({ cost: 11, precedence: 'default' }),
  ]);
  const ofFabric = messages.UpdateTerminatorRequest.encode({
    terminatorId: address,
    precedence: 'Required',
    updatePrecedence: true,
  });
  expect(isSuccess(await router.router.ask(CONTENT.updateTerminator, ofFabric))).toBe(true);
  expect(await terminators()).toEqual([
    expect.objectContaining({ cost: 11, precedence: 'required' }),
  ]);
  router.router.tell(CONTENT.healthEvent, messages.HealthEventRequest, {
    terminatorId: address,
    checkPassed: false,
  });
  await eventually(async () => {
    expect(await terminators()).toEqual([expect.objectContaining({ precedence: 'failed' })]);
  });
  const other = await RoutingRouter.start(controller);
  expect((await other.router.ask(CONTENT.updateBind, update)).type).toBe(CONTENT.error);
  await other.router.close();
});

test('terminators are removed in all forms, by their own router alone', async () => {
  const addresses = ['a', 'b', 'c', 'd'].map(() => unique('terminator'));
  for (const address of addresses) await bind(address);
  const [one = '', two = '', three = '', four = ''] = addresses;
  const many = messages.RemoveTerminatorsRequest.encode({ terminatorIds: [one, two, 'unknown'] });
  const other = await RoutingRouter.start(controller);
  expect(isSuccess(await other.router.ask(CONTENT.removeTerminators, many))).toBe(true);
  expect(await terminators()).toHaveLength(4);
  await other.router.close();
  expect(isSuccess(await router.router.ask(CONTENT.removeTerminators, many))).toBe(true);
  const bound = messages.RemoveBindRequest.encode({ terminatorId: three });
  expect((await router.router.ask(CONTENT.removeBind, bound)).type).toBe(CONTENT.removeBindResult);
  const single = messages.RemoveTerminatorRequest.encode({ terminatorId: four });
  expect(isSuccess(await router.router.ask(CONTENT.removeTerminator, single))).toBe(true);
  expect(await terminators()).toEqual([]);
});

test('a terminator ends with the right to host the service', async () => {
  const address = unique('terminator');
  await bind(address);
  await controller.rest('DELETE', `/sessions/${session.id}`);
  await eventually(async () => {
    expect(await terminators()).toEqual([]);
  });
});

test('a router that connects again is asked which terminators it still has', async () => {
  const enrolled = await enrollRouter(controller, { roleAttributes: ['open'] });
  const first = await RoutingRouter.connect(controller, enrolled);
  const addresses = [unique('terminator'), unique('terminator')];
  for (const address of addresses) {
    // As if it had been stored long ago.
    const { body } = await first.bind(session, { address });
    expect(messages.CreateTerminatorV2Response.decode(body).result).toBe('Success');
  }
  await first.router.close();
  const question = await eventually(async () => {
    const again = await RoutingRouter.connect(controller, enrolled);
    try {
      const frame = await again.router.take(
        ({ type }) => type === CONTENT.validateTerminators,
        1_000,
      );
      const { terminators: asked } = messages.ValidateTerminatorsV2Request.decode(frame.body);
      // Those of the last moments are not asked about: the second one may be one of them yet.
      expect(asked.map(({ id }) => id)).toEqual([...addresses].sort());
      return { again, frame };
    } catch (error) {
      await again.router.close();
      throw error;
    }
  });
  const { again, frame } = question.value;
  const [kept = '', gone = ''] = addresses;
  const body = messages.ValidateTerminatorsV2Response.encode({
    states: { [kept]: { valid: true }, [gone]: { valid: false, reason: 'UnknownTerminator' } },
  });
  again.router.answer(frame, CONTENT.validateTerminatorsResult, body);
  await eventually(async () => {
    expect((await terminators()).map(({ id }) => id)).toEqual([kept]);
  });
  await again.router.close();
});
