import { expect, test } from '@jest/globals';
import { chooseTerminator, type Candidate } from '../../../src/network/fabric/choose-terminator.js';
import { TerminatorCosts } from '../../../src/network/fabric/terminator-costs.js';

/* Which terminator of a service a dial gets. */

const PATH = { routerIds: ['r'], linkIds: [], cost: 0 };

const candidate = (
  id: string,
  cost: number,
  precedence: Candidate['terminator']['precedence'] = 'default',
): Candidate => ({
  terminator: {
    id,
    routerId: 'r',
    binding: 'edge',
    address: id,
    hostId: 'h',
    cost,
    precedence,
    peerData: {},
  },
  path: PATH,
  cost,
});

/** How often each is chosen, of a thousand times with evenly spread random numbers. */
function shares(candidates: readonly Candidate[], strategy: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let i = 0; i < 1_000; i += 1) {
    const wish = { strategy, stickyId: '', random: () => (i + 0.5) / 1_000 };
    const id = chooseTerminator(candidates, wish)?.terminator.id ?? 'none';
    counts[id] = (counts[id] ?? 0) + 1;
  }
  return counts;
}

test.each([
  ['smartrouting', { a: 500, b: 500 }],
  ['sticky', { a: 500, b: 500 }],
  ['random', { a: 250, b: 250, c: 250, d: 250 }],
  ['weighted', { a: 364, b: 364, c: 182, d: 90 }],
])('%s shares dials among terminators of the costs 10, 10, 20 and 40', (strategy, expected) => {
  const some = [candidate('d', 40), candidate('a', 10), candidate('b', 10), candidate('c', 20)];
  const counts = shares([...some, candidate('failed', 0, 'failed')], strategy);
  expect(Object.keys(counts).sort()).toEqual(Object.keys(expected));
  for (const [id, count] of Object.entries(expected)) {
    expect(Math.abs((counts[id] ?? 0) - count)).toBeLessThan(3);
  }
});

test('without candidates there is none', () => {
  const wish = { strategy: 'weighted', stickyId: '', random: () => 0 };
  expect(chooseTerminator([], wish)).toBeUndefined();
});

test('circuits and failures make a terminator dearer; failures are forgotten with time', () => {
  let now = 0;
  const stored = Promise.resolve();
  const costs = new TerminatorCosts({
    now: () => new Date(now),
    table: { put: () => stored, remove: () => stored, take: () => Promise.resolve([]) },
    onError: () => undefined,
  });
  expect(costs.of('t')).toBe(0);
  costs.succeeded('t');
  costs.succeeded('t');
  expect(costs.of('t')).toBe(4);
  costs.failed('t');
  expect(costs.of('t')).toBe(24);
  now += 60_000;
  expect(costs.of('t')).toBe(14);
  now += 10 * 60_000;
  expect(costs.of('t')).toBe(4);
  costs.ended('t');
  costs.ended('t');
  costs.ended('t');
  expect(costs.of('t')).toBe(0);
});
