import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callerOf, InProcess } from '../support/in-process.js';

/* Lists in the order of how many others each of their entities reaches. */

let controller: InProcess;
const ids = new Map<string, string>();
const idOf = (name: string): string => ids.get(name) ?? '';

/** Identity -> the services it may dial. */
const REACH: Readonly<Record<string, readonly string[]>> = {
  ada: ['s1', 's2', 's3'],
  bob: ['s1'],
  cy: ['s1', 's2'],
  dan: [],
  eve: ['s1', 's2'],
};
const SERVICES = ['s1', 's2', 's3', 's4'];
const PEOPLE = Object.keys(REACH);

beforeAll(async () => {
  controller = await InProcess.start();
  for (const name of SERVICES) {
    ids.set(name, await controller.create('Service', { name, encryptionRequired: true }));
  }
  for (const [name, services] of Object.entries(REACH)) {
    const id = await controller.create('Identity', { name, type: 'Default', isAdmin: false });
    ids.set(name, id);
    if (services.length === 0) continue;
    await controller.create('ServicePolicy', {
      name: `of ${name}`,
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${id}`],
      serviceRoles: services.map((service) => `@${idOf(service)}`),
    });
  }
});
afterAll(() => controller.stop());

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly name: string } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean };
  readonly totalCount: number;
}

async function page(list: 'identities' | 'services', args: string, own = PEOPLE): Promise<Page> {
  const names = JSON.stringify(own);
  const text = `{ ${list}(where: { name: { in: ${names} } }, ${args}) {
    edges { cursor node { name } } pageInfo { hasNextPage hasPreviousPage } totalCount } }`;
  return (await controller.read<Record<string, Page>>(text))[list] as Page;
}

const namesOf = ({ edges }: Page): string[] => edges.map(({ node }) => node.name);
const by = (field: string, direction: string): string =>
  `orderBy: [{ field: ${field}, direction: ${direction} }]`;

/** Those with the same count by their ids. */
const expected = (counts: Readonly<Record<string, number>>, sign: 1 | -1): string[] =>
  Object.keys(counts).sort(
    (a, b) => sign * ((counts[a] ?? 0) - (counts[b] ?? 0)) || (idOf(a) < idOf(b) ? -1 : 1),
  );

const OF_IDENTITIES = Object.fromEntries(
  Object.entries(REACH).map(([name, services]) => [name, services.length]),
);
const OF_SERVICES = Object.fromEntries(
  SERVICES.map((service) => [
    service,
    Object.values(REACH).filter((services) => services.includes(service)).length,
  ]),
);

describe('a list by the size of a relation', () => {
  test('of identities: by the number of services that they reach', async () => {
    expect(namesOf(await page('identities', by('services__totalCount', 'desc')))).toStrictEqual(
      expected(OF_IDENTITIES, -1),
    );
    expect(namesOf(await page('identities', by('services__totalCount', 'asc')))).toStrictEqual(
      expected(OF_IDENTITIES, 1),
    );
  });

  test('of services: by the number of identities that reach them', async () => {
    const found = await page('services', by('identities__totalCount', 'desc'), SERVICES);
    expect(namesOf(found)).toStrictEqual(expected(OF_SERVICES, -1));
  });

  test.each(['asc', 'desc'] as const)('is paged in both directions, %s', async (direction) => {
    const order = by('services__totalCount', direction);
    const all = expected(OF_IDENTITIES, direction === 'asc' ? 1 : -1);
    const forward: string[] = [];
    for (let after = ''; ;) {
      const found = await page('identities', `${order}, first: 2${after}`);
      forward.push(...namesOf(found));
      expect(found.totalCount).toBe(all.length);
      if (!found.pageInfo.hasNextPage) break;
      after = `, after: ${JSON.stringify(found.edges.at(-1)?.cursor)}`;
    }
    expect(forward).toStrictEqual(all);
    const backward: string[] = [];
    for (let before = ''; ;) {
      const found = await page('identities', `${order}, last: 2${before}`);
      backward.unshift(...namesOf(found));
      if (!found.pageInfo.hasPreviousPage) break;
      before = `, before: ${JSON.stringify(found.edges[0]?.cursor)}`;
    }
    expect(backward).toStrictEqual(all);
  });

  test('is what the relation itself says, and follows the network', async () => {
    const counts = async (): Promise<number[]> => {
      const { identities } = await controller.read<{
        identities: { nodes: { services: { totalCount: number } }[] };
      }>(
        `{ identities(${by('services__totalCount', 'desc')}) { nodes { services { totalCount } } } }`,
      );
      return identities.nodes.map(({ services }) => services.totalCount);
    };
    const before = await counts();
    expect(before).toStrictEqual([...before].sort((a, b) => b - a));
    const all = await controller.create('ServicePolicy', {
      name: 'dan reaches all',
      type: 'Bind',
      semantic: 'AnyOf',
      identityRoles: [`@${idOf('dan')}`],
      serviceRoles: ['#all'],
    });
    const [first] = namesOf(await page('identities', by('services__totalCount', 'desc')));
    expect(first).toBe('dan');
    await controller.read('mutation ($id: ID!) { deleteServicePolicy(id: $id) }', { id: all });
  });

  test('can be narrowed by the same name', async () => {
    const { identities } = await controller.read<{ identities: { nodes: { name: string }[] } }>(
      `{ identities(where: { services__totalCount: { gte: 2 } }, sort: "name") { nodes { name } } }`,
    );
    expect(identities.nodes.map(({ name }) => name)).toStrictEqual(['ada', 'cy', 'eve']);
  });

  test('within another one, of several parents', async () => {
    const { services } = await controller.read<{
      services: { nodes: { identities: { nodes: { name: string }[] } }[] };
    }>(
      `{ services(where: { name: { in: ["s1", "s2"] } }, sort: "name") { nodes {
        identities(${by('services__totalCount', 'desc')}, first: 3) { nodes { name } } } } }`,
    );
    const lists = services.nodes.map(({ identities }) => identities.nodes.map(({ name }) => name));
    const order = expected(OF_IDENTITIES, -1).filter((name) => name !== 'dan');
    expect(lists).toStrictEqual([order.slice(0, 3), order.filter((n) => n !== 'bob').slice(0, 3)]);
  });

  test('is refused to those who may not read what is counted', async () => {
    const { errors } = await controller.graph(
      `{ identities(${by('services__totalCount', 'desc')}) { nodes { id } } }`,
      {},
      controller.ctx(callerOf('nobody', 'identity.read')),
    );
    expect(errors[0]?.code).toBe('UNAUTHORIZED');
  });

  test('sends what it counts by once', async () => {
    const values: number[] = [];
    controller.parts.database.watch = (text) => {
      values.push(
        (text.match(/::jsonb ->>/g) ?? []).length,
        new Set(text.match(/\$\d+::jsonb/g)).size,
      );
      return undefined;
    };
    try {
      await page('identities', `${by('services__totalCount', 'desc')}, first: 2`);
    } finally {
      controller.parts.database.watch = undefined;
    }
    const [uses = 0, sent] = values;
    expect(uses).toBeGreaterThan(1);
    expect(sent).toBe(1);
  });
});
