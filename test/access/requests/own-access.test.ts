import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { accessEnds } from '../../../src/access/analysis/index.js';
import type { RowChange } from '../../../src/access/analysis/index.js';
import { toEnd } from '../../../src/base/slices.js';
import { forceAt, type Force, type PolicyTimes } from '../../../src/access/times/index.js';
import { WEEKDAY } from '../../../src/access/times/weekly-window.js';
import type { ComingPolicy } from '../../../src/data/rows/policy/index.js';
import type { AssignedPeriod } from '../../../src/data/rows/role-assignment/index.js';
import { dormant } from '../../../src/kernel/policy/index.js';
import { joinedAttributes } from '../../../src/kernel/policy/policy-model.js';
import { InProcessRest, type GraphAnswer } from '../../support/in-process.js';
import { runs } from '../../support/runs.js';
import { allPairs, IDS, indexOf, networkAfter, networkOf } from '../analysis/random-network.js';
import { assigned, codes, inHours, moveDue, passHours } from '../assignments/assigned.js';
import { Requested, requestIn } from './requested.js';

/** The services that an identity reaches, and the moments at which it loses them. */

const HOURS = 12;
const HOUR = 3_600_000;
const ADA = IDS[0] ?? '';

const hour = (hours: number): Date => new Date(hours * HOUR);
const attribute = fc.constantFrom('a', 'b', 'c', 'd');

/** Assignments of whole hours, which may overlap, follow each other, or leave gaps. */
const periods: fc.Arbitrary<AssignedPeriod[]> = fc.array(
  fc
    .record({
      roleAttribute: attribute,
      from: fc.integer({ min: -1, max: HOURS - 2 }),
      length: fc.option(fc.integer({ min: 1, max: 5 }), { freq: 6 }),
    })
    .map(({ roleAttribute, from, length }) => ({
      roleAttribute,
      isActive: from <= 0,
      activeFrom: hour(from),
      // The end of an active one is still to come.
      activeUntil: length === null ? null : hour(Math.max(from, 0) + length),
    })),
  { maxLength: 6 },
);

const SIZES = {
  identity: 2,
  service: 6,
  edgeRouter: 0,
  postureCheck: 0,
  servicePolicy: 8,
  edgeRouterPolicy: 0,
  serviceEdgeRouterPolicy: 0,
};

test('access ends in the first hour in which the assignments of that hour do not give it', () => {
  fc.assert(
    fc.property(
      networkOf(SIZES),
      fc.subarray(['a', 'b', 'c', 'd'], { maxLength: 2 }),
      fc.subarray(['a', 'b', 'c', 'd']),
      periods,
      (rows, written, formerlyAssigned, given) => {
        const withAttributes = (attributes: readonly string[]): RowChange[] => [
          ...rows.filter(({ kind, id }) => kind !== 'identity' || id !== ADA),
          {
            kind: 'identity',
            id: ADA,
            value: joinedAttributes(written, attributes),
          },
        ];
        /** The pairs of an hour by the definitions alone: a walk through all hours, and no look at ends. */
        const pairsAt = (hours: number): string[] => {
          const held = given
            .filter(({ activeFrom, activeUntil }) => {
              const hasBegun = activeFrom.getTime() <= hours * HOUR;
              return hasBegun && (activeUntil === null || activeUntil.getTime() > hours * HOUR);
            })
            .map(({ roleAttribute }) => roleAttribute);
          return allPairs(networkAfter(withAttributes([...new Set(held)])))
            .filter(([identity]) => identity === ADA)
            .map(([, service, type]) => `${type} ${service}`);
        };
        const byHour = Array.from({ length: HOURS + 6 }, (_, hours) => new Set(pairsAt(hours)));
        const expected = [...(byHour[0] ?? [])].map((pair) => {
          const end = byHour.findIndex((pairs) => !pairs.has(pair));
          return [pair, end === -1 ? null : hour(end)];
        });
        // The index may be older than the assignments that were read.
        const index = indexOf(withAttributes(formerlyAssigned));
        const ends = [...toEnd(accessEnds(index, ADA, { periods: given, policies: [] }))].flatMap(
          ([service, types]) =>
            Object.entries(types).map(([type, end]) => [`${type} ${service}`, end]),
        );
        expect(Object.fromEntries(ends)).toStrictEqual(Object.fromEntries(expected));
      },
    ),
    runs(400),
  );
});

const DAYS = WEEKDAY.values;
const clockTime = fc
  .integer({ min: 0, max: 23 })
  .map((hours) => `${String(hours).padStart(2, '0')}:00`);
const someHour = fc.option(fc.integer({ min: -2, max: 20 }).map(hour), { freq: 3 });

/** Times of policies in whole hours, each day the same. */
const policyTimes: fc.Arbitrary<PolicyTimes> = fc.record({
  validFrom: someHour,
  validUntil: someHour,
  weeklyWindows: fc.array(
    fc.record({ days: fc.constant([...DAYS]), from: clockTime, to: clockTime }),
    {
      maxLength: 2,
    },
  ),
  timeZone: fc.constant('UTC'),
});

/** The last end that does not come again is after 20 hours, and then each day is the same. */
const HOURS_OF_POLICIES = 20 + 2 * 24;

test('access ends in the first hour in which the policies in force do not give it', () => {
  fc.assert(
    fc.property(
      networkOf(SIZES),
      fc.array(policyTimes, { minLength: SIZES.servicePolicy, maxLength: SIZES.servicePolicy }),
      (rows, times) => {
        const timesOf = new Map(IDS.map((id, i) => [id, times[i % times.length]] as const));
        const forceOf = (id: string, hours: number): Force | undefined => {
          const policy = timesOf.get(id);
          return policy && forceAt(policy, hour(hours));
        };
        /** The rows of an hour: policies that are not in force have no roles. */
        const rowsAt = (hours: number): RowChange[] =>
          rows.map((row) => {
            if (row.kind !== 'servicePolicy' || !row.value) return row;
            if (forceOf(row.id, hours)?.isInForce !== false) return row;
            return { ...row, value: { ...row.value, ...dormant(row.value.roles) } } as RowChange;
          });
        const pairsAt = (hours: number): Set<string> =>
          new Set(
            allPairs(networkAfter(rowsAt(hours)))
              .filter(([identity]) => identity === ADA)
              .map(([, service, type]) => `${type} ${service}`),
          );
        const byHour = Array.from({ length: HOURS_OF_POLICIES }, (_, hours) => pairsAt(hours));
        const expected = [...(byHour[0] ?? [])].map((pair) => {
          const end = byHour.findIndex((pairs) => !pairs.has(pair));
          return [pair, end === -1 ? null : hour(end)];
        });
        const policies = rows.flatMap(({ kind, id }): ComingPolicy[] => {
          const [policy, force] = [timesOf.get(id), forceOf(id, 0)];
          if (kind !== 'servicePolicy' || !policy || !force?.nextChangeAt) return [];
          const weeklyWindows = [...policy.weeklyWindows];
          return [{ id, ...policy, ...force, weeklyWindows, nextChangeAt: force.nextChangeAt }];
        });
        const coming = { periods: [], policies };
        const ends = [...toEnd(accessEnds(indexOf(rowsAt(0)), ADA, coming))].flatMap(
          ([service, types]) =>
            Object.entries(types).map(([type, end]) => [`${type} ${service}`, end]),
        );
        expect(Object.fromEntries(ends)).toStrictEqual(Object.fromEntries(expected));
      },
    ),
    runs(200),
  );
});

test('an identity that does not exist reaches nothing', () => {
  expect(toEnd(accessEnds(indexOf([]), 'nobody', { periods: [], policies: [] })).size).toBe(0);
});

interface Shown {
  readonly serviceId: string;
  readonly serviceName: string;
  readonly dial: { readonly until: string | null } | null;
  readonly bind: { readonly until: string | null } | null;
}

interface ShownPage {
  readonly totalCount: number;
  readonly nodes: readonly Shown[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

let requested: Requested;
let ada: string;
let lead: string;

beforeAll(async () => {
  requested = await Requested.start();
});
afterAll(() => requested.controller.stop());
beforeEach(async () => {
  [ada, lead] = [await requested.person(), await requested.person('lead')];
});

const asked = (by: string, args = ''): Promise<GraphAnswer> =>
  requested.controller.graph(
    `{ mine: myAccess${args} { totalCount nodes { serviceId serviceName dial { until } bind { until } }
      pageInfo { hasNextPage endCursor } } }`,
    {},
    requested.ctx(by),
  );

async function pageOf(by: string, args = ''): Promise<ShownPage> {
  const { data, messages } = await asked(by, args);
  expect(messages).toStrictEqual([]);
  return data?.mine as ShownPage;
}

/** Service -> when dialing it ends. */
const dialed = async (by: string): Promise<Record<string, string | null | undefined>> =>
  Object.fromEntries(
    (await pageOf(by)).nodes.map(({ serviceName, dial }) => [serviceName, dial?.until]),
  );

const ON_CALL = 'on-call board';
const DESK = 'desk board';

describe('the own access', () => {
  test('has the service of a grant until its end, and those of written attributes without one', async () => {
    expect(await dialed(ada)).toStrictEqual({ [DESK]: null });
    const id = await requested.asked(ada, await requested.offer());
    expect(await dialed(ada)).toStrictEqual({ [DESK]: null });
    const { grantedUntil } = requestIn(await requested.decide('approve', lead, id));
    expect(await dialed(ada)).toStrictEqual({ [DESK]: null, [ON_CALL]: grantedUntil });
    expect(await dialed(lead)).toStrictEqual({ [DESK]: null });
    await requested.decide('revoke', ada, id);
    expect(await dialed(ada)).toStrictEqual({ [DESK]: null });
  });

  test('ends with the last of assignments that overlap or follow each other, and before a gap', async () => {
    const granted = async (by: string): Promise<string | null> =>
      requestIn(await requested.ask(by, await requested.offer({ approval: 'NONE' }))).grantedUntil;
    const next = { activeFrom: await granted(ada), activeUntil: inHours(5) };
    await requested.boards.onCall(ada, next);
    expect((await dialed(ada))[ON_CALL]).toBe(next.activeUntil);
    const bob = await requested.person();
    const until = await granted(bob);
    // It begins half an hour after the end of the grant.
    await requested.boards.onCall(bob, { activeFrom: inHours(1), activeUntil: inHours(5) });
    expect((await dialed(bob))[ON_CALL]).toBe(until);
    const eve = await requested.person('on-call');
    await requested.boards.onCall(eve, { activeUntil: inHours(1) });
    expect((await dialed(eve))[ON_CALL]).toBeNull();
  });

  test('leaves out an assignment that has not begun, and one that an access rule keeps from beginning', async () => {
    const id = await requested.boards.onCall(ada, {
      activeFrom: inHours(1),
      activeUntil: inHours(8),
    });
    expect(await dialed(ada)).toStrictEqual({ [DESK]: null });
    const rule = await requested.controller.create('AccessRule', {
      name: `never ${ada}`,
      kind: 'MUST_NEVER_REACH',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${ada}`],
      serviceRoles: [`@${requested.boards.boards.get('on-call') ?? ''}`],
    });
    await passHours(requested.controller, 2, id);
    expect((await moveDue(requested.controller)).refusedIds).toStrictEqual([id]);
    expect(await dialed(ada)).toStrictEqual({ [DESK]: null });
    await requested.controller.graph('mutation ($id: ID!) { deleteAccessRule(id: $id) }', {
      id: rule,
    });
  });

  test('ends with the identity at the latest', async () => {
    const { controller } = requested;
    const ends = async (validUntil: string | null): Promise<void> => {
      await controller.read(
        'mutation ($id: ID!, $input: UpdateIdentityInput!) { updateIdentity(id: $id, input: $input) { id } }',
        { id: ada, input: { validUntil } },
      );
    };
    const next = { activeFrom: inHours(-1), activeUntil: inHours(2) };
    await requested.boards.onCall(ada, next);
    const [early, late] = [inHours(1), inHours(3)];
    await ends(early);
    expect(await dialed(ada)).toStrictEqual({ [DESK]: early, [ON_CALL]: early });
    await ends(late);
    expect(await dialed(ada)).toStrictEqual({ [DESK]: late, [ON_CALL]: next.activeUntil });
    await ends(null);
    expect(await dialed(ada)).toStrictEqual({ [DESK]: null, [ON_CALL]: next.activeUntil });
  });

  test('tells dialing from hosting', async () => {
    const services = [`@${requested.boards.boards.get('desk') ?? ''}`];
    await requested.controller.create('ServicePolicy', {
      name: `hosts ${ada}`,
      type: 'Bind',
      semantic: 'AllOf',
      identityRoles: ['#host', `#${ada}`],
      serviceRoles: services,
    });
    const until = [inHours(2), inHours(3)] as const;
    for (const [i, roleAttribute] of ['host', ada].entries()) {
      await assigned(requested.controller, {
        ...{ identityId: ada, roleAttribute, activeUntil: until[i] },
      });
    }
    const { nodes } = await pageOf(ada);
    // The first missing attribute ends it.
    expect(nodes).toMatchObject([{ dial: { until: null }, bind: { until: until[0] } }]);
    expect((await pageOf(lead)).nodes).toMatchObject([{ dial: { until: null }, bind: null }]);
  });

  test('is of the caller alone, whatever its permissions', async () => {
    const nobody = await requested.boards.newIdentity({ roleAttributes: [], isAdmin: true });
    expect(await pageOf(nobody)).toMatchObject({ totalCount: 0, nodes: [] });
  });

  test('has pages in the order of names, each of four statements', async () => {
    const names = ['zebra', 'Ant', 'émile', 'bee'];
    const roleAttribute = `many of ${ada}`;
    for (const name of names) {
      await requested.controller.create('Service', {
        ...{ name: `${name} ${ada}`, encryptionRequired: true, roleAttributes: [roleAttribute] },
      });
    }
    await requested.controller.create('ServicePolicy', {
      ...{ name: roleAttribute, type: 'Dial', semantic: 'AnyOf' },
      ...{ identityRoles: [`@${ada}`], serviceRoles: [`#${roleAttribute}`] },
    });
    const inOrder = ['Ant', 'bee', 'desk', 'zebra', 'émile'];
    const read: string[] = [];
    for (let after: string | null = null; ;) {
      const cursor: string = after === null ? '' : `, after: "${after}"`;
      const { totalCount, nodes, pageInfo } = await pageOf(ada, `(first: 2${cursor})`);
      expect(totalCount).toBe(5);
      read.push(...nodes.map(({ serviceName }) => serviceName.split(' ')[0] ?? ''));
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(read).toStrictEqual(inOrder);
    expect((await pageOf(ada, '(limit: 1, offset: 3)')).nodes[0]?.serviceName).toMatch(/^zebra/);
    for (const first of [1, 5]) {
      await requested.controller.forgetRows();
      expect((await asked(ada, `(first: ${String(first)})`)).statements).toBeLessThanOrEqual(4);
    }
  });

  test.each(['(limit: -1)', '(first: 501)', '(after: "nonsense")', '(after: "WyIAIiwieCJd")'])(
    'is refused with %s',
    async (args) => {
      expect(codes(await asked(ada, args))).toStrictEqual(['COULD_NOT_VALIDATE']);
    },
  );

  test('is the same at the client interface', async () => {
    const until = inHours(2);
    await requested.boards.onCall(ada, { activeUntil: until });
    const rest = await InProcessRest.listen(requested.controller, ada);
    try {
      const path = '/edge/client/v1/current-identity/access';
      const { status, body } = await rest.get(`${path}?limit=1&offset=1`);
      expect(status).toBe(200);
      expect(body.meta).toMatchObject({ pagination: { limit: 1, offset: 1, totalCount: 2 } });
      expect(body.data).toStrictEqual([
        {
          serviceId: requested.boards.boards.get('on-call'),
          serviceName: ON_CALL,
          dial: { until },
          bind: null,
        },
      ]);
      for (const query of ['?limit=-1', '?limit=ten']) {
        expect((await rest.get(`${path}${query}`)).status).toBe(400);
      }
      const another = { 'zt-session': 'no session' };
      expect((await rest.get(path, another)).status).toBe(401);
    } finally {
      await rest.stop();
    }
  });
});
