import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { InProcess } from '../support/in-process.js';

/** Filters by the size of a linked set, in a network in which every pair would have to be looked at. */

const SERVICES = 332;
const IDENTITIES = 153;
const POLICIES = 122;
const GROUPS = 40;

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
  for (let i = 0; i < SERVICES; i += 1) {
    await controller.create('Service', {
      name: `service ${String(i)}`,
      encryptionRequired: true,
      roleAttributes: [`s${String(i % GROUPS)}`, `even${String(i % 2)}`],
    });
  }
  for (let i = 0; i < IDENTITIES; i += 1) {
    await controller.create('Identity', {
      name: `identity ${String(i)}`,
      type: 'Default',
      isAdmin: false,
      roleAttributes: [`i${String(i % GROUPS)}`, `even${String(i % 2)}`],
    });
  }
  for (let i = 0; i < POLICIES; i += 1) {
    const group = String(i % (GROUPS - 3));
    await controller.create('ServicePolicy', {
      name: `policy ${String(i)}`,
      type: i % 3 === 0 ? 'Bind' : 'Dial',
      semantic: i % 5 === 0 ? 'AllOf' : 'AnyOf',
      identityRoles: i % 5 === 0 ? [`#i${group}`, '#even0'] : [`#i${group}`],
      serviceRoles: [`#s${group}`],
    });
  }
});
afterAll(() => controller.stop());

interface Sized {
  readonly id: string;
  readonly linked: { readonly totalCount: number };
}

/** Every entity of a list with the size of one of its relations, as the relation itself says it. */
async function sizes(list: string, relation: string): Promise<Map<string, number>> {
  const text = `{ ${list}(first: 500) { nodes { id linked: ${relation} { totalCount } } } }`;
  const found = await controller.read<Record<string, { nodes: Sized[] }>>(text);
  return new Map(found[list]?.nodes.map(({ id, linked }) => [id, linked.totalCount]));
}

async function idsWhere(list: string, filter: string): Promise<readonly string[]> {
  const found = await controller.read<Record<string, { nodes: { id: string }[] }>>(
    `query ($filter: String!) { ${list}(first: 500, filter: $filter) { nodes { id } } }`,
    { filter },
  );
  return found[list]?.nodes.map(({ id }) => id) ?? [];
}

describe('a filter by the size of a linked set', () => {
  test.each([
    ['services', 'identities'],
    ['services', 'servicePolicies'],
    ['services', 'edgeRouters'],
    ['identities', 'services'],
    ['identities', 'servicePolicies'],
    ['servicePolicies', 'identities'],
    ['servicePolicies', 'services'],
    ['servicePolicies', 'postureChecks'],
  ])('of %s: %s', async (list, relation) => {
    const all = await sizes(list, relation);
    const where = (holds: (size: number) => boolean): string[] =>
      [...all].filter(([, size]) => holds(size)).map(([id]) => id);
    const most = Math.max(...all.values());
    expect(await idsWhere(list, `count(${relation}) >= ${String(most)}`)).toStrictEqual(
      where((size) => size >= most),
    );
    expect(await idsWhere(list, `isEmpty(${relation})`)).toStrictEqual(where((size) => size === 0));
    expect(await idsWhere(list, `not isEmpty(from ${relation} where true)`)).toStrictEqual(
      where((size) => size > 0),
    );
    expect(
      await idsWhere(list, `count(${relation}) in [0, 1] or count(${relation}) > 3`),
    ).toStrictEqual(where((size) => size < 2 || size > 3));
  });

  test('looks at no pairs: the plan reads one table alone', async () => {
    const seen: string[] = [];
    controller.parts.database.watch = (text) => {
      seen.push(text);
      return undefined;
    };
    try {
      await idsWhere('services', 'count(identities) > 2 and not isEmpty(servicePolicies)');
    } finally {
      controller.parts.database.watch = undefined;
    }
    expect(seen).toHaveLength(1);
    expect(seen[0]).not.toContain('"service_policy"');
    expect(seen[0]).not.toContain('"identity"');
  });

  test('follows the network', async () => {
    const policy = await controller.create('ServicePolicy', {
      name: 'everything',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#all'],
      serviceRoles: ['#all'],
    });
    expect(await idsWhere('services', 'isEmpty(identities)')).toStrictEqual([]);
    await controller.read('mutation ($id: ID!) { deleteServicePolicy(id: $id) }', { id: policy });
    expect((await idsWhere('services', 'isEmpty(identities)')).length).toBeGreaterThan(0);
  });
});
