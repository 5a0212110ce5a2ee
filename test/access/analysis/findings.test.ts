import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  findings,
  findingsDiff,
  FINDING_KIND,
  ModelOverlay,
  NO_FINDING_FACTS,
  simulate,
  type AccessModel,
  type FoundFinding,
  type FindingKind,
  type RowChange,
} from '../../../src/access/analysis/index.js';
import {
  areNearDuplicates,
  nearDuplicates,
} from '../../../src/access/analysis/findings/near-duplicates.js';
import {
  pendingValue,
  type AnyPolicyValue,
  type EntityKind,
  type EntityValue,
  type PolicyKind,
  type Side,
} from '../../../src/kernel/policy/index.js';
import { ALL_SIDES, sideKind, type Network } from '../../kernel/policy/network.js';
import {
  allPairs,
  byBytesOf,
  changesOf,
  indexOf,
  isForPending,
  isMember,
  networkAfter,
  networkOf,
  pairsThrough,
} from './random-network.js';
import { factsIn, rowsOf, type TableFacts, type TableNetwork } from './table-network.js';
import { runs } from '../../support/runs.js';
import { toEnd } from '../../../src/base/slices.js';

interface Table {
  base: TableNetwork;
  cases: (TableFacts & {
    it: string;
    with: TableNetwork;
    /** The one kind that is looked at; default: all. */
    only?: FindingKind;
    findings: unknown[];
  })[];
  nearDuplicates: [string, string, boolean][];
}

const table = JSON.parse(readFileSync(new URL('findings.json', import.meta.url), 'utf8')) as Table;

const findingsIn = (model: AccessModel, kinds?: readonly FindingKind[]): FoundFinding[] =>
  toEnd(findings(model, NO_FINDING_FACTS, kinds));

describe('findings', () => {
  test.each(table.cases)('$it', (given) => {
    const index = indexOf([...rowsOf(table.base), ...rowsOf(given.with)]);
    const facts = factsIn(given);
    expect(
      toEnd(findings(index, facts, given.only && [given.only])).map(
        ({ kind, severity, entities, about, changes }) => [
          kind,
          severity,
          entities.map(({ id }) => id),
          about ?? null,
          changes,
        ],
      ),
    ).toEqual(given.findings);
  });

  test('are those of going through the whole network', () => {
    fc.assert(
      fc.property(networkOf(), (rows) => {
        const network = networkAfter(rows);
        const all = findingsIn(indexOf(rows));
        for (const [kind, expected] of Object.entries(expectedFindings(network))) {
          const subjects = all
            .filter((finding) => finding.kind === kind)
            .map(({ entities, side, about }) =>
              [entities[0]?.kind, entities[0]?.id, kind === 'ROLE_MATCHES_NOTHING' && side, about]
                .filter(Boolean)
                .join(' '),
            );
          expect([kind, subjects.sort()]).toEqual([kind, expected.sort()]);
        }
      }),
      runs(20),
    );
  });

  test('come in the order of their kinds, and of single kinds when asked', () => {
    fc.assert(
      fc.property(networkOf(), fc.subarray([...FINDING_KIND.values]), (rows, kinds) => {
        const index = indexOf(rows);
        const all = findingsIn(index);
        const places = all.map(({ kind }) => FINDING_KIND.values.indexOf(kind));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(findingsIn(index, kinds)).toEqual(all.filter(({ kind }) => kinds.includes(kind)));
        expect(findingsIn(indexOf(rows.toReversed()))).toEqual(all);
      }),
      runs(10),
    );
  });

  test('vanish with the change they propose, which leaves access as it is', () => {
    fc.assert(
      fc.property(networkOf(), (rows) => {
        const index = indexOf(rows);
        const all = findingsIn(index);
        const resolvable = all.filter(({ changes }) => changes.length > 0);
        for (const finding of resolvable.slice(0, 12)) {
          const outcome = toEnd(simulate(index, finding.changes));
          const { vanished } = findingsDiff(all, findingsIn(outcome.after));
          expect(vanished).toContainEqual(finding);
          if (finding.kind === 'NEAR_DUPLICATE_ATTRIBUTE') continue;
          const { gained, lost, identityRouters, serviceRouters } = outcome;
          for (const pairs of [
            gained,
            lost,
            identityRouters.gained,
            identityRouters.lost,
            serviceRouters.gained,
            serviceRouters.lost,
          ]) {
            expect(pairs.totalCount).toBe(0);
          }
        }
        const implied = all.filter(({ kind }) => /^(DUPLICATE|SHADOWED)/.test(kind));
        const outcome = toEnd(
          simulate(
            index,
            implied.flatMap(({ changes }) => changes),
          ),
        );
        expect(outcome.lost.totalCount).toBe(0);
        expect(outcome.identityRouters.lost.totalCount).toBe(0);
      }),
      runs(10),
    );
  });

  test('that a change makes appear and vanish are told apart', () => {
    fc.assert(
      fc.property(networkOf(), changesOf(5), (rows, changes) => {
        const before = indexOf(rows);
        const after = new ModelOverlay(before);
        for (const change of changes) after.apply(change);
        const { appeared, vanished } = findingsDiff(findingsIn(before), findingsIn(after));
        const reversed = findingsDiff(findingsIn(after), findingsIn(before));
        expect(reversed).toEqual({ appeared: vanished, vanished: appeared });
        expect(findingsIn(after)).toEqual(findingsIn(indexOf([...rows, ...changes])));
      }),
      runs(10),
    );
  });
});

/** What findings are about, by definition: kind and id of the entity, side and role or attribute. */
function expectedFindings(network: Network): Partial<Record<FindingKind, string[]>> {
  const policies = (
    ['servicePolicy', 'edgeRouterPolicy', 'serviceEdgeRouterPolicy'] as const
  ).flatMap((kind) => [...network.policies[kind].values()].map((policy) => ({ kind, policy })));
  const sides = (kind: PolicyKind): Side[] =>
    ALL_SIDES.filter((s) => s.kind === kind).map(({ side }) => side);
  const granting = (kind: PolicyKind): Side[] => sides(kind).filter((s) => s !== 'postureChecks');
  const pairs = allPairs(network);
  const services = [...network.entities.service.keys()];
  const notReached = (type: string): string[] =>
    services
      .filter((id) => !pairs.some(([, service, t]) => service === id && t === type))
      .map((id) => `service ${id}`);
  return {
    ROLE_MATCHES_NOTHING: policies.flatMap(({ kind, policy }) =>
      sides(kind).flatMap((side) =>
        (policy.roles[side] ?? [])
          .filter((role) => role !== '#all')
          .filter((role) => !isForPending(side, [role]))
          .filter((role) => {
            const isAwaited = network.entities.identity.get(role.slice(1))?.onceApproved;
            if (side === 'identities' && role.startsWith('@') && isAwaited) return false;
            const alone = { ...policy, roles: { [side]: [role] } };
            return network.members(alone, kind, side).length === 0;
          })
          .map((role) => `${kind} ${policy.id} ${side} ${role}`),
      ),
    ),
    POLICY_GRANTS_NOTHING: policies
      .filter(({ kind, policy }) =>
        granting(kind).some(
          (side) =>
            !isForPending(side, policy.roles[side] ?? []) &&
            network.members(policy, kind, side).length === 0,
        ),
      )
      .map(({ kind, policy }) => `${kind} ${policy.id}`),
    OVERBROAD_POLICY: policies
      .filter(({ kind, policy }) =>
        granting(kind).some((side) => policy.roles[side]?.includes('#all')),
      )
      .map(({ kind, policy }) => `${kind} ${policy.id}`),
    UNUSED_POSTURE_CHECK: [...network.entities.postureCheck.values()]
      .filter((check) => !policies.some(({ policy }) => isMember(policy, 'postureChecks', check)))
      .map(({ id }) => `postureCheck ${id}`),
    SERVICE_NOBODY_DIALS: notReached('Dial'),
    SERVICE_NOBODY_HOSTS: notReached('Bind'),
    IDENTITY_WITHOUT_ROUTER: withoutRouter(network),
    ATTRIBUTE_USED_ONCE: usedOnce(network),
  };
}

function withoutRouter(network: Network): string[] {
  const routersOf = (kind: 'edgeRouterPolicy' | 'serviceEdgeRouterPolicy', id: string): string[] =>
    through[kind].filter(([from]) => from === id).map(([, router]) => router);
  const through = {
    edgeRouterPolicy: pairsThrough(network, 'edgeRouterPolicy'),
    serviceEdgeRouterPolicy: pairsThrough(network, 'serviceEdgeRouterPolicy'),
  };
  const reached = new Map<string, Set<string>>();
  for (const [identity, service] of allPairs(network)) {
    reached.set(identity, (reached.get(identity) ?? new Set<string>()).add(service));
  }
  return [...reached]
    .filter(([identity, services]) => {
      const mine = new Set(routersOf('edgeRouterPolicy', identity));
      return [...services].every((service) =>
        routersOf('serviceEdgeRouterPolicy', service).every((router) => !mine.has(router)),
      );
    })
    .map(([identity]) => `identity ${identity}`);
}

function usedOnce(network: Network): string[] {
  const kinds: EntityKind[] = ['identity', 'service', 'edgeRouter', 'postureCheck'];
  return kinds.flatMap((kind) =>
    [...network.entities[kind].values()].flatMap((entity) =>
      entity.attributes
        .filter((name) => {
          if (kind === 'identity' && name === 'pending') return false;
          const others = [...network.entities[kind].values()].filter((other) => other !== entity);
          const isNamed = ALL_SIDES.filter((s) => sideKind(s.kind, s.side) === kind).some((s) =>
            [...network.policies[s.kind].values()].some((policy) =>
              // The role #all is everybody, not the attribute.
              policy.roles[s.side]?.includes(name === 'all' ? 'none' : `#${name}`),
            ),
          );
          return !isNamed && !others.some(({ attributes }) => attributes.includes(name));
        })
        .map((name) => `${kind} ${entity.id} ${name}`),
    ),
  );
}

describe('a policy that another one implies', () => {
  const SMALL = {
    identity: 3,
    service: 2,
    edgeRouter: 2,
    postureCheck: 2,
    servicePolicy: 14,
    edgeRouterPolicy: 3,
    serviceEdgeRouterPolicy: 3,
  };

  test('is one whose every possible member the other one has', () => {
    fc.assert(
      fc.property(networkOf(SMALL), (rows) => {
        const network = networkAfter(rows);
        const implied = findingsIn(indexOf(rows), ['DUPLICATE_POLICY', 'SHADOWED_POLICY']).map(
          ({ kind, entities }) => [kind, entities[0]?.kind, entities[0]?.id, entities[1]?.id],
        );
        expect(implied.sort()).toEqual(expectedImplied(network, rows).sort());
      }),
      runs(20),
    );
  });
});

/** Every entity there could be: each known id, and a stranger, with any of the attributes. */
function possibleEntities(rows: readonly RowChange[]): EntityValue[] {
  const texts = JSON.stringify(rows);
  const names = ['pending', 'a', 'b', 'c', 'd', 'e', 'f', '#odd'].filter((name) =>
    texts.includes(`"#${name}"`),
  );
  const ids = [...new Set([...texts.matchAll(/"@([^"]*)"/g)].map(([, id]) => id ?? '')), '?'];
  const subsets = names.reduce<string[][]>(
    (lists, name) => [...lists, ...lists.map((list) => [...list, name])],
    [[]],
  );
  return ids.flatMap((id) => [
    { id, ...pendingValue({ attributes: [] }) },
    ...subsets.map((attributes) => ({ id, attributes })),
  ]);
}

function expectedImplied(network: Network, rows: readonly RowChange[]): unknown[] {
  const universe = possibleEntities(rows);
  const members = new Map<string, Set<number>>();
  const membersOf = (policy: AnyPolicyValue, side: Side): Set<number> => {
    const isOfIdentities = side === 'identities';
    const key = JSON.stringify([policy.semantic, policy.roles[side], isOfIdentities]);
    const known = members.get(key);
    if (known) return known;
    const places = universe.flatMap((entity, i) =>
      // Only identities can be pending.
      (isOfIdentities || !entity.onceApproved) && isMember(policy, side, entity) ? [i] : [],
    );
    members.set(key, new Set(places));
    return new Set(places);
  };
  const isWithin = (inner: AnyPolicyValue, outer: AnyPolicyValue, side: Side): boolean => {
    const all = membersOf(outer, side);
    return [...membersOf(inner, side)].every((place) => all.has(place));
  };
  return (['servicePolicy', 'edgeRouterPolicy', 'serviceEdgeRouterPolicy'] as const).flatMap(
    (kind) => {
      const sides = ALL_SIDES.filter((s) => s.kind === kind && s.side !== 'postureChecks');
      const policies = [...network.policies[kind].values()].sort((a, b) => (a.id < b.id ? -1 : 1));
      const isEmpty = (p: AnyPolicyValue): boolean =>
        sides.some(({ side }) => membersOf(p, side).size === 0);
      const implies = (p: AnyPolicyValue, q: AnyPolicyValue): boolean =>
        p.type === q.type &&
        sides.every(({ side }) => isWithin(p, q, side)) &&
        isWithin(q, p, 'postureChecks');
      const candidates = policies.filter((policy) => !isEmpty(policy));
      const isTop = (p: AnyPolicyValue): boolean =>
        candidates.every((q) => !implies(p, q) || implies(q, p));
      return candidates.flatMap((p): unknown[] => {
        const above = byBytesOf(
          candidates.filter((q) => implies(p, q) && !implies(q, p) && isTop(q)),
        );
        const equal = byBytesOf(candidates.filter((q) => implies(p, q) && implies(q, p)));
        if (above[0] !== undefined) return [['SHADOWED_POLICY', kind, p.id, above[0]]];
        return equal[0] === p.id ? [] : [['DUPLICATE_POLICY', kind, p.id, equal[0]]];
      });
    },
  );
}

describe('policies that are redundant today', () => {
  const TODAY: readonly FindingKind[] = ['POLICY_REDUNDANT_TODAY', 'POLICY_COVERED_TODAY'];

  test('can all go, and no policy that is needed or implied is among them', () => {
    fc.assert(
      fc.property(networkOf(), (rows) => {
        const index = indexOf(rows);
        const implied = findingsIn(index, ['DUPLICATE_POLICY', 'SHADOWED_POLICY']);
        const redundant = findingsIn(index, TODAY);
        const subjects = [...implied, ...redundant].flatMap(({ entities }) => entities.slice(0, 1));
        expect(new Set(subjects.map(({ kind, id }) => `${kind} ${id}`)).size).toBe(subjects.length);
        const outcome = toEnd(
          simulate(
            index,
            subjects.map(({ kind, id }) => ({ kind, id, value: null }) as RowChange),
          ),
        );
        for (const pairs of [outcome.gained, outcome.lost]) expect(pairs.totalCount).toBe(0);
        for (const pairs of [outcome.identityRouters, outcome.serviceRouters]) {
          expect(pairs.gained.totalCount + pairs.lost.totalCount).toBe(0);
        }
        // Of those that stay, each that grants something and asks for no check grants it alone.
        const { after } = outcome;
        expect(findingsIn(after, TODAY)).toEqual([]);
      }),
      runs(30),
    );
  });
});

describe('near duplicates', () => {
  test.each(table.nearDuplicates)('%s and %s: %s', (a, b, expected) => {
    expect(areNearDuplicates(a, b)).toBe(expected);
    expect(areNearDuplicates(b, a)).toBe(expected);
  });

  test('are found without comparing all pairs', () => {
    const name = fc
      .array(fc.constantFrom('a', 'b', 'B', 'é', '-', '1', 'staff', 'site', 'host'), {
        minLength: 1,
        maxLength: 6,
      })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 60, size: 'max' }), (names) => {
        const expected = names.flatMap((a, i) =>
          names.slice(i + 1).flatMap((b) => (areNearDuplicates(a, b) ? [[a, b].sort()] : [])),
        );
        expect(nearDuplicates(names).sort()).toEqual(expected.sort());
      }),
      runs(50),
    );
  });

  test('within one word are one step of the Damerau-Levenshtein distance apart', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 8 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(areNearDuplicates(a, b)).toBe(distance(a, b) === 1);
      }),
      runs(500),
    );
  });
});

/** Insertions, deletions, substitutions and exchanges of neighbours, by the usual table. */
function distance(a: string, b: string): number {
  const rows: number[][] = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (__, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const row = rows[i] ?? [];
      const changed = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + changed);
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return at(a.length, b.length);
}
