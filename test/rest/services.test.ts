import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { startController, type TestController } from '../support/controller.js';
import { invalid, NOT_FOUND, refusal } from './support/refusals.js';

const CLIENT = '/edge/client/v1';

let controller: TestController;
let count = 0;
const unique = (): string => `service ${String(++count)}`;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());

const create = (more: Row = {}): Promise<string> =>
  controller.create('services', { name: unique(), encryptionRequired: true, ...more });
const read = async (path: string): Promise<Row> => (await controller.rest('GET', path)).body.data;

describe('a service', () => {
  test.each([undefined, '', null, 'smartrouting'])(
    'has the strategy smartrouting for %j',
    async (terminatorStrategy) => {
      const id = await create({ terminatorStrategy });
      expect((await read(`/services/${id}`)).terminatorStrategy).toBe('smartrouting');
    },
  );

  test.each(['weighted', 'random', 'sticky'])('may have the strategy %s', async (strategy) => {
    const id = await create({ terminatorStrategy: strategy });
    expect((await read(`/services/${id}`)).terminatorStrategy).toBe(strategy);
    await controller.rest('PATCH', `/services/${id}`, { terminatorStrategy: '' });
    expect((await read(`/services/${id}`)).terminatorStrategy).toBe('smartrouting');
  });

  test('has no strategy that there is not', async () => {
    const sent = { name: unique(), encryptionRequired: true, terminatorStrategy: 'best' };
    const answer = await controller.rest('POST', '/services', sent);
    expect(refusal(answer)).toEqual(NOT_FOUND);
    expect(answer.body.error.cause?.message).toBe('terminatorStrategy with name best not found');
    const changed = await controller.rest('PATCH', `/services/${await create()}`, {
      terminatorStrategy: 'best',
    });
    expect(refusal(changed)).toEqual(NOT_FOUND);
  });

  test.each(['PUT', 'PATCH'])('keeps its encryption whatever a %s says', async (method) => {
    for (const encryptionRequired of [true, false]) {
      const id = await create({ encryptionRequired });
      const answer = await controller.rest(method, `/services/${id}`, {
        name: unique(),
        encryptionRequired: !encryptionRequired,
      });
      expect(answer.status).toBe(200);
      expect((await read(`/services/${id}`)).encryptionRequired).toBe(encryptionRequired);
    }
  });

  test('is reset by a PUT to what it has without', async () => {
    const id = await create({
      maxIdleTimeMillis: 5,
      terminatorStrategy: 'weighted',
      roleAttributes: ['a'],
    });
    expect((await read(`/services/${id}`)).maxIdleTimeMillis).toBe(5);
    await controller.rest('PUT', `/services/${id}`, { name: unique() });
    expect(await read(`/services/${id}`)).toMatchObject({
      maxIdleTimeMillis: 0,
      terminatorStrategy: 'smartrouting',
      roleAttributes: [],
      configs: [],
    });
  });
});

describe('what a caller may do with a service', () => {
  const policy = async (type: string, service: string, identity: string): Promise<string> =>
    controller.create('service-policies', {
      name: unique(),
      type,
      semantic: 'AnyOf',
      serviceRoles: [`@${service}`],
      identityRoles: [`@${identity}`],
    });

  test('is Invalid for an administrator whom no policy names, on the management interface', async () => {
    const id = await create();
    expect((await read(`/services/${id}`)).permissions).toEqual(['Invalid']);
    expect(refusal(await controller.rest('GET', `${CLIENT}/services/${id}`))).toEqual(NOT_FOUND);
  });

  test('follows the policies, Bind before Dial', async () => {
    const { id: me } = await read('/current-identity');
    const service = await create();
    const listed = async () => {
      const query = `filter=id=%22${service}%22`;
      const { body } = await controller.rest('GET', `${CLIENT}/services?${query}`);
      return (body.data as { permissions: string[] }[]).map(({ permissions }) => permissions);
    };
    expect(await listed()).toEqual([]);
    const dial = await policy('Dial', service, String(me));
    expect(await listed()).toEqual([['Dial']]);
    await policy('Bind', service, String(me));
    expect(await listed()).toEqual([['Bind', 'Dial']]);
    expect((await read(`/services/${service}`)).permissions).toEqual(['Bind', 'Dial']);
    await controller.rest('DELETE', `/service-policies/${dial}`);
    expect(await listed()).toEqual([['Bind']]);
  });

  test('is shown for another by asIdentity', async () => {
    const service = await create();
    const other = await controller.create('identities', {
      name: unique(),
      type: 'Device',
      isAdmin: false,
    });
    await policy('Dial', service, other);
    const type = await controller.create('config-types', {
      name: unique(),
      schema: { type: 'object' },
    });
    const configId = await controller.create('configs', {
      name: unique(),
      configTypeId: type,
      data: { of: 'the other' },
    });
    await controller.rest('POST', `/identities/${other}/service-configs`, [
      { serviceId: service, configId },
    ]);
    const { name } = await read(`/identities/${other}`);
    for (const viewer of [other, encodeURIComponent(String(name))]) {
      const query = `asIdentity=${viewer}&configTypes=all&filter=id=%22${service}%22`;
      const [shown] = (await read(`/services?${query}`)) as unknown as Row[];
      expect(shown?.permissions).toEqual(['Dial']);
      expect(Object.values(shown?.config as object)).toEqual([{ of: 'the other' }]);
    }
  });

  test('is shown for nobody who does not exist', async () => {
    expect(refusal(await controller.rest('GET', '/services?asIdentity=x'))).toEqual(NOT_FOUND);
    const { id } = await read('/current-identity');
    const nested = await controller.rest('GET', `/identities/${String(id)}/services?asIdentity=x`);
    expect(refusal(nested)).toEqual(NOT_FOUND);
    expect(nested.body.error.cause?.message).toBe('identity with id or name x not found');
    const { errors } = await controller.graphql(
      '{ services { nodes { permissions(asIdentity: "nobody") } } }',
    );
    expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  });

  test('is shown for others only to those who may read them', async () => {
    const other = unique();
    await controller.create('identities', { name: other, type: 'Device', isAdmin: false });
    const reader = await controller.create('identities', {
      name: unique(),
      type: 'Device',
      isAdmin: false,
      permissions: ['service.read'],
    });
    const account = { username: unique(), password: 'horse battery' };
    await controller.create('authenticators', { method: 'updb', identityId: reader, ...account });
    const asking = await controller.login(account.username, account.password);
    const answer = await controller.rest(
      'GET',
      `/services?asIdentity=${encodeURIComponent(other)}`,
      undefined,
      { 'zt-session': asking },
    );
    expect(answer.status).toBe(404);
  });

  test('has one passing entry per permission while there are no posture checks', async () => {
    const { id: me } = await read('/current-identity');
    const service = await create();
    await policy('Dial', service, String(me));
    expect((await read(`/services/${service}`)).postureQueries).toEqual([
      {
        policyId: 'dummy dial policy: no posture checks defined',
        policyType: 'Dial',
        isPassing: true,
        postureQueries: [],
      },
    ]);
  });
});

describe('a service policy', () => {
  const post = (more: Row) =>
    controller.rest('POST', '/service-policies', {
      name: unique(),
      type: 'Dial',
      semantic: 'AllOf',
      ...more,
    });

  test.each([
    [{ type: 'Invalid' }, 'type'],
    [{ type: 'Host' }, 'type'],
    [{ semantic: 'Some' }, 'semantic'],
    [{ identityRoles: ['blue'] }, 'identityRoles'],
    [{ serviceRoles: ['#all', '#blue'] }, 'serviceRoles'],
    [{ serviceRoles: ['@all'] }, 'serviceRoles'],
    [{ postureCheckRoles: ['@nothing'] }, 'postureCheckRoles'],
    [{ identityRoles: 'blue' }, 'identityRoles'],
  ])('is not made with %j', async (more, field) => {
    expect(refusal(await post(more))).toEqual(invalid(field));
  });

  test('shows its roles in order, with names', async () => {
    const name = unique();
    const service = await create({ name });
    const answer = await post({ serviceRoles: ['#b', '#a', `@${service}`, '#a'] });
    const { id } = answer.body.data as { id: string };
    expect(await read(`/service-policies/${id}`)).toMatchObject({
      serviceRoles: ['#a', '#b', `@${service}`],
      serviceRolesDisplay: [
        { role: '#a', name: '#a' },
        { role: '#b', name: '#b' },
        { role: `@${service}`, name: `@${name}` },
      ],
      identityRoles: [],
      identityRolesDisplay: [],
    });
  });
});

describe('a terminator', () => {
  let service: string;
  let router: string;
  const sent = (more: Row = {}): Row => ({
    service,
    router,
    binding: 'transport',
    address: 'tcp:localhost:80',
    ...more,
  });

  beforeAll(async () => {
    service = await create();
    router = await controller.create('edge-routers', { name: unique() });
  });

  test('has defaults, and keeps its secret to itself', async () => {
    const id = await controller.create(
      'terminators',
      sent({ identity: 'one', identitySecret: Buffer.from('hidden').toString('base64') }),
    );
    const terminator = await read(`/terminators/${id}`);
    expect(terminator).toMatchObject({
      serviceId: service,
      routerId: router,
      service: { id: service, entity: 'services' },
      router: { id: router },
      identity: 'one',
      cost: 0,
      dynamicCost: 0,
      precedence: 'default',
    });
    expect(terminator).not.toHaveProperty('identitySecret');
  });

  test.each([
    [{ binding: '' }, 'binding'],
    [{ address: '' }, 'address'],
    [{ cost: 65536 }, 'cost'],
    [{ cost: -1 }, 'cost'],
    [{ precedence: 'first' }, 'precedence'],
  ])('is neither made nor changed with %j', async (more, field) => {
    const path = `/terminators/${await controller.create('terminators', sent())}`;
    for (const [method, at, body] of [
      ['POST', '/terminators', sent(more)],
      ['PUT', path, sent(more)],
      ['PATCH', path, more],
    ] as const) {
      expect(refusal(await controller.rest(method, at, body))).toEqual(invalid(field));
    }
  });

  test('is not made with a secret that is no base64', async () => {
    const body = sent({ identity: 'two', identitySecret: 'not so' });
    expect(refusal(await controller.rest('POST', '/terminators', body))).toEqual(
      invalid('identitySecret'),
    );
  });

  test.each([{ service: 'nothing' }, { router: 'nothing' }])(
    'needs what exists: %j',
    async (more) => {
      expect(refusal(await controller.rest('POST', '/terminators', sent(more)))).toEqual(NOT_FOUND);
    },
  );

  test('lies at an edge router', async () => {
    const transit = await controller.create('transit-routers', { name: unique() });
    const body = sent({ router: transit });
    expect(refusal(await controller.rest('POST', '/terminators', body))).toEqual(NOT_FOUND);
  });

  test('changes all but its service and its identity', async () => {
    const id = await controller.create('terminators', sent({ identity: 'one' }));
    const elsewhere = await controller.create('edge-routers', { name: unique() });
    const fixed = { service: await create(), identity: 'two' };
    const changes = { cost: 5, precedence: 'required', binding: 'edge', address: 'x' };
    const put = await controller.rest(
      'PUT',
      `/terminators/${id}`,
      sent({ ...changes, ...fixed, router: elsewhere }),
    );
    expect(put.status).toBe(200);
    await controller.rest('PATCH', `/terminators/${id}`, fixed);
    expect(await read(`/terminators/${id}`)).toMatchObject({
      ...changes,
      serviceId: service,
      routerId: elsewhere,
      identity: 'one',
    });
  });

  test('is listed by its service, and found by the name of either end', async () => {
    const id = await controller.create('terminators', sent({ address: 'found' }));
    const { name } = await read(`/services/${service}`);
    const filter = `service.name = "${String(name)}" and router.name contains "service" and address = "found"`;
    const path = `/terminators?filter=${encodeURIComponent(filter)}`;
    expect(((await read(path)) as unknown as Row[]).map((t) => t.id)).toEqual([id]);
    const listed = (await read(`/services/${service}/terminators`)) as unknown as Row[];
    expect(listed.map((t) => t.id)).toContain(id);
  });
});
