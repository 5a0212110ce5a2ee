import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { sql } from '../../src/base/sql.js';
import { InProcess } from '../support/in-process.js';

/** What the import of a document would do to access. */

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
  for (const [name, ...roleAttributes] of [
    ['ada', 'staff'],
    ['bob', 'staff'],
    ['eve', 'guest'],
  ]) {
    const input = { name, type: 'Default', isAdmin: false, roleAttributes };
    await controller.create('Identity', input);
  }
  await controller.create('Service', {
    name: 'wiki',
    encryptionRequired: true,
    roleAttributes: ['docs'],
  });
  await controller.create('ServicePolicy', {
    name: 'staff reads',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#staff'],
    serviceRoles: ['#docs'],
  });
  await controller.create('EdgeRouter', { name: 'gate', roleAttributes: ['public'] });
  for (const [resource, roles] of [
    ['EdgeRouterPolicy', 'identityRoles'],
    ['ServiceEdgeRouterPolicy', 'serviceRoles'],
  ] as const) {
    await controller.create(resource, {
      name: 'all',
      semantic: 'AnyOf',
      [roles]: ['#all'],
      edgeRouterRoles: ['#public'],
    });
  }
});
afterAll(() => controller.stop());

/** How much is in the change log. */
const written = async (): Promise<unknown> =>
  controller.parts.store.query(sql`select count(*) from change`);

describe('simulateImport', () => {
  const ask = async (document: Row): Promise<Row> =>
    (
      await controller.read<{ simulateImport: Row }>(
        `query ($document: JSON!) { simulateImport(document: $document) { faults faultCount ignored
          simulation { gained { totalCount nodes { serviceName service { name } paths { policyId } } } lost { totalCount }
            identityRouters { gained { totalCount } } proveNoLostAccess { holds } } } }`,
        { document },
      )
    ).simulateImport;

  test('tells what a document would do to access, before anything is written', async () => {
    const before = await written();
    const answer = await ask({
      services: [{ name: 'crm', encryptionRequired: true, roleAttributes: ['docs'] }],
      edgeRouters: [{ name: 'second', isTunnelerEnabled: true }],
    });
    expect(answer).toMatchObject({
      faults: [],
      faultCount: 0,
      ignored: [],
      simulation: {
        // It is not there yet, but it has a name.
        gained: {
          totalCount: 2,
          nodes: [
            { serviceName: 'crm', service: null },
            { serviceName: 'crm', service: null },
          ],
        },
        lost: { totalCount: 0 },
        // The identity of the new router uses both routers: its own, and that of all.
        identityRouters: { gained: { totalCount: 2 } },
        proveNoLostAccess: { holds: true },
      },
    });
    expect(await written()).toStrictEqual(before);
  });

  test('names what is new wherever it is shown, and the pages of its answers fit together', async () => {
    const document = {
      services: ['crm', 'erp'].map((name) => ({ name, encryptionRequired: true })),
      edgeRouters: [{ name: 'second', isTunnelerEnabled: false, roleAttributes: ['public'] }],
      servicePolicies: [
        {
          name: 'guests dial',
          type: 'Dial',
          semantic: 'AnyOf',
          identityRoles: ['#guest'],
          serviceRoles: ['@crm', '@erp'],
        },
      ],
    };
    const page = async (after: string | null): Promise<Row> => {
      const { simulateImport } = await controller.read<{ simulateImport: Row }>(
        `query ($document: JSON!, $after: String) { simulateImport(document: $document) { simulation {
          gained(first: 1, after: $after) { totalCount pageInfo { endCursor }
            nodes { identityName serviceName paths { policyName } } }
          serviceRouters { gained(first: 500) { nodes { identityName serviceName routerName } } }
          findings { appeared { kind entities { kind name } } } } } }`,
        { document, after },
      );
      return simulateImport.simulation as Row;
    };
    const first = await page(null);
    const { endCursor } = (first.gained as { pageInfo: { endCursor: string } }).pageInfo;
    const second = await page(endCursor);
    const granted = [first, second].flatMap(({ gained }) => (gained as { nodes: Row[] }).nodes);
    expect(granted).toHaveLength(2);
    expect(granted).toEqual(
      expect.arrayContaining(
        ['crm', 'erp'].map((serviceName) => ({
          identityName: 'eve',
          serviceName,
          paths: [{ policyName: 'guests dial' }],
        })),
      ),
    );
    const { nodes } = (first.serviceRouters as { gained: { nodes: Row[] } }).gained;
    const wikiGoesBySecond = { identityName: null, serviceName: 'wiki', routerName: 'second' };
    expect(nodes).toContainEqual(wikiGoesBySecond);
    expect(nodes).toContainEqual({ ...wikiGoesBySecond, serviceName: 'crm', routerName: 'gate' });
    expect((first.findings as { appeared: Row[] }).appeared).toContainEqual({
      kind: 'SERVICE_NOBODY_HOSTS',
      entities: [{ kind: 'service', name: 'crm' }],
    });
  });

  test('tells the faults of a document', async () => {
    expect(await ask({ services: [{ encryptionRequired: true }] })).toMatchObject({
      faultCount: 1,
      simulation: null,
    });
  });
});
