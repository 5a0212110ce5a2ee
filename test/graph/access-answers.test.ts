import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { OwnDocument } from '../rest/support/own-document.js';
import { callerOf, InProcess, InProcessRest } from '../support/in-process.js';
import { makeAdaAndWiki } from './ada-and-wiki.js';

/** Why somebody reaches a service, or does not, as the graph tells it. */

let controller: InProcess;
let identity: string;
let service: string;
let check: string;
let policy: string;
let apiSessionId: string;

beforeAll(async () => {
  controller = await InProcess.start();
  check = await controller.create('PostureCheck', {
    name: 'at home',
    typeId: 'DOMAIN',
    domains: ['example.com'],
  });
  ({ identity, service } = await makeAdaAndWiki(controller));
  policy = await controller.create('ServicePolicy', {
    name: 'staff reads docs',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#staff'],
    serviceRoles: ['#docs'],
    postureCheckRoles: [`@${check}`],
  });
  await controller.create('ServicePolicy', {
    name: 'guests read docs',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#guests'],
    serviceRoles: [`@${service}`],
  });
  const bar = await controller.create('Service', { name: 'bar', encryptionRequired: true });
  await controller.create('ServicePolicy', {
    name: 'guests at the bar',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#guests'],
    serviceRoles: [`@${bar}`],
  });
  ({ id: apiSessionId } = await controller.openSession(identity));
});
afterAll(() => controller.stop());

const ACCESS = `query ($identityId: ID!, $serviceId: ID!, $type: AccessType!) {
  access(identityId: $identityId, serviceId: $serviceId, type: $type, misses: 1) {
    allowed obstacles
    paths { policyId policyName policy { id name } semantic identityRoles { kind role } serviceRoles { kind role }
      postureChecks { postureCheckId postureCheckName postureCheck { id name } typeId verdicts { apiSessionId isPassing failure { actualValue expectedValue } } } }
    routers { common { routerId routerName router { id name } isOnline edgeRouterPolicies { policyName policy { name } } serviceEdgeRouterPolicies { policyName policy { name } } } }
    nearestMisses { totalCount nodes { policyName policy { name } changes
      identitySide { missingAttributes remedies {
        kind attributes side role size change { operation type entityId input gained lost } } } serviceSide { missingAttributes } } } } }`;

const ask = async (type = 'Dial'): Promise<Row> =>
  (
    await controller.read<{ access: Row }>(ACCESS, {
      identityId: identity,
      serviceId: service,
      type,
    })
  ).access;

describe('access', () => {
  test('names the policies that grant it, what is in the way, and what comes near', async () => {
    expect(await ask()).toStrictEqual({
      allowed: true,
      obstacles: ['POSTURE', 'NO_COMMON_ROUTER', 'NO_TERMINATORS'],
      paths: [
        {
          policyId: policy,
          policyName: 'staff reads docs',
          policy: { id: policy, name: 'staff reads docs' },
          semantic: 'AnyOf',
          identityRoles: [{ kind: 'ATTRIBUTE', role: '#staff' }],
          serviceRoles: [{ kind: 'ATTRIBUTE', role: '#docs' }],
          postureChecks: [
            {
              postureCheckId: check,
              postureCheckName: 'at home',
              postureCheck: { id: check, name: 'at home' },
              typeId: 'DOMAIN',
              verdicts: [
                {
                  apiSessionId,
                  isPassing: false,
                  failure: { actualValue: '', expectedValue: ['example.com'] },
                },
              ],
            },
          ],
        },
      ],
      routers: { common: [] },
      nearestMisses: {
        totalCount: 2,
        nodes: [
          {
            policyName: 'guests read docs',
            policy: { name: 'guests read docs' },
            changes: 1,
            identitySide: {
              missingAttributes: ['guests'],
              remedies: [
                {
                  kind: 'ADD_ATTRIBUTE',
                  attributes: ['guests'],
                  side: null,
                  role: null,
                  size: 1,
                  change: {
                    operation: 'update',
                    type: 'identity',
                    entityId: identity,
                    input: { roleAttributes: ['guests', 'staff'] },
                    gained: 1,
                    lost: 0,
                  },
                },
                expect.objectContaining({
                  kind: 'ADD_ROLE',
                  attributes: null,
                  side: 'identities',
                  role: `@${identity}`,
                  change: expect.objectContaining({ gained: 0, lost: 0 }),
                }),
              ],
            },
            serviceSide: null,
          },
        ],
      },
    });
  });

  test('loses its obstacles one by one', async () => {
    const router = await controller.create('EdgeRouter', { name: 'berlin' });
    const roles = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] };
    await controller.create('EdgeRouterPolicy', {
      ...roles,
      name: 'all routers',
      identityRoles: ['#all'],
    });
    await controller.create('ServiceEdgeRouterPolicy', {
      ...roles,
      name: 'all services',
      serviceRoles: ['#all'],
    });
    const answer = await ask();
    expect(answer.obstacles).toStrictEqual(['POSTURE', 'NONE_ONLINE', 'NO_TERMINATORS']);
    expect(answer.routers).toStrictEqual({
      common: [
        {
          routerId: router,
          routerName: 'berlin',
          router: { id: router, name: 'berlin' },
          isOnline: false,
          edgeRouterPolicies: [{ policyName: 'all routers', policy: { name: 'all routers' } }],
          serviceEdgeRouterPolicies: [
            { policyName: 'all services', policy: { name: 'all services' } },
          ],
        },
      ],
    });
    await controller.read(
      'mutation { submitPosture(responses: [{ id: "x", typeId: "DOMAIN", domain: "example.com" }]) { services { serviceId service { name } } } }',
      {},
      controller.ctx({ ...callerOf(identity), apiSessionId }),
    );
    expect((await ask()).obstacles).toStrictEqual(['NONE_ONLINE', 'NO_TERMINATORS']);
  });

  test('of the other type is another answer', async () => {
    expect(await ask('Bind')).toMatchObject({ allowed: false, paths: [] });
  });

  test.each([
    ['an unknown identity', { identityId: 'nobody' }, 'NOT_FOUND'],
    ['an unknown service', { serviceId: 'nothing' }, 'NOT_FOUND'],
  ])('is refused for %s', async (_, input, code) => {
    const variables = { identityId: identity, serviceId: service, type: 'Dial', ...input };
    const { errors } = await controller.graph(ACCESS, variables);
    expect(errors.map((error) => error?.code)).toStrictEqual([code]);
  });

  test('has over REST every member that the OpenAPI document requires', async () => {
    const { rows } = controller.parts;
    const row = rows.find(({ method, path }) => method === 'GET' && path === '/access');
    if (!row) throw new Error('there is no GET /access');
    const rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
    const { body } = await rest.get(
      `/access?identityId=${identity}&serviceId=${service}&type=Dial`,
    );
    await rest.stop();
    expect(body.data).toMatchObject({ paths: [{ postureChecks: [{ id: check }] }] });
    const document = new OwnDocument(rows, 'management');
    expect(document.faults(row, 200, 'application/json', body)).toStrictEqual([]);
  });

  test('needs read of all that it shows', async () => {
    const variables = { identityId: identity, serviceId: service, type: 'Dial' };
    const caller = { ...callerOf(identity, 'identity.read', 'service.read'), apiSessionId };
    const { errors } = await controller.graph(ACCESS, variables, controller.ctx(caller));
    expect(errors.map((error) => error?.code)).toStrictEqual(['UNAUTHORIZED']);
  });
});
