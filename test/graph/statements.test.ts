import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callerOf, InProcess } from '../support/in-process.js';

/** SQL statements per document: the same however many rows there are. */

const POLICIES = 25;

let controller: InProcess;
let identity: string;

beforeAll(async () => {
  controller = await InProcess.start();
  const type = await controller.create('ConfigType', { name: 'own.v1', schema: {} });
  const config = await controller.create('Config', { name: 'c', configTypeId: type, data: {} });
  for (let i = 0; i < POLICIES; i += 1) {
    const n = String(i);
    identity = await controller.create('Identity', {
      name: `identity ${n}`,
      type: 'Default',
      isAdmin: false,
      roleAttributes: [`g${String(i % 5)}`],
      enrollment: { ott: true },
    });
    await controller.create('Service', {
      name: `service ${n}`,
      encryptionRequired: true,
      roleAttributes: [`g${String(i % 5)}`],
      configs: [config],
    });
    if (i < 5)
      await controller.create('EdgeRouter', { name: `router ${n}`, isTunnelerEnabled: true });
    await controller.create('ServicePolicy', {
      name: `policy ${n}`,
      type: i % 2 === 0 ? 'Dial' : 'Bind',
      semantic: 'AnyOf',
      identityRoles: [`#g${String(i % 5)}`],
      serviceRoles: [`#g${String((i + 1) % 5)}`],
      postureCheckRoles: [],
    });
  }
  await controller.create('EdgeRouterPolicy', {
    name: 'all',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
});
afterAll(() => controller.stop());

/** The most statements that a document may take, by what it asks. */
const DOCUMENTS: readonly (readonly [string, number, string])[] = [
  ['one entity', 1, 'query ($id: ID!) { identity(id: $id) { name } }'],
  ['a page', 1, '{ identities { nodes { id name } } }'],
  ['a page with its total', 1, '{ identities { nodes { id name } totalCount } }'],
  [
    'a filtered page with its total',
    1,
    '{ identities(filter: "name contains \\"1\\"") { nodes { id } totalCount } }',
  ],
  [
    'a page with cursors',
    1,
    '{ identities(first: 5) { edges { cursor node { id } } pageInfo { hasNextPage } } }',
  ],
  ['a total alone', 1, '{ identities { totalCount } }'],
  [
    'every attribute of a page',
    1,
    `{ identities { nodes { id name tags roleAttributes authenticators { updb { username } }
        enrollment { ott { jwt } } hasApiSession envInfo { os } disabled } } }`,
  ],
  ['references by name', 1, '{ identities { nodes { type { id name } authPolicy { id name } } } }'],
  [
    'references in full',
    2,
    '{ identities { nodes { authPolicy { name primary { cert { allowed } } } } } }',
  ],
  [
    'two references in full',
    3,
    '{ identities { nodes { authPolicy { createdAt } type { createdAt } } } }',
  ],
  [
    'role displays',
    1,
    '{ servicePolicies { nodes { identityRolesDisplay { name } serviceRolesDisplay { name } } } }',
  ],
  [
    'a nested page',
    3,
    `{ servicePolicies(first: 25) { nodes { name
        identities(first: 10) { nodes { id name } totalCount }
        services(first: 10) { nodes { id name } totalCount } } totalCount } }`,
  ],
  [
    'a filtered nested page',
    2,
    `{ servicePolicies(first: 25) { nodes {
        identities(first: 10, filter: "name contains \\"1\\"") { nodes { id name } totalCount } } } }`,
  ],
  [
    'three levels',
    3,
    `{ servicePolicies(first: 5) { nodes { identities(first: 5) { nodes {
        services(first: 5) { nodes { name } totalCount } } } } } }`,
  ],
  [
    'four levels',
    4,
    `{ identities(first: 3) { nodes { servicePolicies(first: 3) { nodes { identities(first: 3) { nodes {
        edgeRouters(first: 3) { nodes { name } totalCount } } } } } } } }`,
  ],
  [
    'the same relation under two names',
    3,
    `{ identities(first: 10) { nodes {
        dial: services(type: Dial) { nodes { name } } bind: services(type: Bind) { nodes { id } } } } }`,
  ],
  ['totals of relations alone', 2, '{ servicePolicies { nodes { identities { totalCount } } } }'],
  ['the news of services', 0, '{ currentServiceUpdates { lastChangeAt } }'],
  ['permissions of services', 1, '{ services { nodes { permissions } } }'],
  [
    'posture queries of services',
    2,
    '{ services { nodes { postureQueries { policyId isPassing } } } }',
  ],
  ['configs of services', 2, '{ services { nodes { config(configTypes: ["all"]) } } }'],
  ['configs as entities', 2, '{ services { nodes { configsConnection { nodes { name } } } } }'],
  ['enrollments', 2, '{ identities { nodes { enrollments { nodes { token } } } } }'],
  ['service configs', 2, '{ identities { nodes { serviceConfigs { configId } } } }'],
  [
    'state of routers',
    1,
    '{ edgeRouters { nodes { isOnline hostname supportedProtocols { address } syncStatus } } }',
  ],
  [
    'a filter over a linked set',
    1,
    '{ identities(filter: "anyOf(services.name) = \\"service 1\\"") { totalCount nodes { id } } }',
  ],
  [
    'several lists',
    3,
    '{ identities { nodes { id } } services { nodes { id } } edgeRouters { nodes { id } } }',
  ],
  [
    'two pages of one list with the same columns',
    1,
    '{ a: identities(first: 1) { nodes { id } } b: identities(last: 1) { nodes { id } } }',
  ],
];

describe('SQL statements', () => {
  test.each(DOCUMENTS)('%s: at most %d', async (_, most, document) => {
    const given = document.includes('$id') ? { id: identity } : {};
    const counts: number[] = [];
    // Plainly, then compiled.
    for (let round = 0; round < 3; round += 1) {
      const { statements, messages } = await controller.graph(document, given);
      expect(messages).toStrictEqual([]);
      counts.push(statements);
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(most);
  });

  test('a caller without permissions costs no more', async () => {
    const ctx = controller.ctx(callerOf(identity));
    const { statements, data } = await controller.graph(
      '{ services { nodes { name } totalCount } identities { nodes { name } totalCount } }',
      {},
      ctx,
    );
    expect(data?.services).toMatchObject({ totalCount: 5 });
    expect(statements).toBeLessThanOrEqual(2);
  });

  test('every relation of every resource: one more than the page', async () => {
    for (const resource of controller.catalog.all()) {
      for (const relation of resource.relations.values()) {
        const about = `${resource.name}.${relation.name}`;
        const { statements, messages } = await controller.graph(
          `{ ${resource.list} { nodes { ${relation.name}(first: 3) { nodes { id } totalCount } } } }`,
        );
        expect([about, messages]).toStrictEqual([about, []]);
        expect([about, statements <= 2]).toStrictEqual([about, true]);
      }
    }
  });

  test('every attribute of every resource: at most three for a page', async () => {
    for (const resource of controller.catalog.all()) {
      const type = controller.schema.getType(resource.name) as unknown as {
        getFields(): Record<
          string,
          { name: string; type: { toString(): string }; args: unknown[] }
        >;
      };
      const plain = Object.values(type.getFields())
        .filter(
          (f) =>
            /^\[?(ID|String|Int|Boolean|DateTime|JSON|JSONObject)!?\]?!?$/.test(String(f.type)) &&
            f.args.length === 0,
        )
        .map((f) => f.name);
      const { statements, messages } = await controller.graph(
        `{ ${resource.list} { nodes { ${plain.join(' ')} } totalCount } }`,
      );
      expect([resource.name, messages]).toStrictEqual([resource.name, []]);
      expect([resource.name, statements <= 3]).toStrictEqual([resource.name, true]);
    }
  });
});
