import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  accessList,
  accessPage,
  accessTotal,
  AccessTotals,
} from '../../../src/access/analysis/index.js';
import type { AccessPair, AccessQuery } from '../../../src/access/analysis/index.js';
import { Bitset } from '../../../src/kernel/policy/index.js';
import type { PolicyIndex } from '../../../src/kernel/policy/index.js';
import {
  allPairs,
  applyTo,
  changesOf,
  IDS,
  indexOf,
  networkAfter,
  networkOf,
} from './random-network.js';
import { runs } from '../../support/runs.js';
import { toEnd } from '../../../src/base/slices.js';

interface Asked {
  readonly identities?: string[];
  readonly services?: string[];
  readonly type?: 'Dial' | 'Bind';
  readonly whereIdentities?: string[];
  readonly whereServices?: string[];
}

const some = fc.subarray(IDS, { minLength: 0 });
const one = fc.constantFrom(...IDS, 'nobody').map((id) => [id]);
const asked: fc.Arbitrary<Asked> = fc.record(
  {
    identities: fc.oneof(one, some),
    services: fc.oneof(one, some),
    type: fc.constantFrom('Dial' as const, 'Bind' as const),
    whereIdentities: some,
    whereServices: some,
  },
  { requiredKeys: [] },
);

function queryOf(index: PolicyIndex, given: Asked): AccessQuery {
  const ordinals = (kind: 'identity' | 'service', ids: string[]): Bitset =>
    Bitset.of(ids.flatMap((id) => index.ordinalOf(kind, id) ?? []));
  const { whereIdentities, whereServices, ...query } = given;
  return {
    ...query,
    where: {
      ...(whereIdentities && { identities: ordinals('identity', whereIdentities) }),
      ...(whereServices && { services: ordinals('service', whereServices) }),
    },
  };
}

const isAsked =
  ({ identities, services, type, whereIdentities, whereServices }: Asked) =>
  ([identity, service, granted]: [string, string, string]): boolean =>
    identities?.includes(identity) !== false &&
    services?.includes(service) !== false &&
    whereIdentities?.includes(identity) !== false &&
    whereServices?.includes(service) !== false &&
    (type === undefined || type === granted);

const asTuple = ({ identityId, serviceId, type }: AccessPair): [string, string, string] => [
  identityId,
  serviceId,
  type,
];

describe('the pairs asked for', () => {
  test('are those of the definition, in order, and their number is the total', () => {
    fc.assert(
      fc.property(networkOf(), asked, (rows, given) => {
        const index = indexOf(rows);
        const expected = allPairs(networkAfter(rows)).filter(isAsked(given));
        const list = toEnd(accessList(index, queryOf(index, given)));
        expect([...list].map(asTuple)).toEqual(expected);
        expect(list.totalCount).toBe(expected.length);
        expect(toEnd(accessTotal(index, queryOf(index, given)))).toBe(expected.length);
        const totals = new AccessTotals();
        expect(toEnd(totals.total(index, queryOf(index, given)))).toBe(expected.length);
      }),
      runs(30),
    );
  });

  test('come in pages that make up the whole', () => {
    fc.assert(
      fc.property(networkOf(), asked, fc.integer({ min: 1, max: 300 }), (rows, given, size) => {
        const index = indexOf(rows);
        const expected = allPairs(networkAfter(rows)).filter(isAsked(given));
        const query = queryOf(index, given);
        const list = toEnd(accessList(index, query));
        const found: [string, string, string][] = [];
        for (let after: AccessPair | undefined; ;) {
          const page = toEnd(accessPage(index, query, size, after));
          expect(list.page(size, after)).toEqual(page);
          found.push(...page.pairs.map(asTuple));
          expect(page.hasMore).toBe(found.length < expected.length);
          after = page.pairs.at(-1);
          if (!page.hasMore) break;
        }
        expect(found).toEqual(expected);
      }),
      runs(20),
    );
  });

  test('continue after a pair that is not there, whatever its ids', () => {
    const anywhere = fc.record({
      identityId: fc.constantFrom(...IDS, '', 'zz'),
      serviceId: fc.constantFrom(...IDS, '', 'zz'),
      type: fc.constantFrom('Dial' as const, 'Bind' as const),
    });
    const place = ({ identityId, serviceId, type }: AccessPair): Buffer =>
      Buffer.from(`${identityId}\0${serviceId}\0${type}`);
    fc.assert(
      fc.property(networkOf(), anywhere, (rows, after) => {
        const index = indexOf(rows);
        const expected = allPairs(networkAfter(rows)).filter(
          ([identityId, serviceId, type]) =>
            Buffer.compare(place({ identityId, serviceId, type }), place(after)) > 0,
        );
        const { pairs } = toEnd(accessPage(index, {}, 5000, after));
        expect(pairs.map(asTuple)).toEqual(expected);
        expect([...toEnd(accessList(index, {})).after(after)]).toEqual(pairs);
      }),
      runs(15),
    );
  });
});

describe('the total of all pairs', () => {
  test('follows the changes, of each type and of both', () => {
    fc.assert(
      fc.property(networkOf(), changesOf(5), (rows, changes) => {
        const index = indexOf(rows);
        const totals = new AccessTotals();
        const expectTotals = (pairs: [string, string, string][]): void => {
          expect(toEnd(totals.total(index, {}))).toBe(pairs.length);
          for (const type of ['Dial', 'Bind'] as const) {
            const ofType = pairs.filter(([, , granted]) => granted === type);
            expect(toEnd(totals.total(index, { type }))).toBe(ofType.length);
          }
        };
        expectTotals(allPairs(networkAfter(rows)));
        applyTo(index, changes);
        expectTotals(allPairs(networkAfter(rows, changes)));
      }),
      runs(15),
    );
  });

  test('is worked out once per version', () => {
    const index = indexOf([
      { kind: 'identity', id: 'i', value: { attributes: [] } },
      { kind: 'service', id: 's', value: { attributes: [] } },
    ]);
    const totals = new AccessTotals();
    const steps = (): number => {
      let count = 0;
      for (const work = totals.total(index, {}); work.next().done !== true;) count += 1;
      return count;
    };
    expect(steps()).toBeGreaterThan(0);
    expect(steps()).toBe(0);
    index.removeEntity('service', 's');
    expect(steps()).toBeGreaterThan(0);
  });
});
