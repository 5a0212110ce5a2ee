import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { fingerprint } from '../../../src/trust/pki/index.js';
import { ADVERTISE, InProcess } from '../../support/in-process.js';
import {
  dialling,
  domainIs,
  open,
  remove,
  request,
  sessionsOf,
  submit,
  update,
} from './dialling.js';

const NOW = new Date('2026-03-01T08:00:00.000Z');

let controller: InProcess;
let domainCheck: string;

beforeAll(async () => {
  controller = await InProcess.start(undefined, { now: () => NOW });
  domainCheck = await controller.create('PostureCheck', {
    name: 'domain',
    typeId: 'DOMAIN',
    domains: ['example.com'],
  });
});
afterAll(() => controller.stop());

describe('a session', () => {
  test('says what it is for', async () => {
    const dialler = await dialling(controller);
    const session = await open(controller, dialler, { tags: { by: 'test' } });
    expect(session).toMatchObject({
      type: 'Dial',
      apiSessionId: dialler.apiSessionId,
      identityId: dialler.identity,
      serviceId: dialler.service,
      tags: { by: 'test' },
      edgeRouters: [{ isOnline: false, supportedProtocols: [] }],
    });
  });

  test('carries a token that routers can check', async () => {
    const dialler = await dialling(controller);
    const { id, token } = await open(controller, dialler);
    const { leaf } = controller.parts.keys.server;
    await jwtVerify(token, leaf.publicKey, { currentDate: NOW });
    expect(decodeProtectedHeader(token)).toMatchObject({ kid: fingerprint(leaf), typ: 'JWT' });
    expect(decodeJwt(token)).toEqual({
      iss: `https://${ADVERTISE}`,
      sub: dialler.service,
      aud: ['openziti'],
      jti: id,
      iat: NOW.getTime() / 1000,
      exp: Date.parse('2027-03-01T08:00:00.000Z') / 1000,
      z_asid: dialler.apiSessionId,
      z_iid: dialler.identity,
      z_t: 's',
      z_st: 'Dial',
      z_leg: true,
    });
  });

  test('has the same token on create, get and list', async () => {
    const dialler = await dialling(controller);
    const { id, token } = await open(controller, dialler);
    const { one, all } = await controller.read<{
      one: { token: string };
      all: { sessions: { nodes: object[] } };
    }>(
      `query ($id: ID!) { one: currentSession(id: $id) { token }
        all: currentIdentity { sessions { nodes { id token } } } }`,
      { id },
      dialler.own(),
    );
    expect(one.token).toBe(token);
    expect(all.sessions.nodes).toStrictEqual([{ id, token }]);
  });

  test('is the same one when it is asked for again', async () => {
    const dialler = await dialling(controller);
    const first = await open(controller, dialler);
    expect(await open(controller, dialler)).toStrictEqual(first);
  });

  test('is one, however many ask at once', async () => {
    const dialler = await dialling(controller);
    const opened = await Promise.all(Array.from({ length: 8 }, () => open(controller, dialler)));
    expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
  });

  test('takes ten statements, and three when there is one already', async () => {
    const dialler = await dialling(controller);
    const { statements } = await request(controller, dialler);
    expect(statements).toBeLessThanOrEqual(10);
    expect((await request(controller, dialler)).statements).toBeLessThanOrEqual(3);
  });

  test('takes no statement when it is asked for again and again', async () => {
    const dialler = await dialling(controller);
    for (let i = 0; i < 3; i += 1) await open(controller, dialler);
    expect((await request(controller, dialler)).statements).toBe(0);
  });

  test('of another type is another one', async () => {
    const dialler = await dialling(controller);
    await controller.create('ServicePolicy', {
      name: `bind ${dialler.service}`,
      type: 'Bind',
      semantic: 'AnyOf',
      identityRoles: [`@${dialler.identity}`],
      serviceRoles: [`@${dialler.service}`],
    });
    const dial = await open(controller, dialler);
    const bind = await open(controller, dialler, { type: 'Bind' });
    expect([dial.type, bind.type, dial.id === bind.id]).toStrictEqual(['Dial', 'Bind', false]);
  });

  test('has at most 25 routers', async () => {
    const dialler = await dialling(controller);
    for (let i = 0; i < 30; i += 1) {
      await controller.create('EdgeRouter', {
        name: `one of many ${String(i)}`,
        roleAttributes: ['many'],
      });
    }
    await update(controller, 'EdgeRouterPolicy', dialler.routerPolicy, {
      edgeRouterRoles: ['#all'],
    });
    await controller.create('ServiceEdgeRouterPolicy', {
      name: 'many',
      semantic: 'AnyOf',
      serviceRoles: [`@${dialler.service}`],
      edgeRouterRoles: ['#many'],
    });
    expect((await open(controller, dialler)).edgeRouters).toHaveLength(25);
  });

  test('can be ended by its owner alone', async () => {
    const dialler = await dialling(controller);
    const stranger = await dialling(controller);
    const { id } = await open(controller, dialler);
    const END = 'mutation ($id: ID!) { deleteCurrentSession(id: $id) }';
    const GET = 'query ($id: ID!) { currentSession(id: $id) { id } }';
    for (const text of [END, GET]) {
      const { errors } = await controller.graph(text, { id }, stranger.own());
      expect(errors.map((error) => error?.code)).toStrictEqual(['NOT_FOUND']);
    }
    await controller.read(END, { id }, dialler.own());
    expect(await sessionsOf(controller, dialler)).toStrictEqual([]);
  });

  test('names to administrators the policies that it rests on', async () => {
    const dialler = await dialling(controller);
    const { id } = await open(controller, dialler);
    const GET = 'query ($id: ID!) { session(id: $id) { servicePolicies { id } } }';
    expect(await controller.read(GET, { id })).toStrictEqual({
      session: { servicePolicies: [{ id: dialler.policy }] },
    });
    expect(await controller.read(GET, { id }, dialler.own())).toStrictEqual({
      session: { servicePolicies: [] },
    });
  });
});

describe('a session is refused', () => {
  const refusal = async (
    dialler: Awaited<ReturnType<typeof dialling>>,
    input: object = {},
  ): Promise<readonly unknown[]> => {
    const { errors } = await request(controller, dialler, input);
    return errors.flatMap((error) => [error?.status, error?.code, error?.detail]);
  };

  test('for a service that there is not', async () => {
    const dialler = await dialling(controller);
    expect(await refusal(dialler, { serviceId: 'nothing' })).toStrictEqual([
      404,
      'NOT_FOUND',
      { kind: 'message', message: 'service with id nothing not found' },
    ]);
  });

  test('for a service that one may not see, whatever else is missing', async () => {
    const dialler = await dialling(controller, { checks: [domainCheck] });
    await remove(controller, 'EdgeRouterPolicy', dialler.routerPolicy);
    await update(controller, 'ServicePolicy', dialler.policy, { identityRoles: [] });
    expect((await refusal(dialler)).slice(0, 2)).toStrictEqual([404, 'NOT_FOUND']);
  });

  test('in a way that one may not use it, before posture is asked', async () => {
    const dialler = await dialling(controller, { checks: [domainCheck] });
    expect(await refusal(dialler, { type: 'Bind' })).toStrictEqual([
      400,
      'COULD_NOT_VALIDATE',
      {
        kind: 'field',
        field: 'ServiceId',
        reason: 'service not found',
        value: dialler.service,
      },
    ]);
  });

  test('while posture fails, before routers are asked', async () => {
    const dialler = await dialling(controller, { checks: [domainCheck] });
    await remove(controller, 'EdgeRouterPolicy', dialler.routerPolicy);
    expect(await refusal(dialler)).toMatchObject([
      409,
      'INVALID_POSTURE',
      {
        kind: 'data',
        data: {
          [dialler.policy]: [{ id: domainCheck, typeId: 'DOMAIN', isPassing: false }],
        },
      },
    ]);
  });

  test('without a router in common, be it that none is online', async () => {
    const dialler = await dialling(controller);
    await remove(controller, 'EdgeRouterPolicy', dialler.routerPolicy);
    expect((await refusal(dialler)).slice(0, 2)).toStrictEqual([400, 'NO_EDGE_ROUTERS_AVAILABLE']);
  });

  test.each(['Invalid', 'dial', ''])('of type %j', async (type) => {
    const dialler = await dialling(controller);
    expect(await refusal(dialler, { type })).toMatchObject([
      400,
      'COULD_NOT_VALIDATE',
      { kind: 'field', field: 'type', value: type },
    ]);
  });

  test('without a service', async () => {
    const dialler = await dialling(controller);
    expect(await refusal(dialler, { serviceId: null })).toMatchObject([
      400,
      'COULD_NOT_VALIDATE',
      { kind: 'field', field: 'serviceId', reason: 'serviceId in body is required' },
    ]);
  });
});

describe('posture', () => {
  test('that any policy is content with is enough', async () => {
    const other = await controller.create('PostureCheck', {
      name: 'another domain',
      typeId: 'DOMAIN',
      domains: ['example.org'],
    });
    const dialler = await dialling(controller, { checks: [domainCheck] });
    await controller.create('ServicePolicy', {
      name: `second ${dialler.service}`,
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${dialler.identity}`],
      serviceRoles: [`@${dialler.service}`],
      postureCheckRoles: [`@${other}`],
    });
    expect((await request(controller, dialler)).errors[0]?.code).toBe('INVALID_POSTURE');
    await submit(controller, dialler, domainIs('EXAMPLE.org'));
    expect((await open(controller, dialler)).type).toBe('Dial');
  });

  test('that failed is told with what was found and wanted, the last hundred times, newest last', async () => {
    const dialler = await dialling(controller, { checks: [domainCheck] });
    for (let i = 0; i < 102; i += 1) {
      await submit(controller, dialler, domainIs(`elsewhere${String(i)}.com`));
      await request(controller, dialler);
    }
    const { identity } = await controller.read<{
      identity: { failedServiceRequests: object[] };
    }>(
      `query ($id: ID!) { identity(id: $id) { failedServiceRequests {
        apiSessionId serviceId serviceName sessionType when policyFailures { policyId policyName checks {
          postureCheckId postureCheckName postureCheckType actualValue expectedValue } } } } }`,
      { id: dialler.identity },
    );
    expect(identity.failedServiceRequests).toHaveLength(100);
    expect(identity.failedServiceRequests[0]).toMatchObject({
      policyFailures: [{ checks: [{ actualValue: 'elsewhere2.com' }] }],
    });
    const { name } = await controller
      .read<{ service: { name: string } }>('query ($id: ID!) { service(id: $id) { name } }', {
        id: dialler.service,
      })
      .then(({ service }) => service);
    expect(identity.failedServiceRequests.at(-1)).toEqual({
      apiSessionId: dialler.apiSessionId,
      serviceId: dialler.service,
      serviceName: name,
      sessionType: 'Dial',
      when: NOW.toISOString(),
      policyFailures: [
        {
          policyId: dialler.policy,
          policyName: name,
          checks: [
            {
              postureCheckId: domainCheck,
              postureCheckName: 'domain',
              postureCheckType: 'DOMAIN',
              actualValue: 'elsewhere101.com',
              expectedValue: ['example.com'],
            },
          ],
        },
      ],
    });
  });
});

describe('a session of a client over OpenID Connect', () => {
  const accessToken = {
    id: 'its id',
    text: 'signed',
    clientId: 'native',
    expiresAt: new Date(NOW.getTime() + 60_000),
  };

  test('opens whatever its posture, which routers judge', async () => {
    const dialler = await dialling(controller, { checks: [domainCheck] });
    expect((await request(controller, dialler)).messages).not.toEqual([]);
    const { caller } = dialler.own();
    const openId = { ...dialler, own: () => controller.ctx(caller && { ...caller, accessToken }) };
    expect(await open(controller, openId)).toMatchObject({ serviceId: dialler.service });
  });

  test('needs a policy', async () => {
    const dialler = await dialling(controller, { checks: [domainCheck] });
    await remove(controller, 'ServicePolicy', dialler.policy);
    const { caller } = dialler.own();
    const openId = { ...dialler, own: () => controller.ctx(caller && { ...caller, accessToken }) };
    const { errors } = await request(controller, openId);
    expect(errors.map((error) => error?.code)).toEqual(['NOT_FOUND']);
  });
});
