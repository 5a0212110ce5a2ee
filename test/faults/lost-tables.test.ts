import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { textValue } from '../../src/network/control/header-values.js';
import { made, RoutingRouter, Traffic } from '../network/control/traffic-network.js';
import { eventually } from '../support/eventually.js';
import { EmbeddedController, writesAgain } from './embedded-controller.js';

/*
 * A database that crashes comes back without its volatile tables. Routers must connect again, and carry
 * meanwhile what they carried.
 */

let embedded: EmbeddedController;
let net: Traffic;

beforeAll(async () => {
  embedded = await EmbeddedController.start(undefined, { OVERGRAPH_WORKERS: '1' });
  net = await Traffic.at(Object.assign(embedded.api, { dataDir: embedded.folder }));
  await net.begin();
});
afterAll(async () => {
  await net.end();
  await embedded.stop();
});

interface Shown {
  readonly links: { readonly nodes: unknown[] };
  readonly circuits: { readonly nodes: unknown[] };
  readonly edgeRouters: { readonly nodes: unknown[] };
}

async function shown(): Promise<Shown> {
  const { data } = await net.controller.graphql(`{
    links { nodes { id staticCost } } circuits { nodes { id path { linkIds } } }
    edgeRouters { nodes { id isOnline } }
  }`);
  return data;
}

/** The header of a router that was running before it connected. */
const RUNNING = new Map([[0, textValue('the connection before')]]);

/** Connects again, as routers do when their connection is ended. */
async function again(of: RoutingRouter): Promise<RoutingRouter> {
  await of.router.closed;
  const { value } = await eventually(() =>
    RoutingRouter.connect(embedded.api, of.enrolled, { headers: RUNNING }),
  );
  net.routers.push(value);
  return value;
}

test('links, circuits and routers are shown again, and traffic can be controlled', async () => {
  const { other, linkId, circuitId } = await net.overLink();
  const routers = [net.router, other].map(({ id }) => ({ id, isOnline: true }));
  const expected = {
    links: { nodes: [{ id: linkId, staticCost: 1 }] },
    circuits: { nodes: [{ id: circuitId, path: { linkIds: [linkId] } }] },
    edgeRouters: { nodes: expect.arrayContaining(routers) },
  };
  await eventually(async () => {
    expect(await shown()).toEqual(expected);
  });

  process.kill(await embedded.postmaster(), 'SIGKILL');
  const first = await again(net.router);
  const last = await again(other);
  await writesAgain(embedded.api);
  await eventually(async () => {
    expect(await shown()).toEqual(expected);
  });
  // The circuit runs on meanwhile.
  expect([...first.unroutes, ...last.unroutes]).toStrictEqual([]);

  const second = made(await first.dial(net.dial));
  expect(second.circuitId).not.toBe(circuitId);
  await net.controller.graphql('mutation ($id: ID!) { deleteCircuit(id: $id) }', { id: circuitId });
  await eventually(async () => {
    expect(last.unroutes.map((unroute) => unroute.circuitId)).toStrictEqual([circuitId]);
    expect((await shown()).circuits.nodes).toMatchObject([{ id: second.circuitId }]);
  });
});
