import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { textValue } from '../../../src/network/control/header-values.js';
import { eventually } from '../../support/eventually.js';
import {
  link,
  made,
  newPerson,
  refused,
  routeOf,
  RoutingRouter,
  Traffic,
  unique,
} from './traffic-network.js';

/* How circuits move and end. */

let net: Traffic;

beforeAll(async () => {
  net = await Traffic.start();
});
afterAll(() => net.stop());
beforeEach(() => net.begin());
afterEach(() => net.end());

const ended = (at: RoutingRouter, circuitId: string, now: boolean): Promise<unknown> =>
  eventually(() => {
    expect(at.unroutes).toContainEqual({ circuitId, now });
  });

/** The hello of a router that was connected before, and runs on. */
const RUNNING = { headers: new Map([[0, textValue('the connection before')]]) };

const fault = (
  at: RoutingRouter,
  subject: 'IngressFault' | 'LinkFault' | 'ForwardFault',
  id: string,
  iteration = 1,
): number => at.router.tell(CONTENT.fault, messages.Fault, { subject, id, iteration });

describe('a circuit ends at all of its routers', () => {
  test('when one of them reports its end', async () => {
    const { other, circuitId } = await net.overLink();
    fault(other, 'IngressFault', circuitId);
    await ended(net.router, circuitId, false);
    await ended(other, circuitId, false);
  });

  test('as soon as a router is back that was away when its session ended', async () => {
    const { other, circuitId } = await net.overLink();
    await other.router.close();
    await eventually(async () => {
      const { body } = await net.controller.rest('GET', `/edge-routers/${other.id}`);
      expect(body.data).toMatchObject({ isOnline: false });
    });
    await net.controller.rest('DELETE', `/sessions/${net.dial.id}`);
    await ended(net.router, circuitId, true);
    const back = await RoutingRouter.connect(net.controller, other.enrolled, RUNNING);
    await ended(back, circuitId, true);
    await back.router.close();
  });

  test('again at a router that comes anew before its earlier connection is seen to be lost', async () => {
    const { other, circuitId } = await net.overLink();
    await net.controller.rest('DELETE', `/sessions/${net.dial.id}`);
    await ended(net.router, circuitId, true);
    const back = await RoutingRouter.connect(net.controller, other.enrolled, RUNNING);
    await ended(back, circuitId, true);
    await back.router.close();
  });

  test('but a router that was started anew hears nothing of it', async () => {
    const { other } = await net.overLink();
    await other.router.close();
    await net.controller.rest('DELETE', `/sessions/${net.dial.id}`);
    const anew = await RoutingRouter.connect(net.controller, other.enrolled);
    await anew.router.ask(CONTENT.ping);
    expect(anew.unroutes).toEqual([]);
    await anew.router.close();
  });

  test('but not when a router reports it that it does not cross', async () => {
    const { circuitId } = await net.overLink();
    const stranger = await net.newRouter();
    fault(stranger, 'IngressFault', circuitId);
    await stranger.router.ask(CONTENT.ping);
    expect(net.router.unroutes).toEqual([]);
  });

  test.each([
    ['its session', () => net.controller.rest('DELETE', `/sessions/${net.dial.id}`)],
    [
      'the API session',
      () =>
        net.controller.rest('DELETE', '/edge/client/v1/current-api-session', undefined, {
          'zt-session': net.dialer.apiToken,
        }),
    ],
    ['the service', () => net.controller.rest('DELETE', `/services/${net.serviceId}`)],
    [
      'the identity, which is disabled',
      () =>
        net.controller.rest('POST', `/identities/${net.dialer.identityId}/disable`, {
          durationMinutes: 5,
        }),
    ],
  ])('when %s ends, at once', async (_what, end) => {
    const { other, circuitId } = await net.overLink();
    const begin = Date.now();
    await end();
    await ended(net.router, circuitId, true);
    await ended(other, circuitId, true);
    expect(Date.now() - begin).toBeLessThan(10_000);
    expect(refused(await net.router.dial(net.dial)).code).toBe(3);
    net.dialer = await newPerson(net.controller, 'dialers');
  });

  test('when the role assignment ends that gives its dialer the access', async () => {
    const { dialer } = net;
    net.dialer = await newPerson(net.controller, 'visitors');
    const assignment = await net.controller.create('role-assignments', {
      identityId: net.dialer.identityId,
      roleAttribute: 'dialers',
    });
    await net.newService();
    const { other, circuitId } = await net.overLink();
    await net.controller.rest('PATCH', `/role-assignments/${assignment}`, {
      activeUntil: new Date(Date.now() + 1_000).toISOString(),
    });
    await ended(net.router, circuitId, true);
    await ended(other, circuitId, true);
    net.dialer = dialer;
  });

  test('when the policy that grants it is deleted', async () => {
    const { circuitId } = await net.overLink();
    await net.controller.rest('DELETE', `/service-policies/${net.dialPolicyId}`);
    await ended(net.router, circuitId, true);
    net.dialPolicyId = await net.controller.create('service-policies', {
      name: unique('policy'),
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#dialers'],
      serviceRoles: ['#all'],
    });
  });

  test('when its router may not be used any more', async () => {
    const { circuitId } = await net.overLink();
    await net.controller.rest('PATCH', `/edge-routers/${net.router.id}`, {
      roleAttributes: ['closed'],
    });
    await ended(net.router, circuitId, true);
  });

  test('when its router is disabled, before that is disconnected', async () => {
    const { other, circuitId } = await net.overLink();
    await net.controller.rest('PATCH', `/edge-routers/${net.router.id}`, { disabled: true });
    await net.router.router.closed;
    expect(net.router.unroutes).toContainEqual({ circuitId, now: true });
    await ended(other, circuitId, true);
  });
});

describe('circuits without traffic', () => {
  test('stay if they are known, and are dropped otherwise', async () => {
    const { other, circuitId } = await net.overLink();
    const stranger = await net.newRouter();
    for (const at of [net.router, other, stranger]) {
      at.router.tell(CONTENT.circuitConfirmation, messages.CircuitConfirmation, {
        circuitIds: [circuitId, 'unknown'],
        idleTimes: { [circuitId]: 61_000_000_000 },
      });
    }
    await ended(net.router, 'unknown', true);
    await ended(other, 'unknown', true);
    await ended(stranger, circuitId, true);
    expect(net.router.unroutes).toEqual([{ circuitId: 'unknown', now: true }]);
  });
});

test('a circuit ends when its service allows no longer time without traffic', async () => {
  await net.newService({ maxIdleTimeMillis: 90_000 });
  const { other, circuitId } = await net.overLink();
  const confirm = async (at: RoutingRouter, seconds: number): Promise<void> => {
    at.router.tell(CONTENT.circuitConfirmation, messages.CircuitConfirmation, {
      circuitIds: [circuitId],
      idleTimes: { [circuitId]: seconds * 1e9 },
    });
    await at.router.ask(CONTENT.verifyRouter, messages.VerifyRouter.encode({ routerId: 'x' }));
  };
  await confirm(net.router, 89);
  await confirm(other, 90);
  expect([...net.router.unroutes, ...other.unroutes]).toEqual([]);
  await confirm(other, 91);
  await ended(net.router, circuitId, true);
  await ended(other, circuitId, true);
});

describe('when a link goes', () => {
  test('its circuits move to another way, and routers that are left drop them', async () => {
    const { other, linkId, circuitId } = await net.overLink();
    const detour = await net.newRouter();
    const [first, second] = [await link(net.router, detour), await link(detour, other)];
    fault(other, 'LinkFault', linkId);
    await eventually(() => {
      expect(routeOf(detour)).toMatchObject({ circuitId, attempt: 99_969_996, egress: null });
    });
    expect(routeOf(net.router).forwards[0]?.dstAddress).toBe(first);
    expect(routeOf(other).forwards[1]?.dstAddress).toBe(second);
    expect(routeOf(other).egress).toBeNull();
    // The other end is told to close the link.
    const { body } = await net.router.router.next(CONTENT.fault);
    expect(messages.Fault.decode(body)).toEqual({ subject: 'LinkFault', id: linkId, iteration: 1 });
    const direct = await link(net.router, other);
    fault(detour, 'LinkFault', second);
    await ended(detour, circuitId, true);
    expect(routeOf(net.router).forwards[0]?.dstAddress).toBe(direct);
    expect(net.router.unroutes).toEqual([]);
  });

  test('its circuits end without another way', async () => {
    const { other, linkId, circuitId } = await net.overLink();
    fault(net.router, 'LinkFault', linkId);
    await ended(net.router, circuitId, true);
    await ended(other, circuitId, true);
  });

  test('a report of an earlier state of it, or of a stranger, has no effect', async () => {
    const other = await net.newRouter();
    await net.bind(other);
    const linkId = await link(net.router, other, 3);
    made(await net.router.dial(net.dial));
    const stranger = await net.newRouter();
    fault(stranger, 'LinkFault', linkId, 3);
    fault(net.router, 'LinkFault', linkId, 2);
    stranger.router.tell(CONTENT.routerLinks, messages.RouterLinks, {
      links: [{ id: linkId, destRouterId: other.id, iteration: 9 }],
    });
    await stranger.router.ask(CONTENT.ping);
    await net.router.router.ask(CONTENT.ping);
    made(await net.router.dial(net.dial));
    expect(net.router.unroutes).toEqual([]);
  });
});

test('a circuit that can not be forwarded gets its routes again, and ends if that does not help', async () => {
  const { other, circuitId } = await net.overLink();
  const before = other.routes.length;
  fault(other, 'ForwardFault', circuitId);
  await eventually(() => {
    expect(other.routes.slice(before)).toEqual([
      expect.objectContaining({ circuitId, attempt: 99_969_996, egress: null }),
    ]);
  });
  expect([...net.router.unroutes, ...other.unroutes]).toEqual([]);
  fault(other, 'ForwardFault', `${circuitId} unknown`);
  await ended(net.router, circuitId, true);
  await ended(other, circuitId, true);
  await ended(other, 'unknown', true);
});

test('a link to a router that does not exist is no link', async () => {
  const { other } = await net.overLink();
  net.router.router.tell(CONTENT.routerLinks, messages.RouterLinks, {
    links: Array.from({ length: 5_000 }, (_none, i) => ({
      id: unique('link'),
      destRouterId: `nobody-${String(i)}`,
      linkProtocol: 'tls',
      iteration: 1,
    })),
  });
  await net.router.router.ask(CONTENT.ping);
  const { circuitId } = made(await net.router.dial(net.dial));
  expect(routeOf(other).circuitId).toBe(circuitId);
});

describe('when a router connects again', () => {
  test('its circuits continue if it was running all the time', async () => {
    const { other, circuitId } = await net.overLink();
    await net.router.router.close();
    const again = await RoutingRouter.connect(net.controller, net.router.enrolled, {
      headers: new Map([[0, textValue('the connection before')]]),
    });
    net.routers.push(again);
    again.router.tell(CONTENT.circuitConfirmation, messages.CircuitConfirmation, {
      circuitIds: [circuitId],
    });
    await again.router.ask(CONTENT.ping);
    expect([...again.unroutes, ...other.unroutes]).toEqual([]);
  });

  test('its circuits end if it was started anew', async () => {
    const { other, circuitId } = await net.overLink();
    await net.router.router.close();
    net.routers.push(await RoutingRouter.connect(net.controller, net.router.enrolled));
    await ended(other, circuitId, true);
  });
});
