import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { MIN_NODES, MAX_NODES } from '../../src/access/analysis/index.js';
import { ACCESS_READS } from '../support/access-reads.js';
import { callerOf, InProcess } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';
import { settledChange } from '../support/settled-change.js';
import { joined, named, readMap, readRefusal, type ShownMap } from './shown-map.js';

/** The map of the policies, as clients see it. */

let controller: InProcess;
const { idOf, make, person, policy } = new NamedEntities(() => controller);
const service = (name: string, ...roleAttributes: string[]): Promise<void> =>
  make('Service', name, { encryptionRequired: true, roleAttributes });

beforeAll(async () => {
  controller = await InProcess.start();
  await person('ada', 'staff');
  await person('bob', 'staff', 'ops');
  await person('"cy" ❤', 'staff');
  await person('eve');
  await service('wiki', 'docs');
  await service('mail', 'docs');
  await service('vault');
  await policy('staff reads', ['#staff'], ['#docs']);
  await policy('ops host', ['#ops'], [`@${idOf('vault')}`], { type: 'Bind' });
  await policy('nothing', ['#nobody'], ['#docs']);
  await make('EdgeRouter', 'gate', { roleAttributes: ['public'] });
  await make('EdgeRouter', 'back', {});
  await make('EdgeRouterPolicy', 'all', {
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    edgeRouterRoles: ['#public'],
  });
  await make('ServiceEdgeRouterPolicy', 'docs', {
    semantic: 'AnyOf',
    serviceRoles: ['#docs'],
    edgeRouterRoles: ['#all'],
  });
});
afterAll(() => controller.stop());

const mapOf = (args = '', variables: Row = {}, on = controller): Promise<ShownMap> =>
  readMap(on, args, variables);

const refusal = (args: string, variables: Row = {}, ctx = controller.ctx()): Promise<unknown> =>
  readRefusal(controller, args, variables, ctx);

describe('the map', () => {
  test('has classes and policies with their names and numbers', async () => {
    const map = await mapOf();
    expect(map).toMatchObject({
      isMerged: false,
      identityCount: 5,
      serviceCount: 3,
      edgeRouterCount: 2,
      policyCount: 5,
      identityClassCount: 3,
      serviceClassCount: 2,
      edgeRouterClassCount: 2,
    });
    expect(named(map, 'identity').sort()).toEqual(['"cy" ❤,ada', 'admin,eve', 'bob']);
    expect(named(map, 'service')).toEqual(['mail,wiki', 'vault']);
    expect(named(map, 'edgeRouter').sort()).toEqual(['back', 'gate']);
    expect(joined(map)).toEqual([
      '"cy" ❤,ada | all',
      '"cy" ❤,ada | staff reads | Dial',
      'admin,eve | all',
      'back | docs',
      'bob | all',
      'bob | ops host | Bind',
      'bob | staff reads | Dial',
      'gate | all',
      'gate | docs',
      'mail,wiki | docs',
      'mail,wiki | nothing | Dial',
      'mail,wiki | staff reads | Dial',
      'vault | ops host | Bind',
    ]);
    const nothing = map.nodes.find(({ sampleNames }) => sampleNames[0] === 'nothing');
    expect(nothing).toMatchObject({
      kind: 'servicePolicy',
      type: 'Dial',
      isEmpty: true,
      identityCount: 0,
      serviceCount: 2,
      edgeRouterCount: null,
    });
    expect(map.nodes.filter(({ isEmpty }) => isEmpty)).toHaveLength(1);
    expect(map.nodes.every(({ change }) => change === null)).toBe(true);
  });

  test.each([
    ['a type', '(type: Bind)', ['"cy" ❤,ada,admin', 'bob'], ['ops host']],
    [
      'a condition on identities',
      `(identityFilter: "name = \\"bob\\"")`,
      ['bob'],
      ['ops host', 'staff reads'],
    ],
    [
      'a condition on services',
      `(serviceFilter: "name = \\"vault\\"")`,
      ['"cy" ❤,ada,admin', 'bob'],
      ['ops host'],
    ],
    [
      'both, typed',
      `(where: { identity: { roleAttributes: { anyOf: { eq: "staff" } } }, service: { name: { eq: "wiki" } } })`,
      ['"cy" ❤,ada,bob'],
      ['staff reads'],
    ],
  ])('is narrowed by %s', async (_, args, identities, policies) => {
    const map = await mapOf(args);
    expect(named(map, 'identity').sort()).toEqual(identities);
    expect(named(map, 'servicePolicy').sort()).toEqual(policies);
  });

  test('is made once for equal questions of a document, and apart for others', async () => {
    const statements = async (...maps: string[]): Promise<[number, Row]> => {
      await controller.forgetRows();
      const fields = maps.map(
        (args, i) => `m${String(i)}: accessMap${args} { nodes { sampleNames } policyCount }`,
      );
      const { data, statements: count } = await controller.graph(`{ ${fields.join(' ')} }`);
      return [count, data ?? {}];
    };
    const [alone] = await statements('');
    const [several, data] = await statements('', '(maxNodes: 200)', '(type: null, at: null)');
    expect(several).toBe(alone);
    expect(data.m1).toEqual(data.m0);
    const [, others] = await statements('(type: Dial)', '(type: Bind)');
    expect([others.m0, others.m1].map((map) => (map as Row).policyCount)).toEqual([4, 3]);
  });

  test.each([
    ['(maxNodes: 24)', 'COULD_NOT_VALIDATE', 'maxNodes'],
    ['(maxNodes: 2001)', 'COULD_NOT_VALIDATE', 'maxNodes'],
    ['(maxNodes: -1)', 'COULD_NOT_VALIDATE', 'maxNodes'],
    ['(identityFilter: "nothing = 1")', 'INVALID_FILTER', undefined],
    ['(serviceFilter: "true limit 1")', 'COULD_NOT_VALIDATE', 'serviceFilter'],
    ['(at: "2001-01-01T00:00:00Z", changes: [])', 'COULD_NOT_VALIDATE', 'at'],
    ['(at: "yesterday")', 'COULD_NOT_VALIDATE', 'at'],
    ['(at: "2001-02-30T00:00:00Z")', 'COULD_NOT_VALIDATE', 'at'],
    ['(at: "2001-02-03T00:00:00")', 'COULD_NOT_VALIDATE', 'at'],
  ])('is refused for %s', async (args, code, field) => {
    expect(await refusal(args)).toEqual([code, field]);
  });

  test('is refused for too many changes, and for changes that can not be made', async () => {
    const change = { operation: 'delete', type: 'service', id: 'nothing' };
    expect(await refusal('(changes: $changes)', { changes: [change] })).toEqual([
      'NOT_FOUND',
      undefined,
    ]);
    const changes = Array.from({ length: 1_001 }, () => change);
    expect(await refusal('(changes: $changes)', { changes })).toEqual([
      'COULD_NOT_VALIDATE',
      'changes',
    ]);
  });

  test('takes reading all that access is made of', async () => {
    const ask = async (...permissions: string[]): Promise<unknown> =>
      Promise.all(
        ['accessMap { policyCount }', 'accessMapClass(key: "x") { count }'].map(async (field) => {
          const ctx = controller.ctx(callerOf(idOf('eve'), ...permissions));
          const { errors } = await controller.graph(`{ ${field} }`, {}, ctx);
          return errors.map((error) => error?.code).join();
        }),
      );
    expect(await ask(...ACCESS_READS)).toEqual(['', 'NOT_FOUND']);
    for (const each of ACCESS_READS) {
      const others = ACCESS_READS.filter((other) => other !== each);
      expect(await ask(...others)).toEqual(['UNAUTHORIZED', 'UNAUTHORIZED']);
    }
    const caller = callerOf(idOf('eve'), ...ACCESS_READS);
    const at = await settledChange(controller);
    expect(await refusal('(at: $at)', { at }, controller.ctx(caller))).toEqual([
      'UNAUTHORIZED',
      undefined,
    ]);
  });
});

describe('the members of a node', () => {
  const MEMBERS = `members(first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor }
    nodes { kind entityId name entity { ... on Identity { id name roleAttributes } } } }`;
  const read = async (key: string, first: number, after: string | null): Promise<Row> => {
    const { accessMapClass } = await controller.read<{ accessMapClass: { members: Row } }>(
      `query ($key: ID!, $first: Int, $after: String) { accessMapClass(key: $key) { ${MEMBERS} } }`,
      { key, first, after },
    );
    return accessMapClass.members;
  };
  const staff = async (): Promise<string> =>
    (await mapOf()).nodes.find(({ sampleNames }) => sampleNames.includes('ada'))?.key ?? '';

  test('come in pages by its key, with the entities', async () => {
    const key = await staff();
    const names = ['ada', '"cy" ❤'].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
    const member = (name: string): Row => ({
      kind: 'identity',
      entityId: idOf(name),
      name,
      entity: { id: idOf(name), name, roleAttributes: ['staff'] },
    });
    const first = await read(key, 1, null);
    expect(first).toMatchObject({
      totalCount: 2,
      nodes: [member(names[0] ?? '')],
      pageInfo: { hasNextPage: true },
    });
    const cursor = String((first.pageInfo as Row).endCursor);
    expect(await read(key, 1, cursor)).toMatchObject({
      totalCount: 2,
      nodes: [member(names[1] ?? '')],
      pageInfo: { hasNextPage: false },
    });
  });

  test('come with the node, of policies too', async () => {
    const { accessMap } = await controller.read<{ accessMap: { nodes: Row[] } }>(
      '{ accessMap { nodes { kind members(first: 5) { totalCount nodes { entityId name } } } } }',
    );
    expect(accessMap.nodes).toContainEqual({
      kind: 'servicePolicy',
      members: { totalCount: 1, nodes: [{ entityId: idOf('ops host'), name: 'ops host' }] },
    });
  });

  test.each([
    ['members(first: 501)', 'COULD_NOT_VALIDATE'],
    ['members(limit: -1)', 'COULD_NOT_VALIDATE'],
    ['members(after: "elsewhere")', 'COULD_NOT_VALIDATE'],
    ['members(first: -1)', 'COULD_NOT_VALIDATE'],
  ])('are refused for %s', async (field, code) => {
    const { errors } = await controller.graph(
      `query ($key: ID!) { accessMapClass(key: $key) { ${field} { totalCount } } }`,
      { key: await staff() },
    );
    expect(errors.map((error) => error?.code)).toEqual([code]);
  });

  test('are not found by a key whose class is gone', async () => {
    await person('fay', 'staff', 'new');
    await policy('new', ['#new'], []);
    const key = (await mapOf()).nodes.find(({ sampleNames }) => sampleNames[0] === 'fay')?.key;
    const ask = async (on: string | undefined): Promise<unknown> => {
      const { data, errors } = await controller.graph(
        'query ($key: ID!) { accessMapClass(key: $key) { count } }',
        { key: on },
      );
      return data?.accessMapClass ?? errors.map((error) => [error?.code, error?.detail]);
    };
    expect(await ask(key)).toEqual({ count: 1 });
    await controller.read('mutation ($id: ID!) { deleteServicePolicy(id: $id) }', {
      id: idOf('new'),
    });
    await controller.read('mutation ($id: ID!) { deleteIdentity(id: $id) }', { id: idOf('fay') });
    const gone = [['NOT_FOUND', { kind: 'message', message: expect.stringContaining('key') }]];
    expect(await ask(key)).toEqual(gone);
    expect(await ask('')).toEqual(gone);
    expect(await ask('\u0000'.repeat(1_000))).toEqual(gone);
  });
});

test('a map counts the policies that need posture checks, also the past ones', async () => {
  const read = async (at: string | null): Promise<Row[]> => {
    const { accessMap } = await controller.read<{ accessMap: { nodes: Row[] } }>(
      'query ($at: String) { accessMap(at: $at) { nodes { sampleNames checkedCount onlineCount } } }',
      { at },
    );
    return accessMap.nodes;
  };
  const counted = (nodes: readonly Row[], name: string): unknown =>
    nodes.find(({ sampleNames }) => (sampleNames as string[]).includes(name))?.checkedCount;
  const domains = ['example.com'];
  await make('PostureCheck', 'domain', { typeId: 'DOMAIN', domains, roleAttributes: ['strict'] });
  await policy('strict', ['#staff'], ['#docs'], { postureCheckRoles: ['#strict'] });
  await policy('strict of nothing', ['#staff'], ['#docs'], { postureCheckRoles: ['#loose'] });
  const at = await settledChange(controller);
  const present = await read(null);
  const names = ['strict', 'strict of nothing', 'staff reads', 'all', 'ada'];
  expect(names.map((name) => counted(present, name))).toEqual([1, 0, 0, null, null]);
  for (const name of ['strict', 'strict of nothing']) {
    await controller.read('mutation ($id: ID!) { deleteServicePolicy(id: $id) }', {
      id: idOf(name),
    });
  }
  const past = await read(at);
  expect(names.map((name) => counted(past, name))).toEqual([1, 0, 0, null, null]);
  expect(past.every(({ onlineCount }) => onlineCount === null)).toBe(true);
});

describe('the places of entities and policies', () => {
  const PLACES = 'places(ids: $ids) { kind entityId key }';
  const places = async (ids: readonly string[], args = ''): Promise<Row[]> => {
    const { accessMap } = await controller.read<{ accessMap: { places: Row[] } }>(
      `query ($ids: [ID!]!) { accessMap${args} { ${PLACES} } }`,
      { ids },
    );
    return accessMap.places;
  };

  test('are the nodes that hold them, also of a merged map', async () => {
    for (let i = 0; i < MIN_NODES; i += 1) await policy(`q${String(i)}`, [`#q${String(i)}`], []);
    const ids = ['wiki', 'ada', 'nothing', 'gate', 'docs', 'q7'].map(idOf);
    for (const most of [MIN_NODES, MAX_NODES]) {
      const args = `maxNodes: ${String(most)}`;
      expect((await mapOf(`(${args})`)).isMerged).toBe(most === MIN_NODES);
      const found = await places(ids, `(${args})`);
      expect(found.map(({ entityId }) => entityId)).toEqual(ids);
      for (const { kind, entityId, key } of found) {
        const { accessMapClass } = await controller.read<{ accessMapClass: Row }>(
          `query ($key: ID!) { accessMapClass(key: $key, ${args}) { kind members { nodes { entityId } } } }`,
          { key },
        );
        expect(accessMapClass).toMatchObject({
          kind,
          members: { nodes: expect.arrayContaining([{ entityId }]) },
        });
      }
    }
  });

  test('are none for what the map leaves out', async () => {
    const ids = [idOf('ada'), idOf('bob'), 'nowhere', ''];
    const found = await places(ids, '(identityFilter: "name = \\"bob\\"")');
    expect(found.map(({ entityId }) => entityId)).toEqual([idOf('bob')]);
    const { errors } = await controller.graph(`query ($ids: [ID!]!) { accessMap { ${PLACES} } }`, {
      ids: Array.from({ length: 5_001 }, () => 'x'),
    });
    expect(errors.map((error) => error?.code)).toEqual(['COULD_NOT_VALIDATE']);
  });
});

describe('the map after changes', () => {
  const changes = (): Row[] => [
    {
      operation: 'create',
      type: 'identity',
      id: 'zoe',
      input: { name: 'zoe', type: 'Default', isAdmin: false, roleAttributes: ['ops'] },
    },
    { operation: 'update', type: 'identity', id: idOf('ada'), input: { name: 'Ada L.' } },
    {
      operation: 'update',
      type: 'servicePolicy',
      id: idOf('staff reads'),
      input: { identityRoles: ['#ops'] },
    },
    { operation: 'delete', type: 'service', id: idOf('vault') },
  ];

  test('tells what comes, goes and stays, with the names of then', async () => {
    const map = await mapOf('(changes: $changes)', { changes: changes() });
    const shown = map.nodes.map(({ kind, change, sampleNames }) =>
      [kind, change, ...sampleNames].join(' '),
    );
    expect(shown.filter((text) => /^(identity|service) /.test(text)).sort()).toEqual([
      'identity GAINED zoe',
      'identity KEPT "cy" ❤ Ada L.',
      'identity KEPT admin eve',
      'identity KEPT bob',
      'service KEPT mail wiki',
      'service LOST vault',
    ]);
    const edges = joined(map).filter((edge) => /staff reads|ops host/.test(edge));
    expect(edges).toEqual([
      '"cy" ❤,Ada L. | staff reads | Dial | LOST',
      'bob | ops host | Bind | KEPT',
      'bob | staff reads | Dial | KEPT',
      'mail,wiki | staff reads | Dial | KEPT',
      'vault | ops host | Bind | LOST',
      'zoe | ops host | Bind | GAINED',
      'zoe | staff reads | Dial | GAINED',
    ]);
    expect(map.identityCount).toBe(6);
  });

  test('has the keys of the map where nothing changes, and pages of new members', async () => {
    const plain = await mapOf();
    const map = await mapOf('(changes: $changes)', { changes: changes() });
    const keyOf = (shown: ShownMap, name: string): string | undefined =>
      shown.nodes.find(({ sampleNames }) => sampleNames.includes(name))?.key;
    expect(keyOf(map, 'bob')).toBe(keyOf(plain, 'bob'));
    expect(keyOf(map, 'Ada L.')).not.toBe(keyOf(plain, 'ada'));
    const { accessMapClass } = await controller.read<{ accessMapClass: Row }>(
      `query ($key: ID!, $changes: [ModelChangeInput!]) { accessMapClass(key: $key, changes: $changes) {
        change sampleNames members { nodes { entityId name entity { nodeId } } } } }`,
      { key: keyOf(map, 'zoe'), changes: changes() },
    );
    expect(accessMapClass).toEqual({
      change: 'GAINED',
      sampleNames: ['zoe'],
      members: { nodes: [{ entityId: 'zoe', name: 'zoe', entity: null }] },
    });
  });

  test('is the same without a change', async () => {
    const { nodes, edges, ...plain } = await mapOf();
    const unchangedMap = await mapOf('(changes: [])');
    expect(unchangedMap).toEqual({
      ...plain,
      nodes: nodes.map((node) => ({ ...node, change: 'KEPT' })),
      edges: edges.map((edge) => ({ ...edge, change: 'KEPT' })),
    });
  });
});
