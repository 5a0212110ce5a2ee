import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { eventually } from '../../support/eventually.js';
import { link, made, RoutingRouter, Traffic } from './traffic-network.js';

/* Links and circuits in the graph, and what people decide about them there. */

let net: Traffic;

beforeAll(async () => {
  net = await Traffic.start();
});
afterAll(() => net.stop());
beforeEach(() => net.begin());
afterEach(() => net.end());

const LINK = `query ($id: ID!) { link(id: $id) {
  protocol dialAddress sourceRouter { id } destRouter { id } state down staticCost sourceLatency destLatency cost
  iteration connections { type source dest } circuits { nodes { id } } } }`;

const CIRCUIT = `query ($id: ID!) { circuit(id: $id) {
  sessionId service { id } identity { id } host { id } terminatorId path { routers { id name } linkIds } tags } }`;

interface LinkInGraph {
  readonly staticCost: number;
  readonly cost: number;
  readonly down: boolean;
}

async function linkInGraph(id: string): Promise<LinkInGraph | null> {
  const { data } = await net.controller.graphql(LINK, { id });
  return (data as { link: LinkInGraph | null }).link;
}

async function circuitInGraph(id: string): Promise<object | null> {
  const { data } = await net.controller.graphql(CIRCUIT, { id });
  return (data as { circuit: object | null }).circuit;
}

/** Waits until the graph has it. */
const shown = (read: () => Promise<object | null>): Promise<unknown> =>
  eventually(async () => {
    expect(await read()).not.toBeNull();
  });

const change = (document: string, variables: object): Promise<unknown> =>
  net.controller.graphql(document, { ...variables });

const UPDATE_LINK =
  'mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) { id } }';

/** The latest path of the circuits of a router. */
const links = ({ routes }: RoutingRouter): string[] =>
  (routes.at(-1)?.forwards ?? []).flatMap(({ srcAddress, dstAddress, dstType }) =>
    dstType === 'Link' ? [dstAddress] : dstType === 'Start' ? [srcAddress] : [],
  );

test('a link shows its routers, costs and connections', async () => {
  const other = await net.newRouter();
  const connState = {
    conns: [{ type: 'payload', localAddr: '10.0.0.1:5000', remoteAddr: '10.0.0.2:80' }],
  };
  const report = { id: 'shown', destRouterId: other.id, linkProtocol: 'tls', iteration: 3 };
  net.router.router.tell(CONTENT.routerLinks, messages.RouterLinks, {
    links: [{ ...report, dialAddress: 'tls:10.0.0.2:80', connState }],
  });
  const shown = {
    protocol: 'tls',
    dialAddress: 'tls:10.0.0.2:80',
    sourceRouter: { id: net.router.id },
    destRouter: { id: other.id },
    state: 'Connected',
    down: false,
    staticCost: 1,
    sourceLatency: 65_000,
    destLatency: 65_000,
    cost: 130_001,
    iteration: 3,
    connections: [{ type: 'payload', source: '10.0.0.1:5000', dest: '10.0.0.2:80' }],
    circuits: { nodes: [] },
  };
  await eventually(async () => {
    expect(await linkInGraph('shown')).toEqual(shown);
  });

  // Milliseconds with parts, in nanoseconds: latency and the time in the queue of the link.
  for (const at of [net.router, other]) {
    at.router.tell(CONTENT.metrics, messages.MetricsMessage, {
      histograms: {
        'link.shown.latency': { count: 10, mean: 7_900_000 },
        'link.shown.queue_time': { count: 10, mean: 200_000 },
      },
    });
  }
  net.router.router.tell(CONTENT.linkState, messages.LinkStateUpdate, {
    linkId: 'shown',
    linkIteration: 3,
    connState: {
      conns: [
        { type: 'payload', localAddr: 'a', remoteAddr: 'b' },
        { type: 'ack', localAddr: 'c', remoteAddr: 'd' },
      ],
    },
  });
  await eventually(async () => {
    expect(await linkInGraph('shown')).toEqual({
      ...shown,
      sourceLatency: 8,
      destLatency: 8,
      cost: 17,
      connections: [
        { type: 'payload', source: 'a', dest: 'b' },
        { type: 'ack', source: 'c', dest: 'd' },
      ],
    });
  });
  const { data } = await net.controller.graphql(
    'query ($id: ID!) { edgeRouter(id: $id) { links { nodes { id } } } }',
    { id: other.id },
  );
  expect(data).toEqual({ edgeRouter: { links: { nodes: [{ id: 'shown' }] } } });
});

test('a circuit shows who uses what, and over which routers', async () => {
  const { other, linkId, circuitId } = await net.overLink();
  const path = {
    routers: [net.router, other].map(({ enrolled: { id, name } }) => ({ id, name })),
    linkIds: [linkId],
  };
  await eventually(async () => {
    expect(await circuitInGraph(circuitId)).toEqual({
      sessionId: net.dial.id,
      service: { id: net.serviceId },
      identity: { id: net.dialer.identityId },
      host: { id: net.host.identityId },
      terminatorId: expect.stringMatching(/^terminator-/) as unknown,
      path,
      tags: {
        serviceId: net.serviceId,
        clientId: net.dialer.identityId,
        hostId: net.host.identityId,
      },
    });
  });
  const { data } = await net.controller.graphql(
    `query ($service: ID!, $identity: ID!, $router: ID!, $link: ID!) {
      service(id: $service) { circuits { nodes { id } } }
      identity(id: $identity) { circuits { nodes { id } } }
      edgeRouter(id: $router) { circuits { nodes { id } } }
      link(id: $link) { circuits { nodes { id } } } }`,
    {
      service: net.serviceId,
      identity: net.dialer.identityId,
      router: other.id,
      link: linkId,
    },
  );
  const circuits = { circuits: { nodes: [{ id: circuitId }] } };
  expect(data).toEqual({
    service: circuits,
    identity: circuits,
    edgeRouter: circuits,
    link: circuits,
  });
  net.router.router.tell(CONTENT.fault, messages.Fault, { subject: 'IngressFault', id: circuitId });
  await eventually(async () => {
    expect(await circuitInGraph(circuitId)).toBeNull();
  });
});

test('clients see neither circuits nor links, which tell how the network is built', async () => {
  const { circuitId, linkId } = await net.overLink();
  const asked = `query ($circuit: ID!, $link: ID!) {
    circuits { nodes { id } } circuit(id: $circuit) { id } link(id: $link) { id } }`;
  const seenBy = async (token: string): Promise<unknown> => {
    const { data } = await net.controller.graphql(
      asked,
      { circuit: circuitId, link: linkId },
      { 'zt-session': token },
    );
    return data;
  };
  await shown(() => circuitInGraph(circuitId));
  await shown(() => linkInGraph(linkId));
  for (const { apiToken } of [net.dialer, net.host]) {
    expect(await seenBy(apiToken)).toEqual({ circuits: null, circuit: null, link: null });
  }
});

describe('by hand', () => {
  test('a link that is down carries nothing: its circuits take another one', async () => {
    const { other, linkId, circuitId } = await net.overLink();
    net.router.router.tell(CONTENT.routerLinks, messages.RouterLinks, {
      links: [{ id: 'spare', destRouterId: other.id, linkProtocol: 'tls', iteration: 1 }],
    });
    await shown(() => linkInGraph('spare'));
    expect(links(net.router)).toEqual([linkId, linkId]);
    await change(UPDATE_LINK, { id: linkId, input: { down: true } });
    await eventually(() => {
      expect(links(net.router)).toEqual(['spare', 'spare']);
    });
    await eventually(async () => {
      expect(await circuitInGraph(circuitId)).toMatchObject({ path: { linkIds: ['spare'] } });
    });
    expect(await linkInGraph(linkId)).toMatchObject({ down: true });
    // New circuits avoid it, too.
    made(await net.router.dial(net.dial));
    expect(links(net.router)).toEqual(['spare', 'spare']);
  });

  test('a dearer link loses its circuits; measurements do not forget what was set', async () => {
    const { other, linkId } = await net.overLink();
    net.router.router.tell(CONTENT.routerLinks, messages.RouterLinks, {
      links: [{ id: 'cheap', destRouterId: other.id, linkProtocol: 'tls', iteration: 1 }],
    });
    await shown(() => linkInGraph('cheap'));
    await change(UPDATE_LINK, { id: linkId, input: { staticCost: 500 } });
    await eventually(() => {
      expect(links(net.router)).toEqual(['cheap', 'cheap']);
    });
    net.router.router.tell(CONTENT.metrics, messages.MetricsMessage, {
      histograms: { [`link.${linkId}.latency`]: { count: 1, mean: 1_000_000 } },
    });
    await eventually(async () => {
      expect(await linkInGraph(linkId)).toMatchObject({ staticCost: 500, cost: 65_501 });
    });
    // A link that is made again is a new one.
    net.router.router.tell(CONTENT.routerLinks, messages.RouterLinks, {
      links: [{ id: linkId, destRouterId: other.id, linkProtocol: 'tls', iteration: 2 }],
    });
    await eventually(async () => {
      expect(await linkInGraph(linkId)).toMatchObject({ staticCost: 1, cost: 130_001 });
    });
  });

  test('the last path goes: its circuits end', async () => {
    const { other, linkId, circuitId } = await net.overLink();
    await shown(() => linkInGraph(linkId));
    await change(UPDATE_LINK, { id: linkId, input: { down: true } });
    for (const at of [net.router, other]) {
      await eventually(() => {
        expect(at.unroutes).toEqual([{ circuitId, now: true }]);
      });
    }
  });

  test('both routers close a link that is deleted', async () => {
    const { other, linkId, circuitId } = await net.overLink();
    await shown(() => linkInGraph(linkId));
    await change('mutation ($id: ID!) { deleteLink(id: $id) }', { id: linkId });
    for (const at of [net.router, other]) {
      const fault = messages.Fault.decode((await at.router.next(CONTENT.fault)).body);
      expect(fault).toEqual({ subject: 'LinkFault', id: linkId, iteration: 1 });
      await eventually(() => {
        expect(at.unroutes).toEqual([{ circuitId, now: true }]);
      });
    }
    expect(await linkInGraph(linkId)).toBeNull();
  });

  test('a circuit that is deleted ends at once', async () => {
    const { other, circuitId } = await net.overLink();
    await shown(() => circuitInGraph(circuitId));
    await change('mutation ($id: ID!) { deleteCircuit(id: $id) }', { id: circuitId });
    for (const at of [net.router, other]) {
      await eventually(() => {
        expect(at.unroutes).toEqual([{ circuitId, now: true }]);
      });
    }
    expect(await circuitInGraph(circuitId)).toBeNull();
  });
});

test('a router that was started anew keeps the links that others have dialed to it since', async () => {
  const { enrolled } = net.router;
  const other = await net.newRouter();
  const own = await link(net.router, other);
  const earlier = await link(other, net.router);
  await shown(() => linkInGraph(own));
  await net.router.router.close();
  await eventually(async () => {
    const { body } = await net.controller.rest('GET', `/edge-routers/${net.router.id}`);
    expect(body.data).toMatchObject({ isOnline: false });
  });
  const since = await link(other, net.router);
  await shown(() => linkInGraph(since));
  const again = await RoutingRouter.connect(net.controller, enrolled);
  net.routers.push(again);
  await eventually(async () => {
    const [one, two, three] = await Promise.all([own, earlier, since].map(linkInGraph));
    expect([one, two]).toStrictEqual([null, null]);
    expect(three).not.toBeNull();
  });
});

test('the links of a router end with it, also when it is deleted while it is not connected', async () => {
  const other = await net.newRouter();
  const ids = [await link(net.router, other), await link(other, net.router)];
  await shown(async () => (await linkInGraph(ids[0] ?? '')) && linkInGraph(ids[1] ?? ''));
  await other.router.close();
  await eventually(async () => {
    const { body } = await net.controller.rest('GET', `/edge-routers/${other.id}`);
    expect(body.data).toMatchObject({ isOnline: false });
  });
  await net.controller.rest('DELETE', `/edge-routers/${other.id}`);
  await eventually(async () => {
    const { body } = await net.controller.rest('GET', '/fabric/v1/links');
    expect((body.data as { id: string }[]).filter(({ id }) => ids.includes(id))).toEqual([]);
  });
});
