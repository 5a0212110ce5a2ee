import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { callerOf, InProcess, InProcessRest } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';

/** Lists of who reaches what, on both doors. */

let controller: InProcess;
let rest: InProcessRest;
const { idOf, make } = new NamedEntities(() => controller);

const person = (name: string, team: string, ...roleAttributes: string[]) =>
  make('Identity', name, { type: 'Default', isAdmin: false, roleAttributes, tags: { team } });
const service = (name: string, ...roleAttributes: string[]) =>
  make('Service', name, { encryptionRequired: true, roleAttributes });
const policy = (name: string, type: string, identityRoles: string[], serviceRoles: string[]) =>
  make('ServicePolicy', name, { type, semantic: 'AnyOf', identityRoles, serviceRoles });

beforeAll(async () => {
  controller = await InProcess.start();
  await person('ada', 'sea', 'staff');
  await person('bob', 'land', 'staff', 'ops');
  await person('eve', 'land');
  await service('wiki', 'docs');
  await service('mail', 'docs');
  await service('vault');
  await policy('staff reads', 'Dial', ['#staff'], ['#docs']);
  await policy('ops dial', 'Dial', ['#ops'], ['#docs', `@${idOf('vault')}`]);
  await policy('ops host', 'Bind', ['#ops'], [`@${idOf('wiki')}`]);
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await controller.stop();
});

/** All that the policies above grant. */
const ALL = [
  ['ada', 'wiki', 'Dial'],
  ['ada', 'mail', 'Dial'],
  ['bob', 'wiki', 'Dial'],
  ['bob', 'mail', 'Dial'],
  ['bob', 'vault', 'Dial'],
  ['bob', 'wiki', 'Bind'],
] as const;
type Named = readonly [identity: string, service: string, type: string];

/** The names of pairs in the order of their ids. */
const inOrder = (pairs: readonly Named[]): Named[] => {
  const keyOf = ([identity, target, type]: Named): string =>
    `${idOf(identity)} ${idOf(target)} ${type}`;
  return pairs.toSorted((a, b) => Buffer.from(keyOf(a)).compare(Buffer.from(keyOf(b))));
};

interface Listed {
  nodes: { identity: { name: string }; service: { name: string }; type: string }[];
  totalCount: number;
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

const FIELDS = `{ nodes { identity { name } service { name } type } totalCount pageInfo { hasNextPage endCursor } }`;

async function list(args: string): Promise<Listed> {
  const { accesses } = await controller.read<{ accesses: Listed }>(`{ accesses${args} ${FIELDS} }`);
  return accesses;
}

const namesOf = ({ nodes }: Listed): Named[] =>
  nodes.map(({ identity, service: to, type }) => [identity.name, to.name, type]);

describe('accesses', () => {
  test('are the pairs that policies grant, in the order of their ids, with their number', async () => {
    const all = await list('');
    expect(namesOf(all)).toStrictEqual(inOrder(ALL));
    expect(all.totalCount).toBe(6);
  });

  test.each([
    ['an identity', () => `(identityId: "${idOf('ada')}")`, ALL.filter(([who]) => who === 'ada')],
    ['a service', () => `(serviceId: "${idOf('wiki')}")`, ALL.filter(([, to]) => to === 'wiki')],
    ['a type', () => '(type: Bind)', ALL.filter(([, , type]) => type === 'Bind')],
    [
      'a policy',
      () => `(servicePolicyId: "${idOf('ops dial')}")`,
      ALL.filter(([who, , type]) => who === 'bob' && type === 'Dial'),
    ],
    [
      'a policy, of the type that it has not',
      () => `(servicePolicyId: "${idOf('ops dial')}", type: Bind)`,
      [],
    ],
    [
      'a condition on the identity',
      () => `(identityFilter: "tags.team = \\"sea\\"")`,
      ALL.filter(([who]) => who === 'ada'),
    ],
    [
      'conditions on both ends',
      () =>
        `(where: { identity: { roleAttributes: { anyOf: { eq: "ops" } } }, service: { name: { ne: "wiki" } } })`,
      ALL.filter(([who, to]) => who === 'bob' && to !== 'wiki'),
    ],
    [
      'a service and a condition on the identity',
      () => `(serviceId: "${idOf('mail')}", identityFilter: "name = \\"bob\\"")`,
      ALL.filter(([who, to]) => who === 'bob' && to === 'mail'),
    ],
  ])('are narrowed to %s', async (_, args, expected) => {
    const found = await list(args());
    expect([namesOf(found), found.totalCount]).toStrictEqual([inOrder(expected), expected.length]);
  });

  test('go on after a cursor, by pages that show whether more follows', async () => {
    const names: Named[] = [];
    let after: string | null = null;
    for (;;) {
      const place: string = after === null ? '' : `, after: "${after}"`;
      const page = await list(`(first: 4${place})`);
      names.push(...namesOf(page));
      expect([page.nodes.length, page.totalCount]).toStrictEqual([after === null ? 4 : 2, 6]);
      if (!page.pageInfo.hasNextPage) break;
      after = page.pageInfo.endCursor;
    }
    expect(names).toStrictEqual(inOrder(ALL));
    expect(namesOf(await list('(first: 2, offset: 3)'))).toStrictEqual(inOrder(ALL).slice(3, 5));
  });

  test('hang on identities, services and policies', async () => {
    const {
      identity,
      service: to,
      servicePolicy,
    } = await controller.read<Record<string, { access: Listed }>>(
      `query ($i: ID!, $s: ID!, $p: ID!) {
        identity(id: $i) { access(type: Dial) ${FIELDS} }
        service(id: $s) { access ${FIELDS} }
        servicePolicy(id: $p) { access ${FIELDS} } }`,
      { i: idOf('bob'), s: idOf('vault'), p: idOf('ops host') },
    );
    const of = (part: { access: Listed } | undefined): Named[] =>
      part ? namesOf(part.access) : [];
    expect(of(identity)).toStrictEqual(
      inOrder(ALL.filter(([who, , type]) => who === 'bob' && type === 'Dial')),
    );
    expect(of(to)).toStrictEqual([['bob', 'vault', 'Dial']]);
    expect(of(servicePolicy)).toStrictEqual([['bob', 'wiki', 'Bind']]);
  });

  test('name the policies that grant them and the roles that matched', async () => {
    const { accesses } = await controller.read<{ accesses: { nodes: Row[] } }>(
      `query ($i: ID!, $s: ID!) { accesses(identityId: $i, serviceId: $s, type: Dial) { nodes { paths {
        policy { name } semantic identityRoles { kind role } serviceRoles { kind role } postureCheckIds } } } }`,
      { i: idOf('bob'), s: idOf('vault') },
    );
    expect(accesses.nodes).toStrictEqual([
      {
        paths: [
          {
            policy: { name: 'ops dial' },
            semantic: 'AnyOf',
            identityRoles: [{ kind: 'ATTRIBUTE', role: '#ops' }],
            serviceRoles: [{ kind: 'ID', role: `@${idOf('vault')}` }],
            postureCheckIds: [],
          },
        ],
      },
    ]);
  });

  test('of a page are read with two statements, however many they are', async () => {
    await controller.forgetRows();
    const { statements } = await controller.graph(`{ accesses ${FIELDS} }`);
    expect(statements).toBe(2);
  });

  test.each([
    ['(identityId: "nobody")', 'NOT_FOUND'],
    ['(serviceId: "nothing")', 'NOT_FOUND'],
    ['(servicePolicyId: "nothing")', 'NOT_FOUND'],
    ['(after: "elsewhere")', 'COULD_NOT_VALIDATE'],
    ['(first: 501)', 'COULD_NOT_VALIDATE'],
    ['(limit: -1)', 'COULD_NOT_VALIDATE'],
    ['(identityFilter: "nothing = 1")', 'INVALID_FILTER'],
    ['(identityFilter: "true limit 1")', 'COULD_NOT_VALIDATE'],
  ])('are refused for %s', async (args, code) => {
    const { errors } = await controller.graph(`{ accesses${args} ${FIELDS} }`);
    expect(errors.map((error) => error?.code)).toStrictEqual([code]);
  });

  test('take reading identities, services and service policies', async () => {
    const all = ['identity.read', 'service.read', 'service-policy.read'];
    const ask = async (permissions: readonly string[]) =>
      (
        await controller.graph(
          '{ accesses { totalCount } }',
          {},
          controller.ctx(callerOf(idOf('eve'), ...permissions)),
        )
      ).errors.map((error) => error?.code);
    expect(await ask(all)).toStrictEqual([]);
    for (const left of all) {
      expect(await ask(all.filter((one) => one !== left))).toStrictEqual(['UNAUTHORIZED']);
    }
  });
});

describe('GET /accesses', () => {
  test('is a list like any other', async () => {
    const { status, body } = await rest.get(`/accesses?identityId=${idOf('bob')}&limit=2&offset=1`);
    const mine = inOrder(ALL.filter(([who]) => who === 'bob')).slice(1, 3);
    expect([status, body.meta.pagination]).toStrictEqual([
      200,
      { limit: 2, offset: 1, totalCount: 4 },
    ]);
    expect(body.data).toStrictEqual(
      mine.map(([who, to, type]) => ({
        identity: {
          _links: { self: { href: `./identities/${idOf(who)}` } },
          entity: 'identities',
          id: idOf(who),
          name: who,
        },
        identityId: idOf(who),
        service: {
          _links: { self: { href: `./services/${idOf(to)}` } },
          entity: 'services',
          id: idOf(to),
          name: to,
        },
        serviceId: idOf(to),
        type,
      })),
    );
  });

  test.each(['/accesses?type=Both', '/access?identityId=a&serviceId=b&type=Both'])(
    'is refused for a type that there is not: %s',
    async (path) => {
      const { status, body } = await rest.get(path);
      expect([status, body.error]).toMatchObject([
        400,
        { code: 'COULD_NOT_VALIDATE', cause: { field: 'type', value: 'Both' } },
      ]);
    },
  );

  test('is all of it as CSV, in which names can not pass for formulas', async () => {
    await person('=1+1, "x"', 'sea', 'odd');
    await policy('odd', 'Dial', ['#odd'], [`@${idOf('vault')}`]);
    const text = await rest.text('/accesses?identityFilter=tags.team%3D"sea"', 'text/csv');
    const rows = inOrder([
      ['ada', 'wiki', 'Dial'],
      ['ada', 'mail', 'Dial'],
      ['=1+1, "x"', 'vault', 'Dial'],
    ]).map(([who, to, type]) =>
      [idOf(who), who === 'ada' ? who : `"'=1+1, ""x"""`, idOf(to), to, `${type}\r\n`].join(','),
    );
    expect(text).toBe(`identityId,identity,serviceId,service,type\r\n${rows.join('')}`);
    for (const [resource, name] of [
      ['ServicePolicy', 'odd'],
      ['Identity', '=1+1, "x"'],
    ] as const) {
      await controller.read(`mutation ($id: ID!) { delete${resource}(id: $id) }`, {
        id: idOf(name),
      });
    }
  });

  test('is of one moment, however many slices it takes', async () => {
    for (let i = 0; i < 30; i += 1) {
      await person(`many${String(i)}`, 'many', 'many');
      await service(`many${String(i)}`, 'many');
    }
    await policy('many', 'Dial', ['#many'], ['#many']);
    const lines = await rest.lines('/accesses?identityFilter=tags.team%3D"many"', async () => {
      await controller.read('mutation ($id: ID!) { deleteServicePolicy(id: $id) }', {
        id: idOf('many'),
      });
    });
    expect(lines).toHaveLength(900);
    expect(
      new Set(
        lines.map(({ identityId, serviceId }) => `${String(identityId)} ${String(serviceId)}`),
      ).size,
    ).toBe(900);
    expect((await list('(identityFilter: "tags.team = \\"many\\"")')).totalCount).toBe(0);
  });
});
