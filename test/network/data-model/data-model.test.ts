import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toEnd } from '../../../src/base/slices.js';
import type { PolicyChange } from '../../../src/kernel/policy/policy-model.js';
import {
  encodedChangeSet,
  encodedFullState,
  RecentSets,
} from '../../../src/network/data-model/change-sets.js';
import { DataModel, type RowState } from '../../../src/network/data-model/data-model.js';
import type { LoggedState } from '../../../src/network/data-model/load-data-model.js';
import { endOfTransaction } from '../../../src/network/data-model/log-place.js';
import { MembersBefore } from '../../../src/network/data-model/member-changes.js';
import { PublishedModel } from '../../../src/network/data-model/published-model.js';
import { ENTITY_IDS, history, Network, written } from '../../kernel/policy/network.js';
import { runs } from '../../support/runs.js';
import { StrictRouter } from './strict-router.js';

/** The data model against a router that accepts no mistake, and against the definitions of membership. */

const ROLES = {
  identities: 'identityRoles',
  services: 'serviceRoles',
  postureChecks: 'postureCheckRoles',
} as const;

const KINDS = {
  identity: 'Identity',
  service: 'Service',
  postureCheck: 'PostureCheck',
  servicePolicy: 'ServicePolicy',
} as const;

/** The row of a change, when routers know its kind. */
function rowOf({ kind, id, value }: PolicyChange): RowState[] {
  if (!(kind in KINDS)) return [];
  const row = { kind: KINDS[kind as keyof typeof KINDS], id };
  if (value === null) return [{ ...row, after: null }];
  if ('attributes' in value) {
    const { attributes: roleAttributes } = value.onceApproved ?? value;
    const isPending = value.onceApproved !== undefined;
    return [{ ...row, after: { name: `${kind} ${id}`, typeId: 'MFA', roleAttributes, isPending } }];
  }
  const isInForce = !('dormantRoles' in value);
  const roles = Object.entries(written({ id, ...value }).roles).map(([side, list]) => [
    ROLES[side as keyof typeof ROLES],
    list,
  ]);
  const type = 'type' in value ? value.type : undefined;
  return [
    {
      ...row,
      after: { name: id, type, semantic: value.semantic, isInForce, ...Object.fromEntries(roles) },
    },
  ];
}

/** One commit of several changes: each row once, as it is at the end. */
const committed = (changes: readonly PolicyChange[]): RowState[] => [
  ...new Map(changes.flatMap(rowOf).map((row) => [`${row.kind} ${row.id}`, row])).values(),
];

function takeAll(model: DataModel, endIndex = 1): StrictRouter {
  const router = new StrictRouter();
  router.takeState(toEnd(encodedFullState(model.all(), { endIndex, timelineId: 't' })));
  return router;
}

/** A router that gets the events of each commit as a set. */
class Followed {
  readonly router = new StrictRouter();
  readonly #sets = new RecentSets(1);

  take(events: readonly Buffer[]): void {
    if (events.length === 0) return;
    const previous = this.#sets.newest;
    this.#sets.add(previous + 1, events);
    const set = this.#sets.after(previous);
    if (set) this.router.takeSet(encodedChangeSet(set, previous));
  }
}

const commits = fc.array(history, { maxLength: 4 });

describe('after any history', () => {
  test('the sets make the same of a router as the whole', () => {
    fc.assert(
      fc.property(commits, (parts) => {
        const model = new DataModel();
        const followed = new Followed();
        for (const changes of parts) {
          followed.take(model.apply(committed(changes)));
          expect(followed.router.state).toEqual(takeAll(model).state);
        }
      }),
      runs(100),
    );
  });

  test('a router lets in whom the policies let in', () => {
    fc.assert(
      fc.property(commits, (parts) => {
        const model = new DataModel();
        const network = new Network();
        const followed = new Followed();
        for (const changes of parts) {
          followed.take(model.apply(committed(changes)));
          for (const change of changes) network.apply(change);
        }
        for (const type of ['Dial', 'Bind'] as const) {
          for (const identity of ENTITY_IDS) {
            const reached = network.reach(
              'servicePolicy',
              'identities',
              identity,
              'services',
              type,
            );
            const allowed = ENTITY_IDS.filter((id) => followed.router.allows(identity, id, type));
            expect(allowed).toEqual(reached);
          }
        }
        for (const policy of network.policies.servicePolicy.values()) {
          expect(followed.router.membersOf(policy.id)).toEqual({
            identities: network.members(policy, 'servicePolicy', 'identities'),
            services: network.members(policy, 'servicePolicy', 'services'),
            postureChecks: network.members(policy, 'servicePolicy', 'postureChecks'),
          });
        }
      }),
      runs(100),
    );
  });

  test('a commit that changes nothing sends nothing', () => {
    fc.assert(
      fc.property(history, (changes) => {
        const model = new DataModel();
        const rows = committed(changes);
        model.apply(rows);
        expect(model.apply(rows)).toEqual([]);
      }),
      runs(50),
    );
  });
});

test.each([
  [{}, false],
  [{ isOutsideTimes: false, disabledAt: null }, false],
  [{ isOutsideTimes: true, disabledAt: null }, true],
  [{ isOutsideTimes: true, disabledAt: '2026-01-01T00:00:00Z' }, true],
  [{ isOutsideTimes: false, disabledAt: '2026-01-01T00:00:00Z' }, true],
])('to a router an identity with %j has disabled: %s', (state, disabled) => {
  const model = new DataModel();
  const followed = new Followed();
  const row = { kind: 'Identity' as const, id: 'ada' };
  followed.take(model.apply([{ ...row, after: { name: 'ada', roleAttributes: [] } }]));
  followed.take(model.apply([{ ...row, after: { name: 'ada', roleAttributes: [], ...state } }]));
  expect(followed.router.entity('identity', 'ada')).toMatchObject({ disabled });
});

test('members beyond one event, by ids of many lengths, come with the whole and as changes', () => {
  const ids = Array.from({ length: 25_000 }, (_, i) => `${'ø'.repeat(i % 100)}${String(i)}`);
  const policy = (identityRoles: string[]): RowState => ({
    ...{ kind: 'ServicePolicy', id: 'policy' },
    after: { ...{ name: 'p', type: 'Dial', semantic: 'AnyOf' }, identityRoles, serviceRoles: [] },
  });
  const model = new DataModel();
  const followed = new Followed();
  const identities = ids.map((id): RowState => {
    return { kind: 'Identity', id, after: { name: id, roleAttributes: [] } };
  });
  followed.take(model.apply([...identities, policy(['#all'])]));
  const gone = { kind: 'Identity', id: ids[7] as string, after: null } as const;
  followed.take(model.apply([gone]));
  const left = ids.filter((id) => id !== gone.id).sort();
  for (const router of [followed.router, takeAll(model)]) {
    expect(router.membersOf('policy')).toMatchObject({ identities: left });
  }
  followed.take(model.apply([policy(['#nobody'])]));
  expect(followed.router.membersOf('policy')).toMatchObject({ identities: [] });
});

test('a router stops within a commit of several sets, and goes on from there', async () => {
  const transaction = 7;
  const identities = Array.from({ length: 30_000 }, (_, i): LoggedState => {
    const id = `identity-${String(i)}-${'x'.repeat(40)}`;
    const cursor = endOfTransaction(transaction, '0001').slice(0, 20) + hex(i);
    return { cursor, resource: 'Identity', id, after: { name: id, roleAttributes: [] } };
  });
  const place = endOfTransaction(1, '0001');
  const published = await PublishedModel.from(
    {
      ...{ store: undefined as never, catalog: undefined as never, timelineId: 't' },
      onSets: () => undefined,
      onFault: (_, error) => {
        throw error;
      },
    },
    { model: new DataModel(), place, exactFrom: place, changes: [], end: place },
  );
  const router = new StrictRouter();
  router.takeState((await published.fullState()).body);
  const before = router.index;
  published.apply({ changes: identities as never, isEnd: true });
  const sendNext = async (): Promise<boolean> => {
    const start = await published.startAfter(router.index);
    const set = start && published.after(start.index);
    if (!start || !set) return false;
    const body = encodedChangeSet(set, start.previousIndex);
    expect(body.reduce((sum, { length }) => sum + length, 0)).toBeLessThan((1 << 20) + 200_000);
    router.takeSet(body);
    return true;
  };
  const indexes: number[] = [];
  // Each time it says where it is, as after a new connection.
  while (await sendNext()) indexes.push(router.index);
  expect(indexes.length).toBeGreaterThan(2);
  expect(indexes.at(-1)).toBe(published.newest);
  expect(indexes).toEqual(indexes.map((_, i) => published.newest - indexes.length + 1 + i));
  expect(indexes[0]).toBeGreaterThan(before);
  const whole = new StrictRouter();
  whole.takeState((await published.fullState([])).body);
  expect(router.state).toEqual(whole.state);
});

const hex = (seq: number): string => seq.toString(16).padStart(16, '0');

describe('an event that a router can not take is refused', () => {
  const name = { name: 'x', roleAttributes: [] };
  const identity: RowState = { kind: 'Identity', id: 'ada', after: name };
  const check: RowState = { kind: 'PostureCheck', id: 'check', after: { ...name, typeId: 'MFA' } };
  const forAll: RowState = {
    ...{ kind: 'ServicePolicy', id: 'policy' },
    after: { ...{ name: 'p', type: 'Dial', semantic: 'AnyOf' }, identityRoles: ['#all'] },
  };

  test.each([
    ['policy', 'postureChecks', ['check'], true],
    ['policy', 'postureChecks', ['check', 'check'], false],
    ['policy', 'postureChecks', ['another'], false],
    ['another', 'postureChecks', ['check'], false],
    ['policy', 'identities', ['check'], false],
    ['policy', 'services', ['ada'], false],
  ] as const)(
    'to the policy %s of %s the members %j are added: %s',
    (policyId, side, ids, isTaken) => {
      const { prototype } = MembersBefore;
      const derived = Object.getOwnPropertyDescriptor(prototype, 'delta') ?? {};
      prototype.delta = () => ({
        removed: [],
        added: [{ policyId, side, ids }],
      });
      try {
        const apply = (): Buffer[] => new DataModel().apply([check, identity, forAll]);
        if (isTaken) expect(apply()).toHaveLength(4);
        else expect(apply).toThrow(`${side} of the service policy ${policyId}`);
      } finally {
        Object.defineProperty(prototype, 'delta', derived);
      }
    },
  );

  test.each([
    ['AllOf', 'AllOf'],
    ['AnyOf', 'AnyOf'],
    [null, 'AllOf'],
    ['OneOf', undefined],
    ['', undefined],
  ])('the semantic %j of several programs comes as %s', (semantic, expected) => {
    const after = { ...name, typeId: 'PROCESS_MULTI', semantic, processes: [] };
    const model = new DataModel();
    const followed = new Followed();
    const apply = (): void => {
      followed.take(model.apply([{ ...check, after }]));
    };
    if (expected === undefined) expect(apply).toThrow('check has an unknown semantic');
    else {
      apply();
      const processMulti = { semantic: expected };
      expect(followed.router.entity('postureCheck', 'check')).toMatchObject({ processMulti });
    }
  });

  test('and the whole has the semantic by which the controller decides', () => {
    const after = { ...name, typeId: 'PROCESS_MULTI', semantic: 'OneOf', processes: [] };
    const model = new DataModel();
    model.fill([{ ...check, after }]);
    const processMulti = { semantic: 'AllOf' };
    expect(takeAll(model).entity('postureCheck', 'check')).toMatchObject({ processMulti });
  });
});
