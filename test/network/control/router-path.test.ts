import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { newPerson, loggedIn } from '../../trust/auth/client.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { link, made, Traffic, unique, type RoutingRouter } from './traffic-network.js';

/* The path between two routers in the graph is the one that circuits take, on every controller. */

let net: Traffic;
let second: TestController;

beforeAll(async () => {
  net = await Traffic.start();
  second = await startController({ with: net.controller });
});
afterAll(async () => {
  await second.stop();
  await net.stop();
});
beforeEach(() => net.begin());
afterEach(() => net.end());

const PATH = `query ($from: ID!, $to: ID!) { routerPath(from: $from, to: $to) {
  cost routerIds linkIds reason routers { id name } links { id sourceRouter { id } } } }`;

interface PathInGraph {
  readonly cost: number | null;
  readonly routerIds: readonly string[];
  readonly linkIds: readonly string[];
  readonly reason: string | null;
  readonly routers: readonly ({ id: string; name: string } | null)[];
  readonly links: readonly ({ id: string } | null)[];
}

async function pathOn(
  controller: TestController,
  from: RoutingRouter,
  to: RoutingRouter,
): Promise<PathInGraph> {
  const { data, errors } = await controller.graphql(PATH, { from: from.id, to: to.id });
  expect(errors).toBeUndefined();
  return (data as { routerPath: PathInGraph }).routerPath;
}

/** Both controllers, and with them all workers of the first, come to give the same answer. */
async function expectPath(
  from: RoutingRouter,
  to: RoutingRouter,
  expected: Partial<PathInGraph>,
): Promise<void> {
  for (const controller of [net.controller, second]) {
    await eventually(async () => {
      // Each worker answers some of them.
      for (let i = 0; i < 4; i += 1) {
        expect(await pathOn(controller, from, to)).toMatchObject(expected);
      }
    });
  }
}

const shownAs = ({ enrolled: { id, name } }: RoutingRouter): { id: string; name: string } => ({
  id,
  name,
});

const setLink = (id: string, input: object): Promise<unknown> =>
  net.controller.graphql(
    'mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) { id } }',
    { id, input },
  );

test('it has the cost, the routers and the links of the circuit that is dialed next', async () => {
  const [middle, far] = [await net.newRouter(), await net.newRouter()];
  const first = await link(net.router, middle);
  const last = await link(middle, far);
  // Two links that nobody has measured, each 1 + 65000 + 65000, and two routers of at least 10.
  await expectPath(net.router, far, {
    cost: 260_022,
    reason: null,
    routerIds: [net.router.id, middle.id, far.id],
    linkIds: [first, last],
    routers: [net.router, middle, far].map(shownAs),
    links: [
      { id: first, sourceRouter: { id: net.router.id } },
      { id: last, sourceRouter: { id: middle.id } },
    ] as never,
  });
  await net.bind(far);
  const { circuitId } = made(await net.router.dial(net.dial));
  await eventually(async () => {
    const { data } = await second.graphql(
      'query ($id: ID!) { circuit(id: $id) { path { routers { id } linkIds } } }',
      { id: circuitId },
    );
    expect(data).toEqual({
      circuit: {
        path: {
          routers: [net.router, middle, far].map(({ id }) => ({ id })),
          linkIds: [first, last],
        },
      },
    });
  });

  const direct = await link(net.router, far);
  await expectPath(net.router, far, { cost: 130_011, linkIds: [direct] });
  await setLink(direct, { down: true });
  await expectPath(net.router, far, { cost: 260_022, linkIds: [first, last] });
  await setLink(direct, { down: false, staticCost: 7 });
  await expectPath(net.router, far, { cost: 130_017, linkIds: [direct] });
  await expectPath(net.router, net.router, {
    cost: 0,
    routerIds: [net.router.id],
    linkIds: [],
    links: [],
  });
});

test('it takes the link that is chosen for a circuit where two cost the same', async () => {
  const other = await net.newRouter();
  await net.bind(other);
  const ids = [unique('b'), unique('a')];
  net.router.router.tell(CONTENT.routerLinks, messages.RouterLinks, {
    links: ids.map((id) => ({ id, destRouterId: other.id, linkProtocol: 'tls', iteration: 1 })),
  });
  await net.router.router.ask(CONTENT.ping);
  const { circuitId } = made(await net.router.dial(net.dial));
  const chosen = net.router.routes
    .filter((route) => route.circuitId === circuitId)
    .flatMap(({ forwards = [] }) => forwards)
    .find(({ dstType }) => dstType === 'Link')?.dstAddress;
  expect(ids).toContain(chosen);
  await expectPath(net.router, other, { linkIds: [String(chosen)] });
});

test('without a path it says why', async () => {
  const other = await net.newRouter();
  const none = { cost: null, routerIds: [], linkIds: [], routers: [], links: [] };
  await expectPath(net.router, other, {
    ...none,
    reason: `The router ${net.router.id} has no link that is up to a connected router.`,
  });
  await link(net.router, other);
  await expectPath(net.router, other, { reason: null });
  await other.router.close();
  await expectPath(net.router, other, {
    ...none,
    reason: `The router ${other.id} is not connected.`,
  });
  await net.controller.rest('DELETE', `/edge-routers/${other.id}`);
  await expectPath(net.router, other, {
    ...none,
    reason: `There is no router with the id ${other.id}.`,
  });
});

test('it is for those who may read links; the names of routers are for those who read routers', async () => {
  const other = await net.newRouter();
  await link(net.router, other);
  await expectPath(net.router, other, { reason: null });
  const ask = async (permissions: readonly string[]): Promise<unknown> => {
    const { token } = await loggedIn(
      net.controller,
      await newPerson(net.controller, { permissions }),
    );
    const answer = await net.controller.graphql(
      PATH.replace('sourceRouter { id }', ''),
      { from: net.router.id, to: other.id },
      { 'zt-session': token },
    );
    return (answer.errors ?? []).map((error) => [
      error.extensions.code,
      (error as unknown as { path: unknown }).path,
    ]);
  };
  expect(await ask(['router'])).toEqual([['UNAUTHORIZED', ['routerPath']]]);
  expect(await ask(['ops.read'])).toEqual([['UNAUTHORIZED', ['routerPath', 'routers']]]);
  expect(await ask(['ops.read', 'router.read'])).toEqual([]);
});
