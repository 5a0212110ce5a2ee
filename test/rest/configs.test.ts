import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { startController, type TestController } from '../support/controller.js';
import { invalid, NOT_FOUND, refusal } from './support/refusals.js';

const INTERCEPT = 'g7cIWbcGg';
const HOST = 'NH5p4FpGR';
const LINK = 'router.link.v1';

let controller: TestController;
let count = 0;
const unique = (): string => `config ${String(++count)}`;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());

const read = async (path: string): Promise<Row> => (await controller.rest('GET', path)).body.data;
const post = (collection: string, body: Row) =>
  controller.rest('POST', `/${collection}`, { name: unique(), ...body });
const created = (collection: string, body: Row): Promise<string> =>
  controller.create(collection, { name: unique(), ...body });

describe('config types', () => {
  test.each([
    ['f2dd2df0-9c04-4b84-a91e-71437ac229f1', 'ziti-tunneler-client.v1', 'service'],
    ['cea49285-6c07-42cf-9f52-09a9b115c783', 'ziti-tunneler-server.v1', 'service'],
    [INTERCEPT, 'intercept.v1', 'service'],
    [HOST, 'host.v1', 'service'],
    ['host.v2', 'host.v2', 'service'],
    ['interfaces.v1', 'interfaces.v1', 'service'],
    ['proxy.v1', 'proxy.v1', 'service'],
    ['l2.host.v1', 'l2.host.v1', 'service'],
    ['l2.intercept.v1', 'l2.intercept.v1', 'service'],
    [LINK, 'router.link.v1', 'router'],
  ])('%s is built in as %s for a %s', async (id, name, target) => {
    expect(await read(`/config-types/${id}`)).toMatchObject({
      name,
      target,
      schema: { type: 'object' },
    });
  });

  test.each([
    ['a text', 'text'],
    ['a list', []],
    ['no object at its root', { type: 'string' }],
    ['no type at its root', { properties: {} }],
    ['what no schema is', { type: 'object', properties: 7 }],
    ['an unknown type', { type: 'object', properties: { a: { type: 'nothing' } } }],
  ])('have no schema with %s', async (_, schema) => {
    expect(refusal(await post('config-types', { schema }))).toEqual(invalid('schema'));
    const id = await created('config-types', {});
    const changed = await controller.rest('PATCH', `/config-types/${id}`, { schema });
    expect(refusal(changed)).toEqual(invalid('schema'));
  });

  test('may do without a schema', async () => {
    const id = await created('config-types', {});
    expect(await read(`/config-types/${id}`)).toMatchObject({ schema: null, target: 'service' });
    await created('configs', { configTypeId: id, data: { anything: [1, { goes: null }] } });
  });

  test.each(['service', 'router', 'other'])('are for a %s for life', async (target) => {
    const id = await created('config-types', { target });
    await controller.rest('PATCH', `/config-types/${id}`, { target: 'service' });
    await controller.rest('PUT', `/config-types/${id}`, { name: unique(), target: 'service' });
    expect((await read(`/config-types/${id}`)).target).toBe(target);
  });

  test('are for nothing else, and none is called "all"', async () => {
    expect(refusal(await post('config-types', { target: 'identity' }))).toEqual(invalid('target'));
    const answer = await controller.rest('POST', '/config-types', { name: 'all' });
    expect(refusal(answer)).toEqual(invalid('name'));
  });
});

describe('configs', () => {
  const hosting = { protocol: 'tcp', address: 'a.example.com', port: 80 };

  test.each([
    ['of a type that does not exist', { configTypeId: 'nothing', data: {} }, 'type'],
    ['with a text for data', { configTypeId: HOST, data: 'text' }, 'data'],
    ['with a list for data', { configTypeId: HOST, data: [] }, 'data'],
    ['without required data', { configTypeId: HOST, data: {} }, '(root)'],
    ['with unknown data', { configTypeId: HOST, data: { ...hosting, extra: 1 } }, '(root)'],
    ['with a wrong member', { configTypeId: HOST, data: { ...hosting, port: 'x' } }, 'port'],
    [
      'with a wrong member inside',
      { configTypeId: HOST, data: { ...hosting, listenOptions: { maxConnections: 0 } } },
      'listenOptions.maxConnections',
    ],
    [
      'with a wrong element',
      {
        configTypeId: INTERCEPT,
        data: {
          protocols: ['tcp'],
          addresses: ['a.example.com'],
          portRanges: [{ low: 1, high: 70000 }],
        },
      },
      'portRanges.0.high',
    ],
  ])('are refused %s', async (_, body, field) => {
    expect(refusal(await post('configs', body))).toEqual(invalid(field));
  });

  test('keep data as it is, odd names and nulls included', async () => {
    const configTypeId = await created('config-types', { schema: { type: 'object' } });
    const data = { 'a.b': { $ref: null, '': [1, 'x', { deep: [[]] }] }, n: 1e21, tags: null };
    const id = await created('configs', { configTypeId, data });
    expect((await read(`/configs/${id}`)).data).toEqual(data);
    await controller.rest('PATCH', `/configs/${id}`, { data: { only: null } });
    expect((await read(`/configs/${id}`)).data).toEqual({ only: null });
  });

  test('keep their type', async () => {
    const id = await created('configs', { configTypeId: HOST, data: hosting });
    const path = `/configs/${id}`;
    await controller.rest('PATCH', path, { configTypeId: INTERCEPT });
    await controller.rest('PUT', path, { name: unique(), data: hosting, configTypeId: INTERCEPT });
    expect(await read(path)).toMatchObject({
      configTypeId: HOST,
      configType: { id: HOST, name: 'host.v1', entity: 'config-types' },
    });
  });

  test('are held against their schema on every change', async () => {
    const path = `/configs/${await created('configs', { configTypeId: HOST, data: hosting })}`;
    const wrong = { data: { ...hosting, port: -1 } };
    expect(refusal(await controller.rest('PATCH', path, wrong))).toEqual(invalid('port'));
    const put = await controller.rest('PUT', path, { name: unique(), ...wrong });
    expect(refusal(put)).toEqual(invalid('port'));
    expect((await controller.rest('PATCH', path, { tags: { a: 1 } })).status).toBe(200);
    expect((await read(path)).data).toEqual(hosting);
  });
});

describe('configs of services', () => {
  const hostConfig = (port: number): Promise<string> =>
    created('configs', { configTypeId: HOST, data: { protocol: 'tcp', address: 'a', port } });

  test('are those for services, one of each type', async () => {
    const [one, other] = [await hostConfig(1), await hostConfig(2)];
    const link = await created('configs', { configTypeId: LINK, data: {} });
    const service = { encryptionRequired: true };
    const id = await created('services', { ...service, configs: [one, one] });
    const path = `/services/${id}`;
    expect((await read(path)).configs).toEqual([one]);
    for (const configs of [[link], [one, other]]) {
      expect(refusal(await post('services', { ...service, configs }))).toEqual(invalid('configs'));
      const changed = await controller.rest('PATCH', path, { configs });
      expect(refusal(changed)).toEqual(invalid('configs'));
    }
    expect(refusal(await post('services', { ...service, configs: ['nothing'] }))).toEqual(
      NOT_FOUND,
    );
    expect((await controller.rest('PATCH', path, { configs: [other] })).status).toBe(200);
    const listed = (await controller.rest('GET', `${path}/configs`)).body.data as { id: string }[];
    expect(listed.map((config) => config.id)).toEqual([other]);
    const using = (await controller.rest('GET', `/configs/${other}/services`)).body.data as Row[];
    expect(using).toHaveLength(1);
    expect((await controller.rest('PATCH', path, { configs: [] })).status).toBe(200);
    expect((await read(path)).configs).toEqual([]);
  });
});

describe('config data that services show', () => {
  const intercept = {
    protocols: ['tcp'],
    addresses: ['a.example.com'],
    portRanges: [{ low: 80, high: 80 }],
  };
  const hosting = (port: number) => ({ protocol: 'tcp', address: 'a', port });
  let service: string;
  let own: string;

  beforeAll(async () => {
    const configs = [
      await created('configs', { configTypeId: INTERCEPT, data: intercept }),
      await created('configs', { configTypeId: HOST, data: hosting(1) }),
    ];
    service = await created('services', { encryptionRequired: false, configs });
    own = await created('configs', { configTypeId: HOST, data: hosting(2) });
  });

  const shown = async (configTypes: string): Promise<unknown> => {
    const query = `filter=id=%22${service}%22&${configTypes}`;
    const { body } = await controller.rest('GET', `/services?${query}`);
    return (body.data as { config: unknown }[])[0]?.config;
  };
  const overrides = async (): Promise<string> => {
    const { id } = await read('/current-identity');
    return `/identities/${String(id)}/service-configs`;
  };

  test.each([
    ['', {}],
    ['configTypes=host.v1', { 'host.v1': hosting(1) }],
    [`configTypes=${INTERCEPT}`, { 'intercept.v1': intercept }],
    ['configTypes=host.v1,intercept.v1', { 'host.v1': hosting(1), 'intercept.v1': intercept }],
    ['configTypes=host.v1&configTypes=nothing', { 'host.v1': hosting(1) }],
    ['configTypes=all', { 'host.v1': hosting(1), 'intercept.v1': intercept }],
  ])('for "%s" is %j', async (query, config) => {
    expect(await shown(query)).toEqual(config);
  });

  test.each([
    [undefined, {}],
    [[], {}],
    [['host.v1'], { 'host.v1': hosting(1) }],
    [['all'], { 'host.v1': hosting(1), 'intercept.v1': intercept }],
  ])('for a login that asked for %j is %j', async (configTypes, config) => {
    const login = await controller.rest('POST', '/authenticate?method=password', {
      username: 'admin',
      password: 'correct horse',
      ...(configTypes ? { configTypes } : {}),
    });
    const { token } = login.body.data as { token: string };
    const { body } = await controller.rest('GET', `/services/${service}`, undefined, {
      'zt-session': token,
    });
    expect((body.data as { config: unknown }).config).toEqual(config);
  });

  test('is that of the identity where it has its own', async () => {
    const path = await overrides();
    const pair = [{ serviceId: service, configId: own }];
    for (let again = 0; again < 2; again += 1) {
      expect((await controller.rest('POST', path, pair)).status).toBe(200);
    }
    expect((await controller.rest('GET', path)).body.data).toMatchObject([
      { serviceId: service, configId: own, service: { id: service }, config: { id: own } },
    ]);
    expect(await shown('configTypes=all')).toEqual({
      'host.v1': hosting(2),
      'intercept.v1': intercept,
    });
    const taken = await controller.rest('DELETE', path, pair, {
      'content-length': String(JSON.stringify(pair).length),
    });
    expect(taken.status).toBe(200);
    expect(await shown('configTypes=host.v1')).toEqual({ 'host.v1': hosting(1) });
  });

  test('can not be overridden by what does not exist or is not for services', async () => {
    const path = await overrides();
    const link = await created('configs', { configTypeId: LINK, data: {} });
    const assign = (serviceId: string, configId: string) =>
      controller.rest('POST', path, [{ serviceId, configId }]);
    expect(refusal(await assign(service, 'nothing'))).toEqual(NOT_FOUND);
    expect((await assign('nothing', own)).status).toBe(400);
    expect((await assign(service, link)).status).toBe(400);
    expect((await controller.rest('GET', path)).body.data).toEqual([]);
  });
});
