import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isObjectType } from 'graphql';
import type { Row } from '../../src/base/row.js';
import type { RequestContext } from '../../src/kernel/request/context.js';
import { callerOf, InProcess, InProcessRest } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';
import { Searches, type Hit } from './searches.js';

/** One search over all kinds of entities: who finds what, and in which order. */

let controller: InProcess;
const { idOf, make, policy } = new NamedEntities(() => controller);
const { find, namesBy, refusalOf } = new Searches(() => controller);

beforeAll(async () => {
  controller = await InProcess.start();
  await make('Identity', 'portal', {
    type: 'Default',
    isAdmin: false,
    externalId: 'g@example.org',
    roleAttributes: ['staff'],
    tags: { owner: 'Doorkeeper', portal: 7, isOpen: true },
  });
  await make('Identity', 'barnaby', { type: 'Default', isAdmin: false, externalId: 'portal' });
  await make('Identity', 'cyrus', {
    type: 'Default',
    isAdmin: false,
    tags: { note: 'by the portal' },
  });
  await make('Service', 'portalhouse', { encryptionRequired: true, roleAttributes: ['portal'] });
  await make('Service', 'portals', { encryptionRequired: true });
  await make('Service', 'the portal', { encryptionRequired: true, roleAttributes: ['papers'] });
  await make('Service', 'teleportal', { encryptionRequired: true, roleAttributes: ['x-portal'] });
  await make('EdgeRouter', 'Portal', { roleAttributes: ['public'], tags: { 'portal of': 'x' } });
  await make('ServicePolicy', 'staff reads', {
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#staff', '#portal'],
    serviceRoles: ['#papers'],
  });
  await make('ConfigType', '100%_sure\\', { schema: {} });
  await make('ConfigType', '100 is a number', { schema: {} });
  await make('AccessRule', 'a rule', {
    kind: 'MUST_NEVER_REACH',
    type: 'Bind',
    semantic: 'AnyOf',
    identityRoles: ['#guests'],
    serviceRoles: ['#papers'],
  });
});
afterAll(() => controller.stop());

describe('hits', () => {
  test('come in the order of how well they match', async () => {
    const { nodes, totalCount, isTotalExact } = await find('PORTAL');
    expect(nodes.map(({ type, name, matchedBy }) => [type, name, matchedBy])).toStrictEqual([
      ['EdgeRouter', 'Portal', 'NAME'],
      ['Identity', 'portal', 'NAME'],
      ['Identity', 'barnaby', 'EXTERNAL_ID'],
      ['Service', 'portalhouse', 'ROLE_ATTRIBUTE'],
      ['ServicePolicy', 'staff reads', 'ROLE_ATTRIBUTE'],
      ['Service', 'portals', 'NAME'],
      ['Service', 'the portal', 'NAME'],
      ['Service', 'teleportal', 'NAME'],
      ['Identity', 'cyrus', 'TAG'],
    ]);
    expect([totalCount, isTotalExact]).toStrictEqual([9, true]);
  });

  test('say which text matches', async () => {
    const matched = async (text: string): Promise<unknown> => {
      const [{ name, matchedBy, matchedText, tag } = {} as Partial<Hit>] = (await find(text)).nodes;
      return [name, matchedBy, matchedText, tag];
    };
    expect(await matched(idOf('barnaby').toLowerCase())).toStrictEqual([
      'barnaby',
      'ID',
      idOf('barnaby'),
      null,
    ]);
    expect(await matched('example.org')).toStrictEqual([
      'portal',
      'EXTERNAL_ID',
      'g@example.org',
      null,
    ]);
    expect(await matched('#public')).toStrictEqual(['Portal', 'ROLE_ATTRIBUTE', '#public', null]);
    expect(await matched('keeper')).toStrictEqual(['portal', 'TAG', 'Doorkeeper', 'owner']);
    expect(await matched('owner')).toStrictEqual(['portal', 'TAG', 'owner', 'owner']);
    expect(await matched(' y THE p ')).toStrictEqual(['cyrus', 'TAG', 'by the portal', 'note']);
  });

  test('of roles come with and without the sign', async () => {
    const inPolicy = ['a rule', 'staff reads', 'the portal'];
    expect(await namesBy('papers')).toStrictEqual(inPolicy);
    expect(await namesBy('#PAPERS')).toStrictEqual(inPolicy);
    await policy('for barnaby', [`@${idOf('barnaby')}`], ['#papers']);
    expect(await namesBy(idOf('barnaby'))).toStrictEqual(['barnaby', 'for barnaby']);
    await controller.read('mutation ($id: ID!) { deleteServicePolicy(id: $id) }', {
      id: idOf('for barnaby'),
    });
  });

  test('of tags are by their names and texts, not by numbers and truth values', async () => {
    expect(await namesBy('isOpen')).toStrictEqual(['portal']);
    expect(await namesBy('true', { types: ['Identity'] })).toStrictEqual([]);
    const { nodes } = await find('7', { types: ['Identity'] });
    expect(nodes.filter(({ matchedBy }) => matchedBy === 'TAG')).toStrictEqual([]);
  });

  test.each([
    ['100%', ['100%_sure\\']],
    ['%_s', ['100%_sure\\']],
    ['\\', ['100%_sure\\']],
    ['1_0', []],
    ['100', ['100 is a number', '100%_sure\\']],
  ])('of %s take every character as it is', async (text, names) => {
    expect(await namesBy(text, { types: ['ConfigType'] })).toStrictEqual(names);
  });

  test('hold the entities, and each entity but once for a cache', async () => {
    const { search } = await controller.read<{ search: { nodes: Row[] } }>(
      '{ search(text: "portal", first: 3) { nodes { node { __typename nodeId ... on Identity { name externalId } } } } }',
    );
    expect(search.nodes.map(({ node }) => node)).toStrictEqual([
      { __typename: 'EdgeRouter', nodeId: expect.any(String) },
      {
        __typename: 'Identity',
        nodeId: expect.any(String),
        name: 'portal',
        externalId: 'g@example.org',
      },
      { __typename: 'Identity', nodeId: expect.any(String), name: 'barnaby', externalId: 'portal' },
    ]);
    const type = controller.schema.getType('SearchHit');
    expect(isObjectType(type) && Object.keys(type.getFields())).not.toContain('id');
  });
});

describe('a text', () => {
  test.each([
    ['', 'text'],
    [' \t ', 'text'],
    ['a\0b', 'text'],
    ['\ud83d', 'text'],
    ['x'.repeat(201), 'text'],
  ])('%j is refused with its place', async (text, field) => {
    expect(await refusalOf(text)).toStrictEqual(['COULD_NOT_VALIDATE', field]);
  });

  test('may have spaces around it', async () => {
    expect(await namesBy(`${' '.repeat(300)}barnaby `)).toStrictEqual(['barnaby']);
    expect(await namesBy('x'.repeat(200))).toStrictEqual([]);
  });
});

describe('types', () => {
  test('narrow the search', async () => {
    expect(await namesBy('portal', { types: ['Service', 'EdgeRouter', 'Service'] })).toStrictEqual([
      'Portal',
      'portalhouse',
      'portals',
      'the portal',
      'teleportal',
    ]);
    expect(await namesBy('portal', { types: [] })).toStrictEqual([]);
    expect(await namesBy('portal', { types: null })).toHaveLength(9);
  });

  test.each(['Nothing', 'Session', 'Change', 'service', ''])(
    '%j is none to search',
    async (type) => {
      expect(await refusalOf('portal', { types: ['Service', type] })).toStrictEqual([
        'COULD_NOT_VALIDATE',
        'types',
      ]);
    },
  );
});

describe('a caller', () => {
  const as = (...permissions: string[]): RequestContext =>
    controller.ctx(callerOf(idOf('portal'), ...permissions));

  test('without a permission finds itself and the services that it may dial', async () => {
    const nodes = (await find('portal', {}, as())).nodes;
    expect(nodes.map(({ type, name }) => [type, name])).toStrictEqual([
      ['Identity', 'portal'],
      ['Service', 'the portal'],
    ]);
    expect(await find('portal', {}, as())).toMatchObject({ totalCount: 2, isTotalExact: true });
    expect(await namesBy('barnaby', {}, as())).toStrictEqual([]);
    expect(await namesBy('portal', { types: ['Service'] }, as())).toStrictEqual(['the portal']);
  });

  test('finds what it may read, and is refused the types that it may not', async () => {
    const ctx = as('service.read', 'router');
    expect(await namesBy('portal', {}, ctx)).toStrictEqual([
      'Portal',
      'portal',
      'portalhouse',
      'portals',
      'the portal',
      'teleportal',
    ]);
    expect(await refusalOf('portal', { types: ['Service', 'ServicePolicy'] }, ctx)).toBe(
      'UNAUTHORIZED',
    );
    expect(await refusalOf('portal', { types: ['AccessRule'] }, as('service'))).toBe(
      'UNAUTHORIZED',
    );
    expect(await namesBy('a rule', {}, as('admin_readonly'))).toStrictEqual(['a rule']);
    expect(await namesBy('a rule', {}, ctx)).toStrictEqual([]);
  });

  test('who writes alone does not read', async () => {
    expect(await namesBy('portalhouse', {}, as('service.create', 'service.update'))).toStrictEqual(
      [],
    );
  });

  test('without a session is refused', async () => {
    expect(await refusalOf('portal', {}, controller.anonymous())).toBe('UNAUTHORIZED');
  });
});

describe('on REST', () => {
  let rest: InProcessRest;
  beforeAll(async () => {
    rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
  });
  afterAll(() => rest.stop());

  test('it is a list', async () => {
    const { status, body } = await rest.get('/search?text=PORTAL&types=Service,EdgeRouter&limit=2');
    expect(status).toBe(200);
    expect(body.data).toStrictEqual([
      {
        type: 'EdgeRouter',
        id: idOf('Portal'),
        name: 'Portal',
        matchedBy: 'NAME',
        matchedText: 'Portal',
        tag: null,
      },
      {
        type: 'Service',
        id: idOf('portalhouse'),
        name: 'portalhouse',
        matchedBy: 'ROLE_ATTRIBUTE',
        matchedText: '#portal',
        tag: null,
      },
    ]);
    expect(body.meta).toMatchObject({ pagination: { limit: 2, offset: 0, totalCount: 5 } });
  });

  test.each([
    ['/search', 'text'],
    ['/search?text=', 'text'],
    ['/search?text=%00', 'text'],
    ['/search?text=a&types=Nothing', 'types'],
    ['/search?text=a&limit=-1', 'limit'],
  ])('%s is refused', async (path, field) => {
    const { status, body } = await rest.get(path);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ cause: { field } });
  });
});
