import { beforeEach, expect, test } from '@jest/globals';
import type { Circuit } from '../../../src/network/fabric/circuit.js';
import { Links } from '../../../src/network/fabric/links.js';
import { Paths } from '../../../src/network/fabric/paths.js';
import { moveDearCircuits } from '../../../src/network/fabric/smart-rerouting.js';

/* Three routers, each linked with the others by links of cost 1; circuits go from a to b. */

let links: Links;
let paths: Paths;

beforeEach(() => {
  links = new Links({
    onCosts: (one, other) => {
      paths.linksChanged(one, other);
    },
    stored: { put: () => undefined, remove: () => undefined },
    now: () => new Date(0),
  });
  paths = new Paths((one, other) => links.cheapest(one, other));
  for (const id of ['a', 'b', 'c']) paths.setRouter({ id, cost: 0, noTraversal: false });
  link('a', 'b');
  link('a', 'c');
  link('c', 'b');
});

function link(from: string, to: string): void {
  const id = `${from}${to}`;
  const facts = { iteration: 1, protocol: 'tls', dialAddress: '', connections: [] };
  links.report(from, [{ id, destinationId: to, ...facts }]);
  for (const end of [from, to]) links.measured(end, id, 0);
}

const circuit = (id: string, routerIds = ['a', 'b']): Circuit => ({
  id,
  sessionId: '',
  serviceId: '',
  identityId: '',
  hostId: '',
  terminatorId: '',
  instanceId: '',
  binding: 'edge',
  routerIds,
  linkIds: routerIds.slice(1).map((to, i) => `${routerIds[i] ?? ''}${to}`),
  ingress: '',
  egress: '',
  createdAt: new Date(0),
});

/** The ids of the circuits that are moved. */
async function moved(...all: readonly Circuit[]): Promise<string[]> {
  const ids: string[] = [];
  const circuits = {
    all: () => [...all],
    rerouteAll: (those: readonly Circuit[]) => {
      ids.push(...those.map(({ id }) => id));
      return Promise.resolve();
    },
  };
  await moveDearCircuits({ circuits, paths, links });
  return ids;
}

test('a circuit on the cheapest path stays', async () => {
  expect(await moved(circuit('one'))).toEqual([]);
});

// Over c it costs 1 + 10 + 1 + 10, and over the link of a and b its cost and 10.
test.each([
  [26, []],
  [27, ['one']],
])('of a link that costs %i now, %j leave', async (staticCost, expected) => {
  links.set('ab', { staticCost });
  expect(await moved(circuit('one'))).toEqual(expected);
});

test('a latency counts like a cost by hand', async () => {
  links.measured('a', 'ab', 50);
  expect(await moved(circuit('one'))).toEqual(['one']);
});

test('the circuits that gain most move first, and only one of a few', async () => {
  links.set('ab', { staticCost: 100 });
  links.set('ac', { staticCost: 40 });
  // Its path is dearer by far than that of the others.
  link('b', 'a');
  expect(await moved(circuit('direct'), circuit('over c', ['a', 'c', 'b']))).toEqual(['direct']);
});

test('of a thousand circuits four move at once', async () => {
  links.set('ab', { staticCost: 100 });
  const all = Array.from({ length: 1_000 }, (_, i) => circuit(String(i)));
  expect(await moved(...all)).toEqual(['0', '1', '2', '3']);
});

test('a circuit over a link that is gone, or within one router, is left alone', async () => {
  links.set('ab', { staticCost: 100 });
  links.remove('ab');
  expect(await moved(circuit('gone'), circuit('within', ['a']))).toEqual([]);
});
