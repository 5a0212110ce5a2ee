import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { inputNameOf } from '../../src/kernel/declare/attribute.js';
import type { Resource } from '../../src/kernel/declare/resource.js';
import type { Row } from '../../src/base/row.js';
import { catalog } from '../../src/resources/index.js';
import { startController, type TestController } from '../support/controller.js';
import { SampleNetwork } from './support/network.js';
import { invalid, NOT_FOUND, refusal } from './support/refusals.js';

/** What holds for the entities of every collection, by a loop over the catalog. */

let controller: TestController;
let network: SampleNetwork;

beforeAll(async () => {
  controller = await startController();
  network = await new SampleNetwork(controller, catalog).build();
});
afterAll(() => controller.stop());

const resources = [...catalog.all()].filter((resource) => resource.verbs.has('create'));
const changeable = resources.filter((resource) => resource.verbs.has('update'));
const named = changeable.filter((resource) => resource.attributes.has('name'));
const table = (list: readonly Resource[]) =>
  list.map((resource) => ({ collection: resource.options.path, resource }));

const read = async (collection: string, id: string): Promise<Row> =>
  (await controller.rest('GET', `/${collection}/${id}`)).body.data;

/** Everything but what every update moves. */
const lasting = (entity: Row): Row => ({ ...entity, updatedAt: '', version: 0 });

describe('an entity', () => {
  test.each(table(resources))(
    'of $collection tells when it was made, and where it is',
    async ({ collection, resource }) => {
      const id = await network.create(resource.name);
      const entity = await read(collection, id);
      expect(entity).toMatchObject({ id, _links: { self: { href: `./${collection}/${id}` } } });
      expect(entity.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(entity.updatedAt).toBe(entity.createdAt);
      expect(id).toMatch(/^[0-9A-Za-z][0-9A-Za-z.-]{8,}$/);
    },
  );

  test.each(table(resources))(
    'of $collection takes no id and nothing unknown',
    async ({ collection, resource }) => {
      const body = { ...(await network.input(resource, 'create')), id: 'mine', nothing: { a: 1 } };
      const id = await controller.create(collection, body);
      expect(id).not.toBe('mine');
      expect(await read(collection, id)).not.toHaveProperty('nothing');
    },
  );

  test.each(table(resources))('of $collection is gone once deleted', async (row) => {
    const { collection, resource } = row;
    const path = `/${collection}/${await network.create(resource.name)}`;
    const deleted = await controller.rest('DELETE', path, {}, { 'content-length': '2' });
    expect([deleted.status, deleted.body.data]).toEqual([200, {}]);
    expect(refusal(await controller.rest('GET', path))).toEqual(NOT_FOUND);
    expect(refusal(await controller.rest('DELETE', path))).toEqual(NOT_FOUND);
  });

  test.each(table(changeable))(
    'of $collection keeps what a PATCH leaves out or sends as null',
    async ({ collection, resource }) => {
      const id = await network.create(resource.name);
      const before = await read(collection, id);
      // What is cleared by absence has to be sent to stay.
      const cleared = [...resource.attributes.values()].filter((a) => a.clearedByAbsence);
      const kept = Object.fromEntries(cleared.map(({ name }) => [name, {}]));
      const nulls = Object.fromEntries(
        Object.keys(await network.input(resource, 'update')).map((name) => [name, null]),
      );
      for (const body of [{}, nulls, { id: 'mine', nothing: 1 }]) {
        const sent = { ...body, ...kept };
        const answer = await controller.rest('PATCH', `/${collection}/${id}`, sent);
        expect([answer.status, answer.body.data]).toEqual([200, {}]);
      }
      const after = await read(collection, id);
      expect(lasting(after)).toEqual(lasting(before));
      expect(String(after.updatedAt) > String(before.updatedAt)).toBe(true);
    },
  );

  test.each(table(changeable))('of $collection loses its tags by a PUT', async (row) => {
    const { collection, resource } = row;
    const id = await network.create(resource.name);
    const { tags, ...body } = await network.input(resource, 'replace');
    expect(tags).toBeDefined();
    expect((await controller.rest('PUT', `/${collection}/${id}`, body)).status).toBe(200);
    expect((await read(collection, id)).tags).toEqual({});
  });

  test('shows tags as they were sent', async () => {
    const tags = { none: null, text: 'a', flag: true, number: 1.5, 'odd key.': '' };
    const id = await controller.create('config-types', { name: 'tagged', tags });
    expect((await read('config-types', id)).tags).toEqual(tags);
    await controller.rest('PATCH', `/config-types/${id}`, { tags: { only: null } });
    expect((await read('config-types', id)).tags).toEqual({ only: null });
    await controller.rest('PATCH', `/config-types/${id}`, { tags: {} });
    expect((await read('config-types', id)).tags).toEqual({});
  });

  test.each([
    [{ deep: {} }, 'tags.deep'],
    [{ list: [] }, 'tags.list'],
    ['text', 'tags'],
    [[], 'tags'],
  ])('has no tags like %j', async (tags, field) => {
    const answer = await controller.rest('POST', '/config-types', { name: 'bad tags', tags });
    expect(refusal(answer)).toEqual(invalid(field));
  });

  test.each([null, [], 'text', 7])('is not made of %j', async (body) => {
    const answer = await controller.rest('POST', '/config-types', body);
    expect(refusal(answer).slice(0, 2)).toEqual([400, 'COULD_NOT_VALIDATE']);
  });

  test('is not made of an empty body', async () => {
    const { status } = await controller.rest('POST', '/config-types');
    expect(status).toBe(400);
  });
});

describe('a name', () => {
  test.each(table(named))('of $collection is unique and not empty', async (row) => {
    const { collection, resource } = row;
    const taken = network.unique();
    await controller.create(collection, {
      ...(await network.input(resource, 'create')),
      name: taken,
    });
    const id = await network.create(resource.name);
    const { name: before } = await read(collection, id);
    for (const name of [taken, '']) {
      const created = { ...(await network.input(resource, 'create')), name };
      const replaced = { ...(await network.input(resource, 'replace')), name };
      const answers = [
        await controller.rest('POST', `/${collection}`, created),
        await controller.rest('PUT', `/${collection}/${id}`, replaced),
        await controller.rest('PATCH', `/${collection}/${id}`, { name }),
      ];
      for (const answer of answers) expect(refusal(answer)).toEqual(invalid('name'));
    }
    expect((await read(collection, id)).name).toBe(before);
  });

  test.each(table(named))('of $collection differs by case, and may be kept', async (row) => {
    const { collection, resource } = row;
    const name = network.unique();
    const id = await controller.create(collection, {
      ...(await network.input(resource, 'create')),
      name,
    });
    await controller.create(collection, {
      ...(await network.input(resource, 'create')),
      name: name.toUpperCase(),
    });
    const kept = await controller.rest('PATCH', `/${collection}/${id}`, { name });
    expect(kept.status).toBe(200);
  });

  test.each([7, true, ['a'], { a: 1 }])('is not %j', async (name) => {
    expect(refusal(await controller.rest('POST', '/config-types', { name }))).toEqual(
      invalid('name'),
    );
  });

  test('is one name space for edge and transit routers', async () => {
    await controller.create('edge-routers', { name: 'one router' });
    for (const collection of ['transit-routers', 'routers']) {
      const answer = await controller.rest('POST', `/${collection}`, { name: 'one router' });
      expect(refusal(answer)).toEqual(invalid('name'));
    }
  });

  test('is a name space of its own for each kind of policy', async () => {
    const name = 'one policy';
    for (const collection of ['edge-router-policies', 'service-edge-router-policies']) {
      await controller.create(collection, { name, semantic: 'AnyOf' });
    }
    await controller.create('service-policies', { name, semantic: 'AnyOf', type: 'Bind' });
  });
});

describe('a reference that an entity must have', () => {
  const references = resources.flatMap((resource) =>
    [...resource.attributes.values()]
      .filter((a) => a.type.kind === 'reference' && a.required !== undefined)
      .map((a) => ({
        collection: resource.options.path,
        resource,
        member: inputNameOf(a),
        field: a.missingField ?? inputNameOf(a),
      })),
  );

  test.each(references)('is missed when $member of $collection is empty', async (row) => {
    const { collection, resource, member, field } = row;
    const body = { ...(await network.input(resource, 'create')), [member]: '' };
    expect(refusal(await controller.rest('POST', `/${collection}`, body))).toEqual(invalid(field));
  });

  test('is that of services and routers to terminators, among others', () => {
    expect(references.map(({ collection, member }) => `${collection}.${member}`)).toEqual(
      expect.arrayContaining(['terminators.service', 'terminators.router']),
    );
  });
});

describe('the collections that are read only', () => {
  test.each(['identity-types', 'posture-check-types', 'controllers'])('%s', async (collection) => {
    const path = `/${collection}/x`;
    expect((await controller.rest('POST', `/${collection}`, { name: 'a' })).status).toBe(405);
    expect((await controller.rest('PATCH', path, { name: 'a' })).status).toBe(405);
    expect((await controller.rest('DELETE', path)).status).toBe(405);
  });

  test('identity types are Default and Router', async () => {
    const { body } = await controller.rest('GET', '/identity-types');
    const types = body.data as { id: string; name: string }[];
    expect(types.map(({ id, name }) => [id, name])).toEqual([
      ['Default', 'Default'],
      ['Router', 'Router'],
    ]);
  });

  test('posture check types are those of the clients', async () => {
    const { body } = await controller.rest('GET', '/posture-check-types');
    const ids = (body.data as { id: string }[]).map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining(['DOMAIN', 'MAC', 'OS', 'PROCESS', 'PROCESS_MULTI']),
    );
  });
});
