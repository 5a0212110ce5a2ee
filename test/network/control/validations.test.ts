import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Frame } from '../../../src/network/control/frame.js';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { ManagementClient } from '../events/management-client.js';
import { Traffic, unique, type RoutingRouter } from './traffic-network.js';

/* Validations, as the public command line asks for them: at the controller that serves no router. */

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

/** Has a router answer inspections with values, each by its name. */
function inspected({ router }: RoutingRouter, values: () => Record<string, unknown>): void {
  const { onFrame } = router;
  router.onFrame = (frame) => {
    if (frame.type !== CONTENT.inspect) return onFrame(frame);
    const named = Object.entries(values()).map(([name, value]) => ({
      name,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    }));
    const body = messages.InspectResponse.encode({ success: true, values: named });
    router.answer(frame, CONTENT.inspectResult, body);
    return true;
  };
}

const only = ({ id }: { readonly id: string }): string => `id = "${id}"`;

const { ValidateRoutersRequest, ValidateTerminatorsRequest } = messages;

async function validated(type: number, filter: string, at = client): Promise<Frame[]> {
  const { answer, results } = await at.validate(type, ValidateRoutersRequest.encode({ filter }));
  expect(answer).toMatchObject({ success: true });
  return results;
}

describe('links', () => {
  const LINKS = 10103;
  const linksOf = async (router: RoutingRouter) => {
    const [result] = await validated(LINKS, only(router));
    return messages.RouterLinkDetails.decode(result?.body ?? Buffer.alloc(0));
  };

  test('are compared at the router that dialed them, and those that one side lacks are told', async () => {
    const { other, linkId } = await net.overLink();
    await isKnownToSecond(net.router);
    inspected(net.router, () => ({
      links: { links: [{ id: linkId, dest: other.id, dialed: true }] },
    }));
    expect(await linksOf(net.router)).toEqual({
      routerId: net.router.id,
      routerName: net.router.enrolled.name,
      validateSuccess: true,
      message: '',
      linkDetails: [
        {
          linkId,
          ctrlState: 'LinkEstablished',
          routerState: 'LinkEstablished',
          destConnected: true,
          isValid: true,
          destRouterId: other.id,
          dialed: true,
          messages: [],
        },
      ],
    });
    inspected(net.router, () => ({
      links: { links: [{ id: 'ghost', dest: other.id, dialed: false }] },
    }));
    const { linkDetails } = await linksOf(net.router);
    expect(linkDetails).toMatchObject([
      { linkId: 'ghost', ctrlState: 'LinkUnknown', routerState: 'LinkEstablished', isValid: false },
      {
        linkId,
        ctrlState: 'LinkEstablished',
        routerState: 'LinkUnknown',
        isValid: false,
        dialed: true,
      },
    ]);
  });
});

describe('circuits', () => {
  const CIRCUITS = 10118;

  test('are compared with those that the controller routed', async () => {
    const { circuitId } = await net.overLink();
    await isKnownToSecond(net.router);
    inspected(net.router, () => ({
      'router-circuits': {
        circuits: {
          [circuitId]: { circuitId, destinations: { a: 'xg-edge-fwd' } },
          ghost: { circuitId: 'ghost', destinations: {} },
        },
      },
      'router-edge-circuits': { circuits: { [circuitId]: { circuitId } } },
      'router-sdk-circuits': { circuits: {} },
    }));
    const [result] = await validated(CIRCUITS, only(net.router));
    const { details, validateSuccess } = messages.RouterCircuitDetails.decode(
      result?.body ?? Buffer.alloc(0),
    );
    expect(validateSuccess).toBe(true);
    const sound = {
      missingInCtrl: false,
      missingInForwarder: false,
      missingInEdge: false,
      missingInSdk: false,
    };
    expect(details).toEqual({
      [circuitId]: {
        ...sound,
        circuitId,
        missingInSdk: true,
        destinations: { a: 'xg-edge-fwd' },
      },
      ghost: { ...sound, circuitId: 'ghost', missingInCtrl: true, destinations: {} },
    });
  });

  test('that the router does not forward are missing there', async () => {
    const { circuitId } = await net.overLink();
    await isKnownToSecond(net.router);
    inspected(net.router, () => ({ 'router-circuits': { circuits: {} } }));
    const [result] = await validated(CIRCUITS, only(net.router));
    const { details } = messages.RouterCircuitDetails.decode(result?.body ?? Buffer.alloc(0));
    expect(details[circuitId]).toMatchObject({ missingInCtrl: false, missingInForwarder: true });
  });
});

describe('terminators', () => {
  const TERMINATORS = 10100;

  /** Has a router say that some of its terminators do not exist. */
  function denies({ router }: RoutingRouter, ids: readonly string[]): void {
    const { onFrame } = router;
    router.onFrame = (frame) => {
      if (frame.type !== CONTENT.validateTerminators) return onFrame(frame);
      const { terminators } = messages.ValidateTerminatorsV2Request.decode(frame.body);
      const states = Object.fromEntries(
        terminators.map(({ id, marker }) => [
          id,
          ids.includes(id)
            ? { valid: false, reason: 'UnknownTerminator' as const, detail: 'gone', marker }
            : { valid: true, marker },
        ]),
      );
      const body = messages.ValidateTerminatorsV2Response.encode({ states });
      router.answer(frame, CONTENT.validateTerminatorsResult, body);
      return true;
    };
  }

  async function terminatorsAt(router: RoutingRouter, fixInvalid = false) {
    const request = { terminatorsFilter: `router = "${router.id}"`, fixInvalid };
    const { answer, results } = await client.validate(
      TERMINATORS,
      ValidateTerminatorsRequest.encode(request),
    );
    expect(answer).toMatchObject({ success: true, count: results.length });
    return results
      .map(({ body }) => messages.TerminatorDetail.decode(body))
      .sort((a, b) => (a.terminatorId < b.terminatorId ? -1 : 1));
  }

  test('that their router does not have are told, and removed if asked to', async () => {
    const [gone, there] = [await net.bind(net.router), await net.bind(net.router)];
    await isKnownToSecond(net.router);
    denies(net.router, [gone]);
    const details = await terminatorsAt(net.router);
    expect(details).toMatchObject([
      {
        terminatorId: gone,
        serviceId: net.serviceId,
        routerId: net.router.id,
        routerName: net.router.enrolled.name,
        binding: 'edge',
        address: gone,
        hostId: net.host.identityId,
        state: 'InvalidUnknownTerminator',
        fixed: false,
        detail: 'gone',
      },
      { terminatorId: there, state: 'Valid', fixed: false },
    ]);
    expect(Date.parse(details[0]?.createDate ?? '')).not.toBeNaN();
    expect(await terminatorsAt(net.router, true)).toMatchObject([
      { terminatorId: gone, state: 'InvalidUnknownTerminator', fixed: true },
      { terminatorId: there, state: 'Valid' },
    ]);
    expect(await terminatorsAt(net.router)).toMatchObject([{ terminatorId: there }]);
  });

  test('at a router that is away are unknown', async () => {
    const address = await net.bind(net.router);
    await net.router.router.close();
    await eventually(async () => {
      expect(await terminatorsAt(net.router)).toMatchObject([
        { terminatorId: address, state: 'Unknown', detail: 'its router is not connected' },
      ]);
    });
  });

  test.each([
    [10106, 'sdk-terminators', messages.RouterSdkTerminatorsDetails],
    [10115, 'ert-terminators', messages.RouterErtTerminatorsDetails],
  ])('of the kind %s are compared by what the router says', async (type, name, codec) => {
    const binding = type === 10106 ? 'edge' : 'tunnel';
    const create = () =>
      net.controller.create('terminators', {
        ...{ service: net.serviceId, router: net.router.id, binding },
        address: unique('address'),
      });
    const [sound, missing, pending] = [await create(), await create(), await create()];
    await isKnownToSecond(net.router);
    inspected(net.router, () => ({
      [name]: {
        entries: [
          { id: sound, state: 'established' },
          { id: pending, state: 'establishing' },
          { id: 'ghost', state: 'established' },
        ],
      },
    }));
    const [result] = await validated(type, only(net.router));
    const { details } = codec.decode(result?.body ?? Buffer.alloc(0));
    expect(
      details.map(({ terminatorId, ctrlState, routerState, isValid }) => [
        terminatorId,
        ctrlState,
        routerState,
        isValid,
      ]),
    ).toEqual([
      [sound, 'Valid', 'established', true],
      [pending, 'Valid', 'establishing', false],
      ['ghost', 'Unknown', 'established', false],
      [missing, 'Valid', 'unknown', false],
    ]);
  });
});

test('the identities at a router are compared', async () => {
  const [here, gone] = [net.host.identityId, net.dialer.identityId];
  net.router.router.tell(CONTENT.connectEvents, messages.ConnectEvents, {
    events: [here, gone].map((identityId) => ({ identityId, isConnected: true })),
    fullState: true,
  });
  await eventually(async () => {
    const { body } = await net.controller.rest('GET', `/identities/${gone}`);
    expect(body.data).toMatchObject({ hasEdgeRouterConnection: true });
  });
  await isKnownToSecond(net.router);
  const connection = { closed: false };
  inspected(net.router, () => ({
    'identity-connection-statuses': {
      identity_connections: {
        [here]: { connections: [connection], unreported_count: 2 },
        [gone]: { connections: [{ closed: true }] },
        ghost: { connections: [connection] },
      },
    },
  }));
  const [result] = await validated(10112, only(net.router));
  const { errors, ...component } = messages.ComponentDetails.decode(
    result?.body ?? Buffer.alloc(0),
  );
  expect(component).toEqual({
    componentType: 'router',
    componentId: net.router.id,
    componentName: net.router.enrolled.name,
    validateSuccess: true,
  });
  expect([...errors].sort()).toEqual(
    [
      `identity ${here} has events that are not reported`,
      `identity ${gone} is connected for the controller, and not for the router`,
      'identity ghost is connected for the router, and not for the controller',
    ].sort(),
  );
});

describe('each router gives a result', () => {
  const SDK_TERMINATORS = 10106;
  const { RouterSdkTerminatorsDetails } = messages;
  const messageOf = (results: readonly Frame[], { id }: RoutingRouter): string | undefined =>
    results
      .map(({ body }) => RouterSdkTerminatorsDetails.decode(body))
      .find(({ routerId }) => routerId === id)?.message;

  test('also one that is away, leaves meanwhile, or answers with garbage', async () => {
    const [away, leaving, broken, odd] = (await Promise.all(
      ['away', 'leaving', 'broken', 'odd'].map(() => net.newRouter()),
    )) as [RoutingRouter, RoutingRouter, RoutingRouter, RoutingRouter];
    for (const each of [net.router, leaving, broken, odd]) await isKnownToSecond(each);
    await away.router.close();
    await eventually(async () => {
      const { body } = await second.rest('GET', `/edge-routers/${away.id}`);
      expect(body.data).toMatchObject({ isOnline: false });
    });
    inspected(net.router, () => ({ 'sdk-terminators': { entries: [] } }));
    leaving.router.onFrame = ({ type }) => {
      if (type === CONTENT.inspect) leaving.router.socket.destroy();
      return false;
    };
    broken.router.onFrame = (frame) => {
      if (frame.type !== CONTENT.inspect) return false;
      broken.router.answer(frame, CONTENT.inspectResult, Buffer.from([0xff, 0xff, 0xff]));
      return true;
    };
    inspected(odd, () => ({ 'sdk-terminators': '[' }));
    const ids = [net.router, away, leaving, broken, odd].map(({ id }) => `"${id}"`);
    const results = await validated(SDK_TERMINATORS, `id in [${ids.join(', ')}]`);
    expect(results).toHaveLength(5);
    expect(messageOf(results, net.router)).toBe('');
    expect(messageOf(results, away)).toBe('it is not connected');
    expect(messageOf(results, leaving)).toBe('it has left meanwhile');
    expect(messageOf(results, broken)).toBe('its answer can not be read');
    expect(messageOf(results, odd)).toBe('its sdk-terminators can not be read');
  });

  test('and a slow one delays no other of the same step', async () => {
    const slow = await net.newRouter();
    for (const each of [net.router, slow]) await isKnownToSecond(each);
    inspected(net.router, () => ({ 'sdk-terminators': { entries: [] } }));
    let answer: () => void = () => undefined;
    slow.router.onFrame = (frame) => {
      if (frame.type !== CONTENT.inspect) return false;
      const body = messages.InspectResponse.encode({
        success: true,
        values: [{ name: 'sdk-terminators', value: '{}' }],
      });
      answer = () => {
        slow.router.answer(frame, CONTENT.inspectResult, body);
      };
      return true;
    };
    const filter = `id in ["${net.router.id}", "${slow.id}"]`;
    const running = client.validate(SDK_TERMINATORS, ValidateRoutersRequest.encode({ filter }));
    await eventually(() => {
      expect(messageOf(client.frames, net.router)).toBe('');
    });
    expect(messageOf(client.frames, slow)).toBeUndefined();
    answer();
    expect((await running).results).toHaveLength(2);
  });

  test('and sorts, limits and their absence count as in lists', async () => {
    const other = await net.newRouter();
    const ids = `"${net.router.id}", "${other.id}"`;
    for (const each of [net.router, other]) {
      await isKnownToSecond(each);
      inspected(each, () => ({ 'sdk-terminators': { entries: [] } }));
    }
    expect(await validated(SDK_TERMINATORS, `id in [${ids}]`)).toHaveLength(2);
    const [result, ...more] = await validated(
      SDK_TERMINATORS,
      `id in [${ids}] sort by name desc limit 1`,
    );
    expect(more).toEqual([]);
    expect(
      messages.RouterSdkTerminatorsDetails.decode(result?.body ?? Buffer.alloc(0)).routerName,
    ).toBe(
      [net.router, other]
        .map(({ enrolled }) => enrolled.name)
        .sort()
        .at(-1),
    );
  });
});

test.each([
  ['of a wrong filter', Buffer.from(ValidateRoutersRequest.encode({ filter: 'name = ' }))],
  ['of an unknown symbol', Buffer.from(ValidateRoutersRequest.encode({ filter: 'tea = "hot"' }))],
])('a request %s is refused with the reason', async (_, body) => {
  const { answer, results } = await client.validate(10103, body);
  expect(answer).toMatchObject({ success: false, count: 0 });
  expect(answer.message).not.toBe('');
  expect(results).toEqual([]);
});

test('a body that is no request ends the connection', async () => {
  client.tell(10103, Buffer.from([0x0a, 0xff]));
  await eventually(() => {
    expect(client.closeCode).toBe(1002);
  });
});

test('no router dials controllers here', async () => {
  const { answer, results } = await client.validate(10122, Buffer.alloc(0));
  expect(answer).toMatchObject({ success: true, count: 0 });
  expect(results).toEqual([]);
});
