import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Resource } from '../../src/kernel/declare/resource.js';
import type { Row } from '../../src/base/row.js';
import { InProcess, InProcessRest } from '../support/in-process.js';

/** Equal predicates and equal orders give equal results, whichever door and spelling they come by. */

let controller: InProcess;
let rest: InProcessRest;

beforeAll(async () => {
  controller = await InProcess.start();
  await seed();
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await controller.stop();
});

async function seed(): Promise<void> {
  const attributes = [['a'], ['a', 'b'], [], ['b', 'c'], ['ünï"x']];
  const configType = await controller.create('ConfigType', { name: 'own.v1', schema: {} });
  for (const [i, roleAttributes] of attributes.entries()) {
    const n = String(i);
    await controller.create('Identity', {
      name: `identity ${n}`,
      type: 'Default',
      isAdmin: i === 4,
      externalId: i % 2 === 0 ? `x_${n}%` : null,
      roleAttributes,
      tags: { number: i, text: `t${n}`, flag: i > 2, none: null, 'my key': 'x' },
    });
    const config = await controller.create('Config', {
      name: `config ${n}`,
      configTypeId: configType,
      data: { n: i },
    });
    await controller.create('Service', {
      name: `Service "${n}"`,
      encryptionRequired: i % 2 === 0,
      roleAttributes,
      configs: i < 2 ? [config] : [],
    });
    await controller.create('EdgeRouter', {
      name: `router ${n}`,
      isTunnelerEnabled: i === 0,
      cost: i,
      roleAttributes,
    });
    await controller.create('ServicePolicy', {
      name: `policy ${n}`,
      type: i % 2 === 0 ? 'Dial' : 'Bind',
      semantic: i < 3 ? 'AnyOf' : 'AllOf',
      identityRoles: roleAttributes.map((a) => `#${a}`),
      serviceRoles: ['#all'],
    });
  }
}

type Case = readonly [resource: string, filter: string, where: Row];

const CASES: readonly Case[] = [
  ['Identity', 'name = "identity 1"', { name: { eq: 'identity 1' } }],
  ['Identity', 'name != "identity 1"', { name: { ne: 'identity 1' } }],
  ['Identity', 'name icontains "IDENTITY"', { name: { icontains: 'IDENTITY' } }],
  ['Identity', 'name not contains "identity"', { name: { notContains: 'identity' } }],
  ['Identity', 'externalId contains "_0%"', { externalId: { contains: '_0%' } }],
  ['Identity', 'externalId = null', { externalId: { isNull: true } }],
  ['Identity', 'externalId != "x_0%"', { externalId: { ne: 'x_0%' } }],
  ['Identity', 'isAdmin', { isAdmin: { eq: true } }],
  ['Identity', 'not isAdmin', { not: { isAdmin: { eq: true } } }],
  ['Identity', 'anyOf(roleAttributes) = "a"', { roleAttributes: { anyOf: { eq: 'a' } } }],
  ['Identity', 'allOf(roleAttributes) = "a"', { roleAttributes: { allOf: { eq: 'a' } } }],
  ['Identity', 'anyOf(roleAttributes) = "ünï\\"x"', { roleAttributes: { anyOf: { eq: 'ünï"x' } } }],
  ['Identity', 'isEmpty(roleAttributes)', { roleAttributes: { isEmpty: true } }],
  ['Identity', 'count(roleAttributes) = 2', { roleAttributes: { count: { eq: 2 } } }],
  ['Identity', 'tags.number > 2', { tags: [{ key: 'number', gt: 2 }] }],
  ['Identity', 'tags.text = "t1"', { tags: [{ key: 'text', eq: 't1' }] }],
  ['Identity', 'tags.flag = true', { tags: [{ key: 'flag', eq: true }] }],
  ['Identity', 'tags.none = null', { tags: [{ key: 'none', isNull: true }] }],
  ['Identity', 'tags.\'my key\' = "x"', { tags: [{ key: 'my key', eq: 'x' }] }],
  ['Identity', 'type = "Router"', { type: { eq: 'Router' } }],
  [
    'Identity',
    'name < "identity 2" or name > "identity 3"',
    { or: [{ name: { lt: 'identity 2' } }, { name: { gt: 'identity 3' } }] },
  ],
  [
    'Identity',
    '(isAdmin = true or externalId = null) and name contains "identity"',
    {
      and: [
        { or: [{ isAdmin: { eq: true } }, { externalId: { isNull: true } }] },
        { name: { contains: 'identity' } },
      ],
    },
  ],
  [
    'Identity',
    'createdAt > datetime(2020-01-01T00:00:00Z)',
    { createdAt: { gt: '2020-01-01T00:00:00Z' } },
  ],
  [
    'Identity',
    'createdAt < datetime(2020-01-01T00:00:00Z)',
    { createdAt: { lt: '2020-01-01T00:00:00Z' } },
  ],
  [
    'Identity',
    'anyOf(services.name) contains "0"',
    { services: { some: { name: { contains: '0' } } } },
  ],
  ['Identity', 'isEmpty(servicePolicies)', { servicePolicies: { isEmpty: true } }],
  ['Identity', 'count(servicePolicies) >= 2', { servicePolicies: { count: { gte: 2 } } }],
  ['Identity', 'false', { or: [] }],
  ['Service', 'name = "Service \\"0\\""', { name: { eq: 'Service "0"' } }],
  ['Service', 'not isEmpty(configs)', { configs: { isEmpty: false } }],
  [
    'Service',
    'anyOf(roleAttributes) in ["b", "c"]',
    { roleAttributes: { anyOf: { in: ['b', 'c'] } } },
  ],
  [
    'Service',
    'terminatorStrategy = "smartrouting"',
    { terminatorStrategy: { eq: 'smartrouting' } },
  ],
  [
    'Service',
    'isEmpty(from identities where isAdmin = true)',
    { identities: { none: { isAdmin: { eq: true } } } },
  ],
  [
    'Service',
    'not isEmpty(from servicePolicies where type = "Dial")',
    { servicePolicies: { some: { type: { eq: 'Dial' } } } },
  ],
  ['ServicePolicy', 'semantic = "AllOf"', { semantic: { eq: 'AllOf' } }],
  ['ServicePolicy', 'type in ["Dial", "Bind"]', { type: { in: ['Dial', 'Bind'] } }],
  ['ServicePolicy', 'anyOf(identityRoles) = "#a"', { identityRoles: { anyOf: { eq: '#a' } } }],
  [
    'ServicePolicy',
    'anyOf(identities.name) = "identity 1"',
    { identities: { some: { name: { eq: 'identity 1' } } } },
  ],
  ['ServicePolicy', 'isEmpty(identities)', { identities: { isEmpty: true } }],
  ['EdgeRouter', 'isTunnelerEnabled', { isTunnelerEnabled: { eq: true } }],
  ['EdgeRouter', 'cost between 1 and 3', { cost: { between: [1, 3] } }],
  ['EdgeRouter', 'cost in [0, 4]', { cost: { in: [0, 4] } }],
  ['EdgeRouter', 'not isEmpty(identities)', { identities: { isEmpty: false } }],
  ['EdgeRouterPolicy', 'isSystem = true', { isSystem: { eq: true } }],
  ['Config', 'name >= "config 3"', { name: { gte: 'config 3' } }],
  ['ConfigType', 'name contains ".v1"', { name: { contains: '.v1' } }],
  ['AuthPolicy', 'primary.cert.allowed = true', { primary__cert__allowed: { eq: true } }],
  [
    'AuthPolicy',
    'primary.updb.minPasswordLength > 1',
    { primary__updb__minPasswordLength: { gt: 1 } },
  ],
];

interface Listed {
  readonly ids: string[];
  readonly total: number;
}

async function graphList(resource: string, args: Row): Promise<Listed> {
  const { list } = controller.catalog.get(resource);
  const types: Row = {
    filter: 'String',
    where: `${resource}Where`,
    sort: 'String',
    orderBy: `[${resource}OrderBy!]`,
    first: 'Int',
    offset: 'Int',
  };
  const names = Object.keys(args);
  const answer = await controller.read<{ page: { nodes: { id: string }[]; totalCount: number } }>(
    `query (${names.map((n) => `$${n}: ${String(types[n])}`).join(', ')}) {
      page: ${list}(${names.map((n) => `${n}: $${n}`).join(', ')}) { nodes { id } totalCount } }`,
    args,
  );
  return { ids: answer.page.nodes.map((n) => n.id), total: answer.page.totalCount };
}

async function restList(path: string, query: Record<string, string>): Promise<Listed> {
  const { status, body } = await rest.get(`${path}?${String(new URLSearchParams(query))}`);
  if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
  const { totalCount } = body.meta.pagination as { totalCount: number };
  return { ids: (body.data as { id: string }[]).map((row) => row.id), total: totalCount };
}

const pathOf = (resource: string): string => `/${controller.catalog.get(resource).options.path}`;

describe('a predicate', () => {
  test.each(CASES)('%s: %s', async (resource, filter, where) => {
    const byText = await graphList(resource, { filter, first: 500 });
    expect(await graphList(resource, { where, first: 500 })).toStrictEqual(byText);
    expect(await restList(pathOf(resource), { filter, limit: '500' })).toStrictEqual(byText);
    // The complement holds the rest.
    const rest = await graphList(resource, { where: { not: where }, first: 500 });
    const all = await graphList(resource, { first: 500 });
    expect([...byText.ids, ...rest.ids].sort()).toStrictEqual([...all.ids].sort());
  });

  test('the table is not blind: most predicates select some and not all', async () => {
    const selected = await Promise.all(
      CASES.map(async ([resource, filter]) => {
        const [some, all] = [
          await graphList(resource, { filter }),
          await graphList(resource, { first: 500 }),
        ];
        return some.total > 0 && some.total < all.total;
      }),
    );
    expect(selected.filter(Boolean).length).toBeGreaterThan(CASES.length * 0.75);
  });
});

describe('every name that a filter knows', () => {
  /** A condition on a name in both spellings, by its kind. */
  function conditions(name: string, shape: string): [string, Row][] {
    const member = name.replaceAll('.', '__');
    if (shape === 'map') {
      return [[`${name}.x = null`, { [member]: [{ key: 'x', isNull: true }] }]];
    }
    if (shape === 'value') {
      return [
        [`${name} = null`, { [member]: { isNull: true } }],
        [`not ${name} = null`, { not: { [member]: { isNull: true } } }],
      ];
    }
    return [
      [`isEmpty(${name})`, { [member]: { isEmpty: true } }],
      [`count(${name}) > 0`, { [member]: { count: { gt: 0 } } }],
      [`anyOf(${name}) contains "a"`, { [member]: { anyOf: { contains: 'a' } } }],
    ];
  }

  const onManagement = (): Resource[] =>
    [...controller.catalog.all()].filter(
      ({ options }) => options.interfaces?.includes('management') ?? true,
    );

  test('means the same on both doors, for every resource', async () => {
    for (const resource of onManagement()) {
      const symbols = controller.catalog.symbols(resource);
      for (const name of symbols.names()) {
        for (const [filter, where] of conditions(name, symbols.get(name)?.shape ?? '')) {
          const about = `${resource.name}: ${filter}`;
          const byText = await graphList(resource.name, { filter, first: 500 });
          const byWhere = await graphList(resource.name, { where, first: 500 });
          const byRest = await restList(pathOf(resource.name), { filter, limit: '500' });
          expect([about, byWhere, byRest]).toStrictEqual([about, byText, byText]);
        }
      }
    }
  });

  test('orders the same on both doors, by text and typed', async () => {
    for (const resource of onManagement()) {
      const symbols = controller.catalog.symbols(resource);
      for (const name of symbols.names()) {
        const symbol = symbols.get(name);
        if (symbol?.shape !== 'value' || symbol.sortable === false) continue;
        for (const direction of ['asc', 'desc']) {
          const about = `${resource.name} by ${name} ${direction}`;
          const sort = `${name} ${direction}`;
          const field = name.replaceAll('.', '__');
          const byText = await graphList(resource.name, { sort, first: 500 });
          expect([
            about,
            await graphList(resource.name, { orderBy: [{ field, direction }], first: 500 }),
            await restList(pathOf(resource.name), { filter: `sort by ${sort} limit none` }),
          ]).toStrictEqual([about, byText, byText]);
        }
      }
    }
  });
});

describe('filter and where together', () => {
  test('both must hold', async () => {
    const both = await graphList('Identity', {
      filter: 'name contains "identity"',
      where: { isAdmin: { eq: false } },
      first: 500,
    });
    expect(both).toStrictEqual(
      await restList('/identities', {
        filter: 'name contains "identity" and isAdmin = false',
        limit: '500',
      }),
    );
    expect(both.total).toBe(4);
  });
});

describe('pages', () => {
  test('of one filter are the same on both doors', async () => {
    for (const offset of [0, 1, 3, 4, 9]) {
      const filter = 'name contains "identity"';
      expect(
        await restList('/identities', { filter, limit: '2', offset: String(offset) }),
      ).toStrictEqual(await graphList('Identity', { filter, first: 2, offset }));
    }
  });
});

describe('what one door refuses the other refuses alike', () => {
  test.each([
    ['nonsense = 1', 'INVALID_FILTER'],
    ['name =', 'INVALID_FILTER'],
    ['name = 5', undefined],
    ['isAdmin > 1', 'INVALID_FILTER'],
    ['anyOf(name) = "x"', 'INVALID_FILTER'],
    ['true sort by nonsense', 'INVALID_SORT_IDENTIFIER'],
    ['true limit x', undefined],
    ['name = "x', 'INVALID_FILTER'],
  ])('%s', async (filter, code) => {
    const graph = await controller.graph(
      'query ($filter: String) { identities(filter: $filter) { totalCount nodes { id } } }',
      { filter },
    );
    const { status, body } = await rest.get(`/identities?filter=${encodeURIComponent(filter)}`);
    const refusal = graph.errors[0];
    if (refusal) {
      expect([status, body.error.code]).toStrictEqual([refusal.status, refusal.code]);
    } else expect(status).toBe(200);
    if (code !== undefined) expect(refusal?.code).toBe(code);
  });
});
