import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { startController, type TestController } from '../support/controller.js';

/** Who is in which policy, from the policy and from both of its sides. */

let controller: TestController;
let count = 0;
const unique = (): string => `policy ${String(++count)}`;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());

interface Kind {
  readonly policies: string;
  readonly more: Row;
  readonly sides: readonly (readonly [collection: string, roles: string, required: Row])[];
}

const IDENTITIES = ['identities', 'identityRoles', { type: 'Device', isAdmin: false }] as const;
const SERVICES = ['services', 'serviceRoles', { encryptionRequired: true }] as const;
const ROUTERS = ['edge-routers', 'edgeRouterRoles', {}] as const;

const KINDS: readonly Kind[] = [
  { policies: 'service-policies', more: { type: 'Dial' }, sides: [IDENTITIES, SERVICES] },
  { policies: 'edge-router-policies', more: {}, sides: [IDENTITIES, ROUTERS] },
  { policies: 'service-edge-router-policies', more: {}, sides: [SERVICES, ROUTERS] },
];

/** Role lists by the index of the entity they name, and who is selected: A {a}, B {b}, AB {a, b}, N {}. */
const CASES = [
  ['one attribute', 'AllOf', ['#a'], ['A', 'AB']],
  ['an attribute and an id', 'AllOf', ['#a', '@N'], ['A', 'AB', 'N']],
  ['ids alone', 'AllOf', ['@B', '@N'], ['B', 'N']],
  ['#all', 'AllOf', ['#all'], ['A', 'B', 'AB', 'N']],
  ['all of two attributes', 'AllOf', ['#a', '#b'], ['AB']],
  ['any of two attributes', 'AnyOf', ['#a', '#b'], ['A', 'B', 'AB']],
  ['nothing', 'AnyOf', [], []],
] as const;

const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  A: ['a'],
  B: ['b'],
  AB: ['a', 'b'],
  N: [],
};

describe.each(KINDS)('$policies', ({ policies, more, sides }) => {
  /** By side: name of the entity -> id. */
  const entities: Record<string, string>[] = [];

  beforeAll(async () => {
    for (const [collection, , required] of sides) {
      const ids: Record<string, string> = {};
      for (const [name, attributes] of Object.entries(ATTRIBUTES)) {
        const roleAttributes = attributes.map((a) => `${policies} ${a}`);
        ids[name] = await controller.create(collection, {
          name: unique(),
          roleAttributes,
          ...required,
        });
      }
      entities.push(ids);
    }
  });

  const idOf = (side: number, name: string): string => entities[side]?.[name] ?? '';
  const rolesOf = (side: number, roles: readonly string[]): string[] =>
    roles.map((role) => {
      if (role === '#all') return role;
      return role.startsWith('@')
        ? `@${idOf(side, role.slice(1))}`
        : `#${policies} ${role.slice(1)}`;
    });
  const listed = async (path: string): Promise<string[]> => {
    const { body } = await controller.rest('GET', `${path}?limit=500`);
    return (body.data as { id: string }[]).map(({ id }) => id);
  };
  /** Entities of ours in a policy; the default admin is an identity too. */
  const members = async (policy: string, side: number): Promise<string[]> => {
    const ids = await listed(`/${policies}/${policy}/${sides[side]?.[0] ?? ''}`);
    return Object.keys(ATTRIBUTES).filter((name) => ids.includes(idOf(side, name)));
  };
  const isListedBy = async (policy: string, side: number, name: string): Promise<boolean> =>
    (await listed(`/${sides[side]?.[0] ?? ''}/${idOf(side, name)}/${policies}`)).includes(policy);

  test.each(CASES)('with %s', async (_, semantic, roles, selected) => {
    const lists = Object.fromEntries(sides.map(([, name], side) => [name, rolesOf(side, roles)]));
    const policy = await controller.create(policies, {
      name: unique(),
      semantic,
      ...more,
      ...lists,
    });
    for (const side of [0, 1]) {
      expect(await members(policy, side)).toEqual(selected);
      for (const name of Object.keys(ATTRIBUTES)) {
        const isSelected = (selected as readonly string[]).includes(name);
        expect([name, await isListedBy(policy, side, name)]).toEqual([name, isSelected]);
      }
    }
    expect((await controller.rest('DELETE', `/${policies}/${policy}`)).status).toBe(200);
    for (const side of [0, 1]) expect(await isListedBy(policy, side, 'A')).toBe(false);
  });

  test.each(['PATCH', 'PUT'])('follow their role lists after a %s', async (method) => {
    const name = unique();
    const [first, second] = sides.map(([, roles]) => roles);
    const policy = await controller.create(policies, {
      name,
      semantic: 'AllOf',
      ...more,
      [String(first)]: rolesOf(0, ['#a']),
      [String(second)]: rolesOf(1, ['#b']),
    });
    const change = { [String(first)]: rolesOf(0, ['@N', '@AB']) };
    const body =
      method === 'PUT'
        ? { name, semantic: 'AllOf', ...more, [String(second)]: rolesOf(1, ['#b']), ...change }
        : change;
    expect((await controller.rest(method, `/${policies}/${policy}`, body)).status).toBe(200);
    expect(await members(policy, 0)).toEqual(['AB', 'N']);
    expect(await members(policy, 1)).toEqual(['B', 'AB']);
    expect(await isListedBy(policy, 0, 'A')).toBe(false);
    expect(await isListedBy(policy, 0, 'N')).toBe(true);
    await controller.rest('DELETE', `/${policies}/${policy}`);
  });

  test('follow the attributes of entities', async () => {
    const [collection, roles] = sides[0] ?? ['', ''];
    const policy = await controller.create(policies, {
      name: unique(),
      semantic: 'AllOf',
      ...more,
      [roles]: rolesOf(0, ['#c']),
    });
    expect(await members(policy, 0)).toEqual([]);
    const path = `/${collection}/${idOf(0, 'N')}`;
    await controller.rest('PATCH', path, { roleAttributes: [`${policies} c`] });
    expect(await members(policy, 0)).toEqual(['N']);
    await controller.rest('PATCH', path, { roleAttributes: [] });
    expect(await members(policy, 0)).toEqual([]);
  });
});

describe('the service policies of an edge router', () => {
  test('are those for services that it may carry', async () => {
    const near = await controller.create('edge-routers', { name: unique() });
    const far = await controller.create('edge-routers', { name: unique() });
    const [carried, other] = [
      await controller.create('services', { name: unique(), encryptionRequired: true }),
      await controller.create('services', { name: unique(), encryptionRequired: true }),
    ];
    await controller.create('service-edge-router-policies', {
      name: unique(),
      semantic: 'AnyOf',
      edgeRouterRoles: [`@${near}`],
      serviceRoles: [`@${carried}`],
    });
    const policyFor = (service: string): Promise<string> =>
      controller.create('service-policies', {
        name: unique(),
        semantic: 'AnyOf',
        type: 'Dial',
        serviceRoles: [`@${service}`],
      });
    const policy = await policyFor(carried);
    await policyFor(other);
    const listed = async (router: string): Promise<unknown[]> => {
      const { body } = await controller.rest('GET', `/edge-routers/${router}/service-policies`);
      return [(body.data as { id: string }[]).map(({ id }) => id), body.meta.pagination.totalCount];
    };
    expect(await listed(near)).toEqual([[policy], 1]);
    expect(await listed(far)).toEqual([[], 0]);
  });
});
