import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { ADMIN, InProcess, type GraphAnswer } from '../support/in-process.js';

/** Relations of very many parents at once: within the limits of a document, so they are answered. */

const IDENTITIES = 300;
const SERVICES = 40;

let controller: InProcess;
let texts: string[];

beforeAll(async () => {
  controller = await InProcess.start();
  for (let i = 0; i < SERVICES; i += 1) {
    const n = String(i).padStart(2, '0');
    const service = await controller.create('Service', {
      name: `service ${n}`,
      encryptionRequired: true,
      // What arrays and texts of the database would take for their own.
      roleAttributes: [`a "quoted", {braced} \\ ${n}`, i % 2 === 0 ? 'even' : 'odd'],
    });
    await controller.create('ServiceEdgeRouterPolicy', {
      name: `policy ${n}`,
      semantic: i % 3 === 0 ? 'AllOf' : 'AnyOf',
      serviceRoles: i % 4 === 0 ? [`@${service}`] : [`#a "quoted", {braced} \\ ${n}`],
      edgeRouterRoles: ['#all'],
    });
  }
  for (let i = 0; i < IDENTITIES; i += 1) {
    await controller.create('Identity', {
      name: `identity ${String(i).padStart(3, '0')}`,
      type: 'Default',
      isAdmin: false,
      roleAttributes: [i % 2 === 0 ? 'even' : 'odd'],
    });
  }
  for (const [name, roles] of [
    ['all', { identityRoles: ['#all'], serviceRoles: ['#even'] }],
    ['odd', { identityRoles: ['#odd'], serviceRoles: ['#odd', '#even'] }],
  ] as const) {
    await controller.create('ServicePolicy', { name, type: 'Dial', semantic: 'AnyOf', ...roles });
  }
  controller.parts.database.watch = (text) => {
    texts.push(text);
    return undefined;
  };
});
beforeEach(() => {
  texts = [];
});
afterAll(() => controller.stop());

/** Sends the document as the door for clients does. */
const asClient = (text: string, variables: Row): Promise<GraphAnswer> => {
  const ctx = controller.parts.contexts.make('', ADMIN, { mostRows: 500 });
  return controller.graph(text, variables, ctx);
};

interface Named {
  readonly name: string;
}
interface List<T> {
  readonly nodes: readonly T[];
  readonly totalCount: number;
}

/** The longest statement of a document, which must succeed. */
async function longest(text: string): Promise<number> {
  texts = [];
  await controller.read(text);
  return Math.max(...texts.map(({ length }) => length));
}

describe('a relation of very many parents', () => {
  test('is read in one statement that does not grow with them', async () => {
    const below = (first: number): string =>
      `{ identities(first: ${String(first)}, filter: "not isAdmin") { nodes { services(first: 40) { nodes {
        name serviceEdgeRouterPolicies(first: 1) { nodes { name } } } } } } }`;
    const few = await longest(below(100));
    expect(await longest(below(IDENTITIES))).toBe(few);
    expect(texts).toHaveLength(3);

    const { identities } = await controller.read<{
      identities: List<{
        services: List<Named & { serviceEdgeRouterPolicies: List<Named> }>;
      }>;
    }>(below(IDENTITIES));
    const sizes = identities.nodes.map(({ services }) => services.nodes.length);
    expect(sizes.filter((size) => size === SERVICES / 2)).toHaveLength(IDENTITIES / 2);
    expect(sizes.filter((size) => size === SERVICES)).toHaveLength(IDENTITIES / 2);
    for (const { services } of identities.nodes) {
      for (const { name, serviceEdgeRouterPolicies } of services.nodes) {
        expect(serviceEdgeRouterPolicies.nodes).toStrictEqual([
          { name: name.replace('service', 'policy') },
        ]);
      }
    }
  });

  test('is read once for parents that ask the same', async () => {
    const { store } = controller.parts;
    const rows = store.rows.bind(store);
    const places: number[] = [];
    store.rows = (statement) => {
      for (const value of statement.render().values) {
        if (Array.isArray(value)) places.push(value.length);
      }
      return rows(statement);
    };
    try {
      await controller.read(
        '{ identities(first: 100) { nodes { services(first: 40) { nodes { serviceEdgeRouterPolicies(first: 1) { nodes { id } } } } } } }',
      );
    } finally {
      store.rows = rows;
    }
    // A hundred identities reach services by the same two sets of policies, and forty services in all.
    expect(new Set(places)).toStrictEqual(new Set([2, SERVICES]));
  });

  test('is refused if a list of another kind makes its pages too many', async () => {
    const { services } = await controller.read<{ services: List<{ id: string }> }>(
      '{ services(first: 100) { nodes { id } } }',
    );
    const changes = services.nodes.map(({ id }) => ({
      ...{ operation: 'update', type: 'service', id, input: {} },
    }));
    const applying = `mutation ($changes: [ModelChangeInput!]!, $first: Int) {
      applyChanges(changes: $changes) { entity { ... on Service {
        identities(first: $first) { nodes { services(first: 40) { nodes { name } } } } } } } }`;
    const { errors } = await asClient(applying, { changes, first: 300 });
    expect(new Set(errors.map((error) => error?.code))).toStrictEqual(
      new Set(['QUERY_TOO_COMPLEX']),
    );
    expect((await asClient(applying, { changes, first: 10 })).errors).toStrictEqual([]);
  });

  test('reads no rows if only totals are asked for', async () => {
    const { data, errors } = await asClient(
      `{ identities(first: 300) { nodes { dialed: services(first: 500, type: Dial) { totalCount }
        all: services(first: 500) { totalCount } } } }`,
      {},
    );
    expect(errors).toStrictEqual([]);
    const { nodes } = (data as { identities: List<{ all: { totalCount: number } }> }).identities;
    expect(nodes.map(({ all }) => all.totalCount)).toContain(SERVICES);
  });

  test('with a long filter and its totals as well', async () => {
    const terms = Array.from({ length: 30 }, (_, i) => `name != \\"service ${String(i)}x\\"`);
    const document = (first: number): string =>
      `{ identities(first: ${String(first)}) { nodes { services(first: 25, filter: "${terms.join(' and ')}") {
        nodes { name } totalCount } } } }`;
    const few = await longest(document(50));
    expect(await longest(document(100))).toBe(few);
  });
});
