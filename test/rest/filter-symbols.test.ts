import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { InProcess, InProcessRest } from '../support/in-process.js';
import { SYMBOL_LISTS, type SymbolKind } from './filter-symbols.js';

/**
 * A filter and an order by each name that the public controller accepts in them: they are accepted,
 * or refused as `docs/compatibility.md` says.
 */

let controller: InProcess;
let rest: InProcessRest;

beforeAll(async () => {
  controller = await InProcess.start();
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await controller.stop();
});

const IN_SETS = (name: string): readonly string[] => [
  `anyOf(${name}) = "a"`,
  `allOf(${name}) != "a"`,
  `count(${name}) > 0`,
  `isEmpty(${name})`,
];

const CONDITIONS: Readonly<Record<SymbolKind, (name: string) => readonly string[]>> = {
  text: (name) => [`${name} = "a"`, `${name} in ["a"]`, `${name} contains "a"`, `${name} = null`],
  number: (name) => [`${name} >= 1`, `${name} between 1 and 3`, `${name} in [1, 2]`],
  truth: (name) => [`${name} = true`, name, `not ${name}`, `${name} != false`],
  time: (name) => [`${name} > datetime(2026-01-01T00:00:00Z)`, `${name} != null`],
  'text set': IN_SETS,
  'linked set': IN_SETS,
  map: (name) => [`${name}.site = "a"`, `${name}.site.floor = 1`],
};

/** How a list of one entry answers to a name. */
interface Use {
  readonly query: string;
  readonly code: 'INVALID_FILTER' | 'INVALID_SORT_IDENTIFIER';
}

function usesOf(name: string, kind: SymbolKind): Use[] {
  const conditions = CONDITIONS[kind](name);
  // Names that hold in one condition: the server reads the list once for all of them.
  const filters =
    kind === 'truth'
      ? [conditions.join(' and '), ...conditions.slice(1, 2)]
      : [conditions.join(' or ')];
  const sort: Use = { query: `sort=${name}%20desc`, code: 'INVALID_SORT_IDENTIFIER' };
  return [
    ...filters.map((filter): Use => ({
      query: `filter=${encodeURIComponent(filter)}`,
      code: 'INVALID_FILTER',
    })),
    ...(IS_SORTED[kind] ? [sort] : []),
  ];
}

const IS_SORTED: Readonly<Partial<Record<SymbolKind, true>>> = {
  text: true,
  number: true,
  truth: true,
  time: true,
};

/** Names that are refused here, by their lists; each stands in `docs/compatibility.md`. */
const REFUSED: Readonly<Record<string, string>> = {
  '/authenticators': 'updbPassword updbSalt',
  '/controllers': 'isPreferredLeader',
  '/external-jwt-signers': 'scopes',
  '/services': 'isFabricOnly',
  '/fabric/v1/services': 'isFabricOnly',
};

const ROWS = SYMBOL_LISTS.map((list) => {
  const refused = (REFUSED[list.path] ?? '').split(' ');
  const names = [list.symbols, list.since2 ?? {}].flatMap((kinds) =>
    Object.entries(kinds).flatMap(([kind, all]) =>
      all.split(' ').map((name) => ({ name, kind: kind as SymbolKind })),
    ),
  );
  return {
    path: list.path,
    accepted: names.filter(({ name }) => !refused.includes(name)),
    refused: names.filter(({ name }) => refused.includes(name)),
  };
});

test.each(ROWS)('$path takes each name, in filters and orders', async ({ path, accepted }) => {
  const uses = accepted.flatMap(({ name, kind }) => usesOf(name, kind));
  await Promise.all(
    uses.map(async ({ query }) => {
      const { status, body } = await rest.get(`${path}?limit=1&${query}`);
      expect([query, status, body.error]).toEqual([query, 200, undefined]);
    }),
  );
});

const COMPATIBILITY = readFileSync(new URL('../../docs/compatibility.md', import.meta.url), 'utf8');

test.each(ROWS.filter(({ refused }) => refused.length > 0))(
  '$path refuses names as the document says',
  async ({ path, refused }) => {
    for (const { name, kind } of refused) {
      expect([name, COMPATIBILITY.includes(`\`${name}\``)]).toEqual([name, true]);
      for (const { query, code } of usesOf(name, kind)) {
        const { status, body } = await rest.get(`${path}?limit=1&${query}`);
        expect([query, status, body.error.code]).toEqual([query, 400, code]);
      }
    }
  },
);

test.each([
  ['/routers', 'connected'],
  ['/fabric/v1/routers', 'connected'],
  ['/transit-routers', 'connected'],
  ['/edge-routers', 'connected online'],
  ['/controllers', 'isOnline'],
])('%s names %s among its filterable fields', async (path, names) => {
  const { body } = await rest.get(path);
  expect(body.meta.filterableFields).toEqual(expect.arrayContaining(names.split(' ')));
});

describe('the state of an identity', () => {
  test.each([
    ['hasApiSession = true', 1],
    ['hasApiSession != true', 0],
    ['not hasEdgeRouterConnection', 1],
    ['hasApiSession and edgeRouterConnectionStatus = "offline"', 1],
    ['edgeRouterConnectionStatus in ["online", "unknown"]', 0],
    ['hasApiSession sort by edgeRouterConnectionStatus desc, hasEdgeRouterConnection', 1],
  ])('is what a filter says: %s', async (filter, totalCount) => {
    const { status, body } = await rest.get(`/identities?filter=${encodeURIComponent(filter)}`);
    expect([status, body.meta.pagination]).toMatchObject([200, { totalCount }]);
    expect(body.meta.filterableFields).not.toContain('hasApiSession');
  });
});
