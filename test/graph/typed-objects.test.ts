import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getNamedType, isObjectType } from 'graphql';
import type { Row } from '../../src/base/row.js';
import { callerOf, InProcess, InProcessRest } from '../support/in-process.js';
import { makeAdaAndWiki } from './ada-and-wiki.js';

/* Objects whose shape is known have a type, so that clients select their members and know them. */

/** Fields that hold any JSON, and what says their shape instead of a type. */
const FREE: Readonly<Record<string, string>> = {
  'CheckFailure.actualValue': 'the type of the check',
  'CheckFailure.expectedValue': 'the type of the check',
  'PostureFailure.actualValue': 'the type of the check',
  'PostureFailure.expectedValue': 'the type of the check',
  'Change.after': 'the type of the entity',
  'Change.before': 'the type of the entity',
  'ChangedField.after': 'the field',
  'ChangedField.before': 'the field',
  'ProposedChange.input': 'the input of the type of the entity',
  'RevertingChange.input': 'the input of the type of the entity',
  'ImportChange.input': 'the input of the type of the entity',
  'ExportedChanges.document': 'the format of imports',
  'Config.data': 'the schema of the config type',
  'ConfigType.schema': 'JSON schema',
  'Service.config': 'the schemas of the config types',
  'InspectedValue.value': 'the version of the router',
  'RouterValidationResult.details':
    'the kind of the validation, in the format of the public controller',
  'Query.enrollmentKeys': 'RFC 7517',
  'Query.exportNetwork': 'the format of exports',
  'Spec.document': 'OpenAPI',
  'Controller.apiAddresses': 'names of interfaces are its members, as they are stored',
  'DirectoryGroup.attributes': 'the provider of the directory, in the form of RFC 7643',
  'DirectoryUser.attributes': 'the provider of the directory, in the form of RFC 7643',
  'RouterTrace.content': 'the type of the message',
  'ClientEdgeRouter.appData': 'whoever wrote it',
  'EdgeRouter.appData': 'whoever wrote it',
  'Identity.appData': 'whoever wrote it',
  'SessionRouter.appData': 'whoever wrote it',
  'Identity.serviceHostingCosts': 'ids are its members, as in the inputs',
  'Identity.serviceHostingPrecedences': 'ids are its members, as in the inputs',
  'EdgeRouter.ctrlChanListeners': 'URLs are its members, as in the inputs',
  'Router.ctrlChanListeners': 'URLs are its members, as in the inputs',
  'TransitRouter.ctrlChanListeners': 'URLs are its members, as in the inputs',
};

let controller: InProcess;
let service: string;
let identity: string;

beforeAll(async () => {
  controller = await InProcess.start();
  ({ identity, service } = await makeAdaAndWiki(controller));
});
afterAll(() => controller.stop());

describe('over REST, the same objects', () => {
  let rest: InProcessRest;

  beforeAll(async () => {
    const admin = await controller.create('Identity', {
      name: 'reader',
      type: 'Default',
      isAdmin: true,
    });
    rest = await InProcessRest.listen(controller, admin);
  });
  afterAll(() => rest.stop());

  const textOf = async (path: string): Promise<string> =>
    JSON.stringify((await rest.get(path)).body.data);

  test('are the bytes that clients know: why somebody reaches a service', async () => {
    const policy = await controller.create('ServicePolicy', {
      name: 'clerks',
      type: 'Bind',
      semantic: 'AnyOf',
      identityRoles: ['#clerk'],
      serviceRoles: ['#docs'],
    });
    const { nearestMisses } = JSON.parse(
      await textOf(`/access?identityId=${identity}&serviceId=${service}&type=Bind`),
    ) as { nearestMisses: object };
    const update = { operation: 'update', type: 'identity', id: identity };
    const remedies = [
      {
        kind: 'ADD_ATTRIBUTE',
        entity: 'identity',
        id: identity,
        attributes: ['clerk'],
        size: 1,
        change: { ...update, input: { roleAttributes: ['clerk', 'staff'] } },
        gained: 1,
        lost: 0,
      },
      {
        kind: 'ADD_ROLE',
        policyId: policy,
        side: 'identities',
        role: `@${identity}`,
        size: 1,
        change: {
          operation: 'update',
          type: 'servicePolicy',
          id: policy,
          input: { identityRoles: ['#clerk', `@${identity}`] },
        },
        gained: 1,
        lost: 0,
      },
    ];
    const miss = {
      policy: { id: policy, name: 'clerks' },
      semantic: 'AnyOf',
      changes: 1,
      isInForce: true,
      identitySide: { missingAttributes: ['clerk'], remedies },
      serviceSide: null,
    };
    expect(JSON.stringify(nearestMisses)).toBe(JSON.stringify({ totalCount: 1, nodes: [miss] }));
    await controller.read('mutation ($id: ID!) { deleteServicePolicy(id: $id) }', { id: policy });
  });

  test('are the bytes that clients know: attributes and interfaces', async () => {
    const none = { count: 0 };
    for (const path of ['/service-role-attribute-usage', '/service-role-attributes/usage']) {
      expect(await textOf(path)).toBe(
        JSON.stringify([
          {
            roleAttribute: 'docs',
            usage: {
              services: { count: 1 },
              servicePolicies: none,
              serviceEdgeRouterPolicies: none,
            },
          },
        ]),
      );
    }
    const served = (path: string) => ({
      v1: { apiBaseUrls: [`https://localhost:1280${path}`], path, version: 'v1' },
    });
    const { apiVersions } = JSON.parse(await textOf('/version')) as { apiVersions: object };
    expect(JSON.stringify(apiVersions)).toBe(
      JSON.stringify({
        edge: served('/edge/client/v1'),
        'edge-client': served('/edge/client/v1'),
        'edge-management': served('/edge/management/v1'),
        fabric: served('/fabric/v1'),
        'health-checks': served('/health-checks/v1'),
      }),
    );
    expect(await textOf('/edge/client/v1/protocols')).toBe(
      JSON.stringify({ https: { address: 'localhost:1280' } }),
    );
  });
});

test('free JSON is only where something else than the graph says its shape', () => {
  const free = Object.values(controller.schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields())
        .filter((field) => ['JSON', 'JSONObject'].includes(getNamedType(field.type).name))
        .map((field) => `${type.name}.${field.name}`),
    )
    .filter((name) => !name.endsWith('.tags'));
  expect(free.sort()).toStrictEqual(Object.keys(FREE).sort());
});

describe('a typed object', () => {
  test('counts what the caller may read, by the names of the lists', async () => {
    const { summary } = await controller.read<{ summary: Row }>(
      '{ summary { services identities certificateAuthorities edgeRouters } }',
    );
    const lists = await controller.read<Record<string, { totalCount: number }>>(
      '{ services { totalCount } identities { totalCount } }',
    );
    expect(summary).toStrictEqual({
      services: lists.services?.totalCount,
      identities: lists.identities?.totalCount,
      certificateAuthorities: 0,
      edgeRouters: 0,
    });
  });

  test('is null in the summary for those who may not read it', async () => {
    const reader = controller.ctx(callerOf(identity, 'service.read'));
    const counts = await controller.read('{ summary { services identities } }', {}, reader);
    expect(counts).toStrictEqual({ summary: { services: 1, identities: null } });
  });

  test('is what an API session has still to prove', async () => {
    await controller.read(
      `mutation { updateAuthPolicy(id: "default", input: { secondary: { requireTotp: true } }) { id } }`,
    );
    const { id } = await controller.openSession(identity);
    const { apiSession } = await controller.read<{ apiSession: { authQueries: Row[] } }>(
      `query ($id: ID!) { apiSession(id: $id) { authQueries {
        typeId provider httpUrl httpMethod format minLength maxLength isTotpEnrolled signerId signer { id } scopes } } }`,
      { id },
    );
    expect(apiSession.authQueries).toStrictEqual([
      {
        typeId: 'MFA',
        provider: 'ziti',
        httpUrl: './authenticate/mfa',
        httpMethod: 'POST',
        format: 'numeric',
        minLength: 4,
        maxLength: 6,
        isTotpEnrolled: false,
        signerId: null,
        signer: null,
        scopes: null,
      },
    ]);
  });

  test('is a remedy with what the change would do', async () => {
    const policy = await controller.create('ServicePolicy', {
      name: 'guests',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#guest'],
      serviceRoles: ['#docs'],
    });
    const { access } = await controller.read<{
      access: { nearestMisses: { nodes: { identitySide: { remedies: Row[] } }[] } };
    }>(
      `query ($i: ID!, $s: ID!) { access(identityId: $i, serviceId: $s, type: Dial) {
        nearestMisses { nodes { identitySide { remedies { kind attributes side role size
          change { operation type entityId input gained lost entity { ... on Identity { name } } } } } } } } }`,
      { i: identity, s: service },
    );
    expect(access.nearestMisses.nodes[0]?.identitySide.remedies).toStrictEqual([
      {
        kind: 'ADD_ATTRIBUTE',
        attributes: ['guest'],
        side: null,
        role: null,
        size: 1,
        change: {
          operation: 'update',
          type: 'identity',
          entityId: identity,
          input: { roleAttributes: ['guest', 'staff'] },
          gained: 1,
          lost: 0,
          entity: { name: 'ada' },
        },
      },
      {
        kind: 'ADD_ROLE',
        attributes: null,
        side: 'identities',
        role: `@${identity}`,
        size: 1,
        change: {
          operation: 'update',
          type: 'servicePolicy',
          entityId: policy,
          input: { identityRoles: ['#guest', `@${identity}`] },
          gained: 1,
          lost: 0,
          entity: {},
        },
      },
    ]);
  });

  test('tells of the interfaces, and of the users of an attribute', async () => {
    const told = await controller.read(
      `{ version { apiVersions { api version path } } protocols { protocol }
        roleAttributeUsage(kind: service, withIds: true) { nodes { roleAttribute usage { collection count ids } } } }`,
    );
    expect(told).toMatchObject({
      version: {
        apiVersions: expect.arrayContaining([
          { api: 'edge-management', version: 'v1', path: '/edge/management/v1' },
        ]),
      },
      protocols: [{ protocol: 'https' }],
      roleAttributeUsage: {
        nodes: [
          {
            roleAttribute: 'docs',
            usage: expect.arrayContaining([
              { collection: 'services', count: 1, ids: [service] },
              { collection: 'serviceEdgeRouterPolicies', count: 0, ids: [] },
            ]),
          },
        ],
      },
    });
  });
});
