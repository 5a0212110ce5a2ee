import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { revocation } from '../../../src/access/analysis/index.js';
import type {
  AccessPair,
  Revocation,
  RowChange,
  WhatIfChange,
} from '../../../src/access/analysis/index.js';
import type { AnyPolicyValue, ServicePolicyType } from '../../../src/kernel/policy/index.js';
import type { Network } from '../../kernel/policy/network.js';
import { IDS, indexOf, networkAfter, networkOf, sortedByBytes } from './random-network.js';
import { granted, keyOf, policiesOf, RUNS, SIDES, worlds, type Pair } from './used-worlds.js';
import { runs } from '../../support/runs.js';
import { toEnd } from '../../../src/base/slices.js';

/** The changes that take marked access away, against the definitions. */

const SMALL = {
  identity: 4,
  service: 4,
  edgeRouter: 1,
  postureCheck: 2,
  servicePolicy: 5,
  edgeRouterPolicy: 1,
  serviceEdgeRouterPolicy: 1,
};

const keyOfPair = ({ identityId, serviceId, type }: AccessPair): string =>
  keyOf([identityId, serviceId, type]);

const pairOf = ([identityId, serviceId, type]: Pair): AccessPair => ({
  identityId,
  serviceId,
  type,
});

const policyRow = (
  id: string,
  type: ServicePolicyType,
  identities: string[],
  services: string[],
): RowChange => ({
  kind: 'servicePolicy',
  id,
  value: { type, semantic: 'AnyOf', roles: { identities, services, postureChecks: [] } },
});

const changedPolicies = ({ changes }: Revocation): Map<string, WhatIfChange> =>
  new Map(changes.map((change) => [change.id, change]));

/** A policy after a change of it; undefined: it is deleted. */
function after(
  policy: AnyPolicyValue,
  change: WhatIfChange | undefined,
): AnyPolicyValue | undefined {
  if (!change) return policy;
  if (!('update' in change)) {
    expect(change.value).toBeNull();
    return undefined;
  }
  return {
    ...policy,
    roles: { ...policy.roles, ...('roles' in change.update ? change.update.roles : {}) },
  };
}

const grantedBy = (network: Network, policies: readonly (AnyPolicyValue | undefined)[]) =>
  new Set(policies.flatMap((policy) => granted(network, policy).map(keyOf)));

interface Judged {
  readonly network: Network;
  readonly answer: Revocation;
  readonly marked: ReadonlySet<string>;
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
  readonly remaining: ReadonlySet<string>;
  readonly collateral: readonly string[];
}

function judge(rows: readonly RowChange[], pairs: readonly Pair[]): Judged {
  const network = networkAfter(rows);
  const answer = toEnd(revocation(indexOf(rows), pairs.map(pairOf)));
  const changes = changedPolicies(answer);
  const policies = policiesOf(network);
  const marked = new Set(pairs.map(keyOf));
  const before = grantedBy(network, policies);
  const afterwards = grantedBy(
    network,
    policies.map((policy) => after(policy, changes.get(policy.id))),
  );
  return {
    network,
    answer,
    marked,
    before,
    after: afterwards,
    remaining: new Set(answer.remaining.map(keyOfPair)),
    collateral: [...before].filter((key) => !marked.has(key) && !afterwards.has(key)),
  };
}

const smallWorlds = fc.tuple(
  networkOf(SMALL),
  fc.uniqueArray(
    fc.tuple(
      fc.constantFrom(...IDS.slice(0, 4)),
      fc.constantFrom(...IDS.slice(0, 4), 'deleted'),
      fc.constantFrom<ServicePolicyType>('Dial', 'Bind'),
    ),
    { maxLength: 8, selector: keyOf },
  ),
);

const allWorlds: fc.Arbitrary<[RowChange[], Pair[]]> = fc.oneof(
  smallWorlds.map(([rows, pairs]): [RowChange[], Pair[]] => [rows, pairs]),
  worlds,
);

describe('the changes', () => {
  test('take each marked pair away, unless it is among those that remain', () => {
    fc.assert(
      fc.property(allWorlds, ([rows, pairs]) => {
        const { answer, marked, before, after: afterwards, remaining } = judge(rows, pairs);
        const wanted = [...marked].filter((key) => before.has(key));
        expect(answer.grantedCount).toBe(wanted.length);
        const stillGranted = wanted.filter((key) => afterwards.has(key));
        expect(stillGranted.sort()).toEqual([...remaining].sort());
      }),
      RUNS,
    );
  });

  test('grant nothing', () => {
    fc.assert(
      fc.property(allWorlds, ([rows, pairs]) => {
        const { before, after: afterwards } = judge(rows, pairs);
        expect([...afterwards].filter((key) => !before.has(key))).toEqual([]);
      }),
      RUNS,
    );
  });

  test('edit each policy that grants a marked pair which does not remain, once, and no other', () => {
    fc.assert(
      fc.property(allWorlds, ([rows, pairs]) => {
        const { network, answer, marked, remaining } = judge(rows, pairs);
        const toEdit = policiesOf(network)
          .filter((policy) =>
            granted(network, policy)
              .map(keyOf)
              .some((key) => marked.has(key) && !remaining.has(key)),
          )
          .map(({ id }) => id);
        expect(answer.changes.map(({ id }) => id).sort()).toEqual(toEdit.sort());
        expect(answer.changes.every(({ kind }) => kind === 'servicePolicy')).toBe(true);
      }),
      RUNS,
    );
  });

  test('name the policies that keep what remains, in the order of pairs', () => {
    fc.assert(
      fc.property(allWorlds, ([rows, pairs]) => {
        const { network, answer } = judge(rows, pairs);
        const changes = changedPolicies(answer);
        for (const pair of answer.remaining) {
          const keeping = policiesOf(network)
            .filter((policy) => grantedBy(network, [policy]).has(keyOfPair(pair)))
            .filter((policy) =>
              grantedBy(network, [after(policy, changes.get(policy.id))]).has(keyOfPair(pair)),
            )
            .map(({ id }) => id);
          expect(pair.policyIds.length).toBeGreaterThan(0);
          expect(pair.policyIds).toEqual(sortedByBytes(keeping));
        }
        const ids = answer.remaining.map(({ identityId }) => identityId);
        expect(ids).toEqual(sortedByBytes(ids));
      }),
      RUNS,
    );
  });

  test('keep `#all`, and replace roles by at most 50 ids on a side', () => {
    fc.assert(
      fc.property(allWorlds, ([rows, pairs]) => {
        const { network, answer } = judge(rows, pairs);
        for (const policy of policiesOf(network)) {
          const next = after(policy, changedPolicies(answer).get(policy.id));
          if (!next) continue;
          for (const side of SIDES) {
            const [old, now] = [policy.roles[side] ?? [], next.roles[side] ?? []];
            expect(now.includes('#all')).toBe(old.includes('#all'));
            expect(now.filter((role) => role.startsWith('#') && !old.includes(role))).toEqual([]);
            expect(now.filter((role) => !old.includes(role)).length).toBeLessThanOrEqual(50);
            expect(new Set(now).size).toBe(now.length);
          }
        }
      }),
      RUNS,
    );
  });
});

/** All subsets of a few items. */
const subsets = <T>(items: readonly T[]): T[][] =>
  items.reduce<T[][]>((all, item) => [...all, ...all.map((one) => [...one, item])], [[]]);

/** The pairs of the parts of a policy that an edit of it may keep: no part of `#all`. */
function keptParts(network: Network, policy: AnyPolicyValue): Set<string>[] {
  const sides = SIDES.map((side) => {
    const members = network.members(policy, 'servicePolicy', side);
    return (policy.roles[side] ?? []).includes('#all') ? [[], members] : subsets(members);
  });
  const [identities = [], services = []] = sides;
  return identities.flatMap((kept) =>
    services.map(
      (reached) =>
        new Set(
          kept.flatMap((identityId) =>
            reached.map((serviceId) => keyOf([identityId, serviceId, policy.type ?? 'Dial'])),
          ),
        ),
    ),
  );
}

/** The fewest unmarked pairs that an edit of one policy loses, when the others grant `others`. */
function fewestLost(
  { network, marked }: Judged,
  policy: AnyPolicyValue,
  others: ReadonlySet<string>,
): number {
  const all = granted(network, policy).map(keyOf);
  const costs = keptParts(network, policy)
    .filter((kept) => ![...kept].some((key) => marked.has(key)))
    .map(
      (kept) => all.filter((key) => !kept.has(key) && !marked.has(key) && !others.has(key)).length,
    );
  return Math.min(...costs);
}

/** Without identities that are pending: no id in place of a role selects them, so an edit loses all of them. */
const approvedWorlds = smallWorlds.map(([rows, pairs]): [RowChange[], Pair[]] => [
  rows.map((row) =>
    row.kind === 'identity' && row.value?.onceApproved
      ? { ...row, value: row.value.onceApproved }
      : row,
  ),
  pairs,
]);

describe('the collateral', () => {
  test('is the least possible where one policy is edited', () => {
    let count = 0;
    fc.assert(
      fc.property(approvedWorlds, ([rows, pairs]) => {
        const judged = judge(rows, pairs);
        const { network, answer, remaining } = judged;
        const [only, ...more] = answer.changes;
        if (!only || more.length > 0 || remaining.size > 0) return;
        count += 1;
        const policies = policiesOf(network);
        const policy = policies.find(({ id }) => id === only.id);
        if (!policy) throw new Error('no such policy');
        const others = grantedBy(
          network,
          policies.filter((one) => one !== policy),
        );
        expect(judged.collateral).toHaveLength(fewestLost(judged, policy, others));
      }),
      runs(300),
    );
    expect(count).toBeGreaterThan(5);
  });

  test('can not be made smaller by another edit of one policy', () => {
    fc.assert(
      fc.property(approvedWorlds, ([rows, pairs]) => {
        const judged = judge(rows, pairs);
        const { network, answer, marked, remaining } = judged;
        const open = new Set([...marked].filter((key) => !remaining.has(key)));
        const changes = changedPolicies(answer);
        const policies = policiesOf(network);
        for (const policy of policies.filter(({ id }) => changes.has(id))) {
          const others = grantedBy(
            network,
            policies.flatMap((one) =>
              one === policy ? [] : (after(one, changes.get(one.id)) ?? []),
            ),
          );
          const now = grantedBy(network, [after(policy, changes.get(policy.id))]);
          const lost = granted(network, policy)
            .map(keyOf)
            .filter((key) => !open.has(key) && !others.has(key) && !now.has(key));
          expect(lost.length).toBe(fewestLost({ ...judged, marked: open }, policy, others));
        }
      }),
      runs(200),
    );
  });

  test('is none where policies can share the work', () => {
    // Both grant ada and bob the wiki and mail: one gives up the row of ada, the other the column.
    const entity = (kind: 'identity' | 'service', id: string): RowChange => ({
      kind,
      id,
      value: { attributes: [] },
    });
    const both = (id: string): RowChange =>
      policyRow(id, 'Dial', ['@ada', '@bob'], ['@wiki', '@mail']);
    const rows = [
      entity('identity', 'ada'),
      entity('identity', 'bob'),
      entity('service', 'wiki'),
      entity('service', 'mail'),
      both('p'),
      both('q'),
    ];
    const { answer, collateral } = judge(rows, [['ada', 'wiki', 'Dial']]);
    expect(answer.changes).toHaveLength(2);
    expect(collateral).toEqual([]);
  });
});

describe('an exact edit', () => {
  const people = Array.from({ length: 60 }, (_, i) => `p${String(i)}`);
  const rowsOf = (identities: string[], services: string[]): RowChange[] => [
    ...people.map((id, i): RowChange => ({
      kind: 'identity',
      id,
      value: { attributes: ['all of us', ...(i < 51 ? ['most'] : []), ...(i < 10 ? ['few'] : [])] },
    })),
    ...['wiki', 'mail'].map((id): RowChange => ({
      kind: 'service',
      id,
      value: { attributes: ['docs'] },
    })),
    policyRow('p', 'Dial', identities, services),
  ];
  const row = (person: string): Pair[] => [
    [person, 'wiki', 'Dial'],
    [person, 'mail', 'Dial'],
  ];

  test('removes an id', () => {
    const { answer, collateral } = judge(rowsOf(['@p0', '@p1', '@gone'], ['#docs']), row('p0'));
    expect(answer.changes).toEqual([
      { kind: 'servicePolicy', id: 'p', update: { roles: { identities: ['@gone', '@p1'] } } },
    ]);
    expect(collateral).toEqual([]);
  });

  test('replaces a role by the ids of up to 50 members that stay', () => {
    const { answer, collateral } = judge(rowsOf(['#most'], ['#docs']), row('p3'));
    const ids = people.slice(0, 51).filter((id) => id !== 'p3');
    expect(answer.changes).toEqual([
      {
        kind: 'servicePolicy',
        id: 'p',
        update: { roles: { identities: sortedByBytes(ids.map((id) => `@${id}`)) } },
      },
    ]);
    expect(collateral).toEqual([]);
  });

  test('of more than 50 ids is not proposed, nor the end of `#all`', () => {
    for (const role of ['#all of us', '#all']) {
      const { answer } = judge(rowsOf([role], ['#all']), row('p3'));
      expect(answer.changes).toEqual([]);
      expect(answer.remaining.map(({ serviceId, policyIds }) => [serviceId, policyIds])).toEqual([
        ['mail', ['p']],
        ['wiki', ['p']],
      ]);
    }
  });

  test('needs no ids for members that have another role', () => {
    const { answer } = judge(rowsOf(['#few', '#most'], ['#docs']), row('p40'));
    expect(answer.changes).toEqual([
      {
        kind: 'servicePolicy',
        id: 'p',
        update: {
          roles: {
            identities: sortedByBytes([
              '#few',
              ...people
                .slice(10, 51)
                .filter((id) => id !== 'p40')
                .map((id) => `@${id}`),
            ]),
          },
        },
      },
    ]);
  });

  test('deletes a policy all of whose pairs go, whatever its roles', () => {
    const pairs = people.flatMap(row);
    const { answer, collateral } = judge(rowsOf(['#all'], ['#all']), pairs);
    expect(answer.changes).toEqual([{ kind: 'servicePolicy', id: 'p', value: null }]);
    expect(collateral).toEqual([]);
  });

  test('removes a service from all', () => {
    const pairs = people.map((id): Pair => [id, 'wiki', 'Dial']);
    const { answer, collateral } = judge(rowsOf(['#all'], ['@mail', '@wiki']), pairs);
    expect(answer.changes).toEqual([
      { kind: 'servicePolicy', id: 'p', update: { roles: { services: ['@mail'] } } },
    ]);
    expect(collateral).toEqual([]);
  });

  test('is made for what can be, when something remains', () => {
    const rows: RowChange[] = [
      ...rowsOf(['#all of us'], ['#all']),
      policyRow('q', 'Bind', ['@p3', '@p4'], ['@wiki']),
    ];
    const { answer } = judge(rows, [...row('p3'), ['p3', 'wiki', 'Bind']]);
    expect(answer.changes).toEqual([
      { kind: 'servicePolicy', id: 'q', update: { roles: { identities: ['@p4'] } } },
    ]);
    expect(answer.remaining).toHaveLength(2);
  });
});
