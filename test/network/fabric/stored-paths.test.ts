import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sql } from '../../../src/base/sql.js';
import { StoredPaths } from '../../../src/network/fabric/index.js';
import { links as storedLinks, type Link } from '../../../src/data/rows/fabric/index.js';
import { Links } from '../../../src/network/fabric/links.js';
import { Paths } from '../../../src/network/fabric/paths.js';
import { InProcess } from '../../support/in-process.js';
import { runs } from '../../support/runs.js';

/* Every process gives the paths that the owner of the fabric chooses, from what the owner stores. */

const ROUTERS = 7;

let controller: InProcess;
const routerIds: string[] = [];

beforeAll(async () => {
  controller = await InProcess.start();
  for (let i = 0; i < ROUTERS; i += 1) {
    routerIds.push(await controller.create('EdgeRouter', { name: `router ${String(i)}` }));
  }
  await controller.parts.store.query(sql`update router set is_verified = true`);
});
afterAll(() => controller.stop());

/** Reports of all routers, as another controller writes them. */
const CONNECT_ALL = sql`with v as (
    insert into presence_version (version) values (1)
    on conflict (is_only) do update set version = presence_version.version + 1 returning version)
  insert into router_presence (router_id, connection_id, version, hostname, listeners, link_listeners, sync_status,
    connected_at, lapses_at)
  select r.id, 'connection', v.version, '', '{}', '[]', '', now(), now() + interval '1 hour' from router r, v`;

interface RouterState {
  readonly cost: number;
  readonly noTraversal: boolean;
  readonly isConnected: boolean;
}

interface LinkState {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly isDown: boolean;
  readonly staticCost: number;
  readonly latency: number | undefined;
}

const idAt = (i: number): string => routerIds[i] ?? '';

/** The fabric of an owner that learned of routers and links in this order. */
function fabricOf(
  routers: readonly RouterState[],
  links: readonly LinkState[],
): { paths: Paths; stored: Map<string, Link> } {
  const stored = new Map<string, Link>();
  const known: Links = new Links({
    onCosts: (one, other) => {
      paths.linksChanged(one, other);
    },
    stored: {
      put: (link) => stored.set(link.id, link),
      remove: (link) => stored.delete(link.id),
    },
    now: () => new Date(),
  });
  const paths = new Paths((one, other) => known.cheapest(one, other));
  for (const { id, from, to, isDown, staticCost, latency } of links) {
    const report = { id, destinationId: idAt(to), iteration: 1, protocol: 'tls', dialAddress: '' };
    known.report(idAt(from), [{ ...report, connections: [] }]);
    known.set(id, { isDown, staticCost });
    if (latency !== undefined) known.measured(idAt(from), id, latency);
    if (latency !== undefined) known.measured(idAt(to), id, latency);
  }
  for (const [i, { isConnected, ...node }] of routers.entries()) {
    if (isConnected) paths.setRouter({ ...node, id: idAt(i) });
  }
  return { paths, stored };
}

async function store(routers: readonly RouterState[], links: readonly Link[]): Promise<void> {
  const { store: target } = controller.parts;
  const values = routers.map(({ cost, noTraversal }, i) => ({ id: idAt(i), cost, noTraversal }));
  await target.query(
    sql`update router r set cost = v.cost, no_traversal = v."noTraversal"
      from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) v (id text, cost int, "noTraversal" boolean)
      where r.id = v.id`,
  );
  await storedLinks.takeAll(target);
  if (links.length > 0) await storedLinks.put(target, links);
}

const routerStates = fc.array(
  // Small numbers, so that many paths cost the same.
  fc.record({ cost: fc.nat(25), noTraversal: fc.boolean(), isConnected: fc.boolean() }),
  { minLength: ROUTERS, maxLength: ROUTERS },
);
const linkStates = fc
  .uniqueArray(
    fc.record({
      id: fc.nat(99).map((number) => `link ${String(number)}`),
      from: fc.nat(ROUTERS - 1),
      to: fc.nat(ROUTERS - 1),
      isDown: fc.boolean(),
      staticCost: fc.nat(3),
      latency: fc.option(fc.nat(3), { nil: undefined }),
    }),
    { maxLength: 20, selector: ({ id }) => id },
  )
  .map((links) => links.filter(({ from, to }) => from !== to));

describe('the stored paths', () => {
  test('are those of the owner, also where several cost the same', async () => {
    await fc.assert(
      fc.asyncProperty(routerStates, linkStates, async (routers, links) => {
        const { paths, stored } = fabricOf(routers, links);
        await store(routers, [...stored.values()]);
        const connected = new Set(
          routers.flatMap(({ isConnected }, i) => (isConnected ? [idAt(i)] : [])),
        );
        const storedPaths = await StoredPaths.read(controller.parts.store, (id) =>
          connected.has(id),
        );
        for (const from of routerIds) {
          for (const to of routerIds) {
            expect(storedPaths.between(from, to).path).toEqual(paths.between(from, to));
          }
        }
      }),
      runs(30),
    );
  });

  test('do not depend on the order in which an owner learns of links and routers', () => {
    fc.assert(
      fc.property(routerStates, linkStates, (routers, links) => {
        const { paths } = fabricOf(routers, links);
        const { paths: others } = fabricOf(routers, links.toReversed());
        for (const from of routerIds) {
          for (const to of routerIds) {
            expect(others.between(from, to)).toEqual(paths.between(from, to));
          }
        }
      }),
      runs(50),
    );
  });
});

test('the paths of one document are read in one go, their routers and links as well', async () => {
  const { store: target, presence } = controller.parts;
  const routers = routerIds.map(() => ({ cost: 0, noTraversal: false, isConnected: true }));
  const link = { isDown: false, staticCost: 1, latency: 1 };
  const links = [
    { ...link, id: 'first', from: 0, to: 1 },
    { ...link, id: 'second', from: 1, to: 2 },
  ];
  await store(routers, [...fabricOf(routers, links).stored.values()]);
  await target.query(CONNECT_ALL);
  await presence.refresh();
  await controller.forgetRows();
  const { statements, data, messages } = await controller.graph(
    `query ($a: ID!, $b: ID!, $c: ID!) {
      there: routerPath(from: $a, to: $c) { cost routers { name } links { id } }
      back: routerPath(from: $c, to: $a) { cost routers { name } links { id } }
      near: routerPath(from: $a, to: $b) { cost routers { name } links { id } } }`,
    { a: idAt(0), b: idAt(1), c: idAt(2) },
  );
  const names = (...numbers: readonly number[]) =>
    numbers.map((number) => ({ name: `router ${String(number)}` }));
  const ids = (...all: readonly string[]) => all.map((id) => ({ id }));
  expect(messages).toEqual([]);
  expect(data).toEqual({
    there: { cost: 26, routers: names(0, 1, 2), links: ids('first', 'second') },
    back: { cost: 26, routers: names(2, 1, 0), links: ids('second', 'first') },
    near: { cost: 13, routers: names(0, 1), links: ids('first') },
  });
  // Those of the paths, and those that the answers show.
  expect(statements).toBe(4);
});

describe('without a path, the reason is', () => {
  const ROUTER = { cost: 0, noTraversal: false, isConnected: true };
  const LINK = { isDown: false, staticCost: 1, latency: 1 };

  async function reason(
    to: string,
    ends: Partial<RouterState>,
    links: readonly LinkState[],
    over: Partial<RouterState> = {},
  ): Promise<string | undefined> {
    const routers = [ROUTER, { ...ROUTER, ...ends }, { ...ROUTER, ...over }];
    await store(routers, [...fabricOf(routers, links).stored.values()]);
    const connected = new Set(routers.flatMap((one, i) => (one.isConnected ? [idAt(i)] : [])));
    const paths = await StoredPaths.read(controller.parts.store, (id) => connected.has(id));
    const answer = paths.between(idAt(0), to);
    return answer.path ? undefined : answer.reason;
  }
  const direct = { ...LINK, id: 'direct', from: 0, to: 1 };
  const detour = [
    { ...LINK, id: 'first', from: 0, to: 2 },
    { ...LINK, id: 'second', from: 2, to: 1 },
  ];

  test('a router that does not exist', async () => {
    expect(await reason('nowhere', {}, [direct])).toBe('There is no router with the id nowhere.');
  });

  test('a router that is not connected', async () => {
    expect(await reason(idAt(1), { isConnected: false }, [direct])).toBe(
      `The router ${idAt(1)} is not connected.`,
    );
  });

  test('a router without links that are up', async () => {
    expect(await reason(idAt(1), {}, [{ ...direct, isDown: true }])).toBe(
      `The router ${idAt(0)} has no link that is up to a connected router.`,
    );
  });

  test('a router between them that carries no traffic of others', async () => {
    expect(await reason(idAt(1), {}, detour)).toBeUndefined();
    expect(await reason(idAt(1), {}, detour, { noTraversal: true })).toMatch(/^The links that are/);
  });

  test('a router that is disabled, although it is still connected', async () => {
    await controller.read(
      'mutation ($id: ID!) { updateEdgeRouter(id: $id, input: {disabled: true}) { id } }',
      {
        id: idAt(1),
      },
    );
    expect(await reason(idAt(1), {}, [direct])).toBe(`The router ${idAt(1)} is not connected.`);
  });
});
