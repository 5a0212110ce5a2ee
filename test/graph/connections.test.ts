import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { InProcess } from '../support/in-process.js';

/** Lists of identities; the bootstrap made one more, `admin`. */

let controller: InProcess;

const EXTERNAL: Record<string, string | null> = {
  u00: null,
  u01: 'b',
  u02: null,
  u03: 'a',
  u04: 'é',
  u05: null,
  u06: 'Z',
  u07: ' ',
  u08: '~',
  u09: 'aa',
};
const NAMES = Object.keys(EXTERNAL);

beforeAll(async () => {
  controller = await InProcess.start();
  for (const [name, externalId] of Object.entries(EXTERNAL)) {
    await controller.create('Identity', {
      name,
      type: 'Default',
      isAdmin: false,
      externalId,
    });
  }
});
afterAll(() => controller.stop());

interface Connection {
  readonly nodes: { readonly name: string }[];
  readonly edges: { readonly cursor: string; readonly node: { readonly name: string } }[];
  readonly totalCount: number;
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

const LIST = `query ($where: IdentityWhere, $filter: String, $orderBy: [IdentityOrderBy!], $first: Int,
    $after: String, $last: Int, $before: String, $offset: Int, $limit: Int, $sort: String) {
  identities(where: $where, filter: $filter, orderBy: $orderBy, first: $first, after: $after,
      last: $last, before: $before, offset: $offset, limit: $limit, sort: $sort) {
    nodes { name } edges { cursor node { name } } totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

/** Without the administrator, by name. */
const USERS = {
  where: { name: { ne: 'admin' } },
  orderBy: [{ field: 'name', direction: 'asc' }],
};

async function list(args: object): Promise<Connection> {
  return (await controller.read<{ identities: Connection }>(LIST, { ...args })).identities;
}
const names = ({ nodes }: Connection): string[] => nodes.map((n) => n.name);

describe('a page', () => {
  test.each([
    ['first', { first: 3 }, ['u00', 'u01', 'u02'], [false, true]],
    ['first 0', { first: 0 }, [], [false, true]],
    ['first, all', { first: 10 }, NAMES, [false, false]],
    ['first, more than all', { first: 500 }, NAMES, [false, false]],
    ['last', { last: 3 }, ['u07', 'u08', 'u09'], [true, false]],
    ['last, all', { last: 10 }, NAMES, [false, false]],
    ['offset', { first: 2, offset: 4 }, ['u04', 'u05'], [true, true]],
    ['offset, to the end', { first: 5, offset: 8 }, ['u08', 'u09'], [true, false]],
    ['offset, beyond the end', { first: 5, offset: 50 }, [], [true, false]],
    ['no size', {}, NAMES, [false, false]],
  ])('%s', async (_, args, expected, [previous, next]) => {
    const page = await list({ ...USERS, ...args });
    expect(names(page)).toStrictEqual(expected);
    expect(page.edges.map((e) => e.node.name)).toStrictEqual(expected);
    expect(page.totalCount).toBe(10);
    expect(page.pageInfo).toStrictEqual({
      hasPreviousPage: previous,
      hasNextPage: next,
      startCursor: page.edges[0]?.cursor ?? null,
      endCursor: page.edges.at(-1)?.cursor ?? null,
    });
  });

  test('the default order is the id by bytes', async () => {
    const { identities } = await controller.read<{ identities: { nodes: { id: string }[] } }>(
      '{ identities { nodes { id } } }',
    );
    const ids = identities.nodes.map((n) => n.id);
    expect(ids).toStrictEqual(
      [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    expect(ids).toHaveLength(11);
  });

  test.each([[{ n: null }], [{}]])(
    'a condition whose variable is null is absent: %j',
    async (variables) => {
      const { identities } = await controller.read<{ identities: { totalCount: number } }>(
        'query ($n: StringFilter) { identities(where: { name: $n }) { totalCount } }',
        variables,
      );
      expect(identities.totalCount).toBe(11);
    },
  );

  test.each([
    ['a negative first', { first: -1 }, 'first'],
    ['first above 500', { first: 501 }, 'first'],
    ['a negative last', { last: -1 }, 'last'],
    ['last above 500', { last: 501 }, 'last'],
    ['first and last', { first: 1, last: 1 }, 'last'],
    ['first and limit', { first: 1, limit: 2 }, 'first'],
    ['first and a limit in the filter', { first: 1, filter: 'limit 2' }, 'first'],
    ['first and limit none in the filter', { first: 1, filter: 'true limit none' }, 'first'],
    ['last and a limit in the filter', { last: 1, filter: 'limit 2' }, 'last'],
    ['last and a skip in the filter', { last: 1, filter: 'skip 2' }, 'last'],
    ['a negative offset', { offset: -1 }, 'offset'],
    ['after that is no cursor', { after: 'x' }, 'after'],
    ['before that is no cursor', { before: '!' }, 'before'],
    ['a cursor of another length', { after: cursorOf(['a', 'b', 'c']) }, 'after'],
  ])('%s is refused', async (_, args, field) => {
    const { errors } = await controller.graph(LIST, { ...USERS, ...args });
    expect(errors.map((e) => [e?.code, e?.detail])).toStrictEqual([
      ['COULD_NOT_VALIDATE', expect.objectContaining({ field })],
    ]);
  });
});

test('a cursor of another order is refused', async () => {
  const { pageInfo } = await list({ first: 1, sort: 'isAdmin' });
  for (const after of [pageInfo.endCursor, cursorOf([{}, []]), cursorOf([1, 2])]) {
    const { errors } = await controller.graph(LIST, { ...USERS, after });
    expect(errors.map((e) => e?.status)).toStrictEqual([400]);
  }
});

function cursorOf(values: unknown[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** What goes through a whole list in pages, forwards or backwards. */
async function walk(args: object, size: number, backwards: boolean): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < 20; pages += 1) {
    const at = cursor === null ? {} : backwards ? { before: cursor } : { after: cursor };
    const page: Connection = await list({
      ...args,
      ...at,
      ...(backwards ? { last: size } : { first: size }),
    });
    if (backwards) found.unshift(...names(page));
    else found.push(...names(page));
    const { hasNextPage, hasPreviousPage, endCursor, startCursor } = page.pageInfo;
    if (!(backwards ? hasPreviousPage : hasNextPage)) return found;
    cursor = backwards ? startCursor : endCursor;
  }
  throw new Error('the pages have no end');
}

// Missing values come first ascending and last descending; texts compare by bytes.
const BY_EXTERNAL = [...NAMES].sort((a, b) => {
  const [x, y] = [EXTERNAL[a] ?? null, EXTERNAL[b] ?? null];
  if (x === y) return a < b ? -1 : 1;
  if (x === null || y === null) return x === null ? -1 : 1;
  return Buffer.compare(Buffer.from(x), Buffer.from(y));
});

const ORDERS: readonly [string, { field: string; direction?: string }[], string[]][] = [
  ['one term', [{ field: 'name', direction: 'asc' }], NAMES],
  ['descending', [{ field: 'name', direction: 'desc' }], [...NAMES].reverse()],
  ['default direction', [{ field: 'name' }], NAMES],
  ['nulls, ascending', [{ field: 'externalId', direction: 'asc' }, { field: 'name' }], BY_EXTERNAL],
  [
    'nulls, descending',
    [
      { field: 'externalId', direction: 'desc' },
      { field: 'name', direction: 'desc' },
    ],
    [...BY_EXTERNAL].reverse(),
  ],
];

describe.each(ORDERS)('order: %s', (_, orderBy, expected) => {
  const args = { where: USERS.where, orderBy };

  test('gives all in order', async () => {
    expect(names(await list(args))).toStrictEqual(expected);
  });

  test('equals the sort text', async () => {
    const sort = orderBy.map((t) => `${t.field} ${t.direction ?? 'asc'}`).join(', ');
    expect(names(await list({ where: USERS.where, sort }))).toStrictEqual(expected);
    expect(
      names(await list({ filter: `name != "admin" sort by ${sort} limit none` })),
    ).toStrictEqual(expected);
  });

  test.each([1, 3, 4, 10])('pages of %d, forwards and backwards, give each once', async (size) => {
    expect(await walk(args, size, false)).toStrictEqual(expected);
    expect(await walk(args, size, true)).toStrictEqual(expected);
  });
});

describe('every order field', () => {
  test('can be walked in pages both ways', async () => {
    for (const resource of controller.catalog.all()) {
      const type = controller.schema.getType(`${resource.name}OrderField`) as {
        getValues?: () => { name: string }[];
      };
      for (const { name: field } of type.getValues?.() ?? []) {
        const isMap = controller.catalog.symbols(resource).get(field)?.shape === 'map';
        const by = `field: ${field}${isMap ? ', key: "site"' : ''}`;
        const document = `query ($after: String, $direction: SortDirection!) {
          page: ${resource.list}(orderBy: [{ ${by}, direction: $direction }], first: 2, after: $after) {
            nodes { id } totalCount pageInfo { hasNextPage endCursor } } }`;
        for (const direction of ['asc', 'desc']) {
          const ids: string[] = [];
          let after: string | null = null;
          let page: {
            page: { nodes: { id: string }[]; totalCount: number } & Pick<Connection, 'pageInfo'>;
          };
          do {
            page = await controller.read(document, { after, direction });
            ids.push(...page.page.nodes.map((n) => n.id));
            after = page.page.pageInfo.endCursor;
          } while (page.page.pageInfo.hasNextPage && ids.length < 100);
          const where = `${resource.name} by ${field} ${direction}`;
          expect([where, ids.length]).toStrictEqual([where, page.page.totalCount]);
          expect([where, new Set(ids).size]).toStrictEqual([where, ids.length]);
        }
      }
    }
  });
});

describe('cursors', () => {
  test('stay where they are when entities come and go', async () => {
    const first = await list({ ...USERS, first: 4 });
    expect(names(first)).toStrictEqual(['u00', 'u01', 'u02', 'u03']);
    const after = first.pageInfo.endCursor;
    const come = await controller.create('Identity', {
      name: 'u005',
      type: 'Default',
      isAdmin: false,
    });
    expect(names(await list({ ...USERS, first: 2, after }))).toStrictEqual(['u04', 'u05']);
    const late = await controller.create('Identity', {
      name: 'u035',
      type: 'Default',
      isAdmin: false,
    });
    expect(names(await list({ ...USERS, first: 2, after }))).toStrictEqual(['u035', 'u04']);
    for (const id of [come, late]) {
      await controller.read('mutation ($id: ID!) { deleteIdentity(id: $id) }', { id });
    }
    expect(names(await list({ ...USERS, first: 2, after }))).toStrictEqual(['u04', 'u05']);
  });

  test('after and before together give what lies between', async () => {
    const { edges } = await list(USERS);
    const [after, before] = [edges[2]?.cursor, edges[6]?.cursor];
    expect(names(await list({ ...USERS, after, before }))).toStrictEqual(['u03', 'u04', 'u05']);
    expect(names(await list({ ...USERS, after, before, first: 2 }))).toStrictEqual(['u03', 'u04']);
    expect(names(await list({ ...USERS, after, before, last: 2 }))).toStrictEqual(['u04', 'u05']);
  });

  test('do not count for the total', async () => {
    const { edges } = await list(USERS);
    expect((await list({ ...USERS, after: edges[7]?.cursor, first: 1 })).totalCount).toBe(10);
  });

  test('work after the last and before the first', async () => {
    const { edges } = await list(USERS);
    expect(names(await list({ ...USERS, after: edges[9]?.cursor }))).toStrictEqual([]);
    expect(names(await list({ ...USERS, before: edges[0]?.cursor, last: 5 }))).toStrictEqual([]);
  });
});

describe('totalCount', () => {
  test.each([
    ['nothing', {}, 11],
    ['a filter', { filter: 'name contains "u0"' }, 10],
    ['a filter with its own limit', { filter: 'name contains "u0" limit 2' }, 10],
    ['where', { where: { externalId: { isNull: true } } }, 4],
    ['filter and where', { filter: 'name contains "u0"', where: { name: { gt: 'u04' } } }, 5],
    ['a page beyond the end', { filter: 'name contains "u0"', offset: 100 }, 10],
  ])('with %s is exact', async (_, args, expected) => {
    expect((await list(args)).totalCount).toBe(expected);
  });
});

describe('paging by the rules of REST', () => {
  test.each([
    ['0', 0, 10],
    ['-1', -1, 11],
    ['above 500', 501, 11],
    ['2', 2, 2],
  ])('limit %s', async (_, limit, expected) => {
    expect((await list({ limit })).nodes).toHaveLength(expected);
  });
});
