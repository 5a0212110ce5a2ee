import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { column, join, raw, sql } from '../../../src/base/sql.js';
import type { Sql } from '../../../src/base/sql.js';
import {
  memberOf,
  memberPredicate,
  policyContains,
  roleFilterPredicate,
  unionPredicate,
  type EntityRows,
} from '../../../src/kernel/policy/membership-sql.js';
import { PolicyIndex } from '../../../src/kernel/policy/policy-index.js';
import {
  ENTITY_KINDS,
  pendingValue,
  POLICY_KINDS,
} from '../../../src/kernel/policy/policy-model.js';
import type { EntityKind, PolicyKind } from '../../../src/kernel/policy/policy-model.js';
import { member, parseRoles } from '../../../src/kernel/policy/roles.js';
import type { Semantic } from '../../../src/kernel/policy/roles.js';
import { ALL_SIDES, asWritten, ENTITY_IDS, history, Network, sideKind } from './network.js';
import { MEMBERSHIP_CASES } from './membership-cases.js';
import { costlyRuns } from '../../support/runs.js';

const url =
  process.env.OVERGRAPH_TEST_DATABASE_URL ?? 'postgresql://postgres@127.0.0.1:54329/postgres';
const database = new pg.Client(url);
const COLUMNS = {
  servicePolicy: ['identities', 'services', 'postureChecks'],
  edgeRouterPolicy: ['identities', 'edgeRouters'],
  serviceEdgeRouterPolicy: ['services', 'edgeRouters'],
} as const;

/** Policies select identities by the attributes of their role assignments, too. */
const attributesColumn = (kind: EntityKind): string =>
  kind === 'identity' ? 'effective_role_attributes' : 'role_attributes';

const rowsOf = (kind: EntityKind): EntityRows => ({ kind, alias: 'row' });

const run = async (statement: Sql): Promise<Record<string, unknown>[]> => {
  const { text, values } = statement.render();
  return (await database.query<Record<string, unknown>>(text, values)).rows;
};

/** The ids of the rows for which each predicate is true, in one statement. */
async function select(queries: readonly { table: string; where: Sql }[]): Promise<string[][]> {
  if (queries.length === 0) return [];
  const rows = queries.map(
    ({ table, where }, i) =>
      sql`select ${i}::int as place, array(select id from ${raw(`"${table}"`)} row where ${where} order by id) ids`,
  );
  const found = await run(sql`${join(rows, ' union all ')} order by place`);
  return found.map(({ ids }) => ids as string[]);
}

async function load(network: Network): Promise<void> {
  await run(raw(`truncate ${[...ENTITY_KINDS, ...POLICY_KINDS].map((t) => `"${t}"`).join()}`));
  for (const kind of ENTITY_KINDS) {
    const rows = [...network.entities[kind].values()].map(({ id, attributes, onceApproved }) =>
      kind === 'identity'
        ? sql`(${id}, ${(onceApproved ?? { attributes }).attributes}::text[], ${onceApproved !== undefined}::boolean)`
        : sql`(${id}, ${attributes}::text[])`,
    );
    if (rows.length > 0) await run(sql`insert into ${raw(`"${kind}"`)} values ${join(rows, ', ')}`);
  }
  for (const kind of POLICY_KINDS) {
    const rows = [...network.policies[kind].values()].map(({ id, semantic, roles }) => {
      const lists = COLUMNS[kind].map((side) => sql`${roles[side]}::text[]`);
      return sql`(${id}, ${semantic}, ${join(lists, ', ')})`;
    });
    if (rows.length > 0) await run(sql`insert into ${raw(`"${kind}"`)} values ${join(rows, ', ')}`);
  }
}

beforeAll(async () => {
  await database.connect();
  for (const kind of ENTITY_KINDS) {
    const attributes = attributesColumn(kind);
    await run(
      raw(`create temp table "${kind}" (id text primary key, ${attributes} text[] not null
        ${kind === 'identity' ? ', is_pending boolean not null' : ''})`),
    );
    await run(raw(`create index on pg_temp."${kind}" using gin (${attributes})`));
  }
  for (const kind of POLICY_KINDS) {
    const lists = COLUMNS[kind].map((side) => `"${side}" text[] not null`).join();
    await run(
      raw(`create temp table "${kind}" (id text primary key, semantic text not null, ${lists})`),
    );
    for (const side of COLUMNS[kind]) {
      await run(raw(`create index on pg_temp."${kind}" using gin ("${side}")`));
    }
  }
});

afterAll(() => database.end());

describe.each(['on', 'off'])('with sequential scans %s', (setting) => {
  beforeAll(() => run(raw(`set enable_seqscan = ${setting}`)));

  test('the SQL forms, the index and the definition agree on members and policies', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (changes) => {
        // Rows and totals have what is written, also while a policy is not in force.
        const network = Network.after(changes.map(asWritten));
        const index = indexOf(changes);
        await load(network);
        for (const { kind, side } of ALL_SIDES) {
          const policies = [...network.policies[kind].values()];
          const entities = [...network.entities[sideKind(kind, side)].values()];
          const members = policies.map((policy) => network.members(policy, kind, side));
          const found = await select([
            ...policies.map(({ semantic, roles }) => ({
              table: sideKind(kind, side),
              where: memberPredicate(
                { semantic, roles: parseRoles(roles[side] ?? []) },
                rowsOf(sideKind(kind, side)),
              ),
            })),
            ...entities.map((entity) => ({
              table: kind,
              where: policyContains('row', side, entity),
            })),
          ]);
          expect(found).toEqual([
            ...members,
            ...entities.map(({ id }) =>
              network
                .policiesOf(kind, side, id)
                .map((p) => p.id)
                .sort(),
            ),
          ]);
          expect(policies.map(({ id }) => index.memberCount(kind, id, side))).toEqual(
            members.map(({ length }) => length),
          );
          const pairs = policies.flatMap(({ id }, i) => members[i]?.map((m) => `${id} ${m}`) ?? []);
          expect(await membershipPairs(kind, side, sideKind(kind, side))).toEqual(pairs.sort());
        }
      }),
      costlyRuns(10),
    );
  });

  test('the SQL forms, the index and the definition agree on access', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (changes) => {
        const network = Network.after(changes);
        const index = indexOf(changes);
        await load(network);
        const asked = ENTITY_IDS.flatMap((id) => [
          {
            table: 'service' as const,
            access: index.accessibleServices(id, 'Dial'),
            expected: network.reach('servicePolicy', 'identities', id, 'services', 'Dial'),
          },
          {
            table: 'identity' as const,
            access: index.accessingIdentities(id),
            expected: network.reach('servicePolicy', 'services', id, 'identities'),
          },
          {
            table: 'edgeRouter' as const,
            access: index.routersOfIdentity(id),
            expected: network.reach('edgeRouterPolicy', 'identities', id, 'edgeRouters'),
          },
          {
            table: 'service' as const,
            access: index.servicesOfRouter(id),
            expected: network.reach('serviceEdgeRouterPolicy', 'edgeRouters', id, 'services'),
          },
        ]);
        const found = await select(
          asked.map(({ table, access }) => ({
            table,
            where: unionPredicate(access.sides, rowsOf(table)),
          })),
        );
        expect(found).toEqual(asked.map(({ expected }) => expected));
        expect(asked.map(({ access }) => access.count())).toEqual(
          asked.map(({ expected }) => expected.length),
        );
      }),
      costlyRuns(20),
    );
  });

  test.each(MEMBERSHIP_CASES)(
    '$it',
    async ({ roles, semantic, attributes = ['blue', 'red'], isPending, ...expected }) => {
      const entity = { id: 'e1', ...(isPending ? pendingValue({ attributes }) : { attributes }) };
      const network = new Network();
      network.entities.identity.set('e1', entity);
      const policy = { id: 'p', semantic, roles: { identities: roles } };
      network.policies.edgeRouterPolicy.set('p', {
        ...policy,
        roles: { identities: roles, edgeRouters: [] },
      });
      await load(network);
      const side = { roles: parseRoles(roles), semantic: policy.semantic };
      expect(member(side.roles, side.semantic, entity)).toBe(expected.member);
      expect(
        await select([
          { table: 'identity', where: memberPredicate(side, rowsOf('identity')) },
          { table: 'edgeRouterPolicy', where: policyContains('row', 'identities', entity) },
        ]),
      ).toEqual(expected.member ? [['e1'], ['p']] : [[], []]);
      expect(await membershipPairs('edgeRouterPolicy', 'identities', 'identity')).toHaveLength(
        expected.member ? 1 : 0,
      );
    },
  );
});

async function membershipPairs(kind: PolicyKind, side: string, entityKind: EntityKind) {
  const found = await run(sql`
    select ${column('p', 'id')} || ' ' || ${column('e', 'id')} as pair
      from ${raw(`"${kind}"`)} p join ${raw(`"${entityKind}"`)} e on ${memberOf('p', side, { kind: entityKind, alias: 'e' })}
     order by 1`);
  return found.map(({ pair }) => pair);
}

function indexOf(changes: Parameters<typeof Network.after>[0]): PolicyIndex {
  const index = new PolicyIndex();
  for (const change of changes) index.apply(change);
  return index;
}

describe('a union of sides', () => {
  const side = (semantic: Semantic, ...roles: string[]) => ({ roles: parseRoles(roles), semantic });
  const rendered = (...sides: ReturnType<typeof side>[]) =>
    unionPredicate(sides, { kind: 'service', alias: 'e' }).render();

  test.each([
    ['of none is nobody', [], 'false', []],
    ['of an empty list is nobody', [side('AllOf')], 'false', []],
    ['with #all is everybody', [side('AnyOf', '#a'), side('AllOf', '#all')], 'true', []],
    [
      'has one list of ids and one of attributes',
      [side('AnyOf', '#a', '@1'), side('AnyOf', '#b', '@2'), side('AllOf', '#c', '@1')],
      '("e"."id" = any($1::text[]) or "e"."role_attributes" && $2::text[])',
      [
        ['1', '2'],
        ['a', 'b', 'c'],
      ],
    ],
    [
      'leaves out AllOf lists that another one implies, and repeated ones',
      [side('AllOf', '#a', '#b', '#c'), side('AllOf', '#b', '#c'), side('AllOf', '#b', '#c')],
      '"e"."role_attributes" @> $1::text[]',
      [['b', 'c']],
    ],
    [
      'leaves out AllOf lists with an attribute that is enough alone',
      [side('AllOf', '#a', '#b'), side('AllOf', '#c', '#d'), side('AnyOf', '#b')],
      '("e"."role_attributes" && $1::text[] or "e"."role_attributes" @> $2::text[])',
      [['b'], ['c', 'd']],
    ],
  ])('%s', (_, sides, text, values) => {
    expect(rendered(...sides)).toEqual({ text, values });
  });
});

describe('a role filter', () => {
  beforeAll(async () => {
    const network = new Network();
    for (const [id, attributes] of [
      ['both', ['a', 'b']],
      ['one', ['a']],
      ['none', []],
      ['odd', ['all']],
    ] as const) {
      network.entities.service.set(id, { id, attributes });
    }
    await load(network);
  });

  test.each([
    ['is AllOf by default', ['#a', '#b'], undefined, ['both']],
    ['may be AnyOf', ['#a', '#b'], 'AnyOf', ['both', 'one']],
    ['adds the listed ids that exist', ['#a', '#b', '@none', '@gone'], 'AllOf', ['both', 'none']],
    ['takes #all as an attribute', ['#all'], 'AnyOf', ['odd']],
    ['without roles is no filter', [], undefined, ['both', 'none', 'odd', 'one']],
  ])('%s', async (_, roles, semantic, expected) => {
    const where = roleFilterPredicate(roles, semantic, rowsOf('service'));
    expect(await select([{ table: 'service', where }])).toEqual([expected]);
  });

  test.each([
    ['a bad semantic', ['#a'], 'SomeOf', 'semantic'],
    ['an entry without prefix', ['a'], 'AnyOf', 'roleFilter'],
  ])('refuses %s', (_, roles, semantic, field) => {
    expect(() => roleFilterPredicate(roles, semantic, rowsOf('service'))).toThrow(
      expect.objectContaining({
        code: 'COULD_NOT_VALIDATE',
        detail: expect.objectContaining({ field }),
      }),
    );
  });
});
