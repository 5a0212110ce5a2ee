import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { sql } from '../../src/base/sql.js';
import { declaredCost } from '../../src/kernel/graph/pace.js';
import { InProcess } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';
import { HIT, SEARCH, Searches, type Found } from './searches.js';

/** The pages of a search, the changes that it sees, and the work that it is. */

const MANY = 1_100;

let controller: InProcess;
const { idOf, make } = new NamedEntities(() => controller);
const { find, namesBy, refusalOf } = new Searches(() => controller);

/** Puts rows into the tables, as they are there before a controller starts. */
const manyConfigs = sql`insert into config_type (id, created_at, updated_at, name)
  select 'volume' || n, now(), now(), 'volume ' || lpad(n::text, 4, '0') from generate_series(1, ${MANY}::int) n`;

beforeAll(async () => {
  controller = await InProcess.start();
  await controller.parts.store.query(manyConfigs);
  for (const name of ['portal', 'the portal']) {
    await make('Service', name, { encryptionRequired: true, roleAttributes: ['papers'] });
  }
  await make('EdgeRouter', 'Portal');
  await make('Identity', 'barnaby', { type: 'Default', isAdmin: false });
});
afterAll(() => controller.stop());

describe('the pages', () => {
  const CONFIG_TYPES = { types: ['ConfigType'] };

  test('are counted up to a bound', async () => {
    const counted = await find('volume', { first: 2 });
    expect(counted).toMatchObject({ totalCount: 1_000, isTotalExact: false });
    expect(counted.nodes.map(({ name }) => name)).toStrictEqual(['volume 0001', 'volume 0002']);
    const exactly = await find('volume 0', { ...CONFIG_TYPES, first: 0 });
    expect(exactly).toMatchObject({ totalCount: 999, isTotalExact: true, nodes: [] });
  });

  test('reach all hits, whatever the size', async () => {
    const names: (string | null)[] = [];
    let after: unknown = null;
    for (let hasNextPage: unknown = true; hasNextPage === true;) {
      const page = await find('VOLUME', { first: 499, after });
      names.push(...page.nodes.map(({ name }) => name));
      expect(page.edges.at(-1)?.cursor).toBe(page.pageInfo.endCursor);
      ({ hasNextPage, endCursor: after } = page.pageInfo);
    }
    expect(names).toHaveLength(MANY);
    expect(names).toStrictEqual([...new Set(names)].sort());
  });

  test('go on behind a hit that is gone', async () => {
    for (const name of ['chapter a', 'chapter b', 'chapter c', 'chapter d']) {
      await make('ConfigType', name, { schema: {} });
    }
    const { pageInfo } = await find('chapter', { ...CONFIG_TYPES, first: 2 });
    await controller.read('mutation ($id: ID!) { deleteConfigType(id: $id) }', {
      id: idOf('chapter b'),
    });
    await make('ConfigType', 'chapter', { schema: {} });
    await make('ConfigType', 'chapter bb', { schema: {} });
    const after = pageInfo.endCursor;
    expect(await namesBy('chapter', { ...CONFIG_TYPES, after })).toStrictEqual([
      'chapter bb',
      'chapter c',
      'chapter d',
    ]);
    expect(await namesBy('chapter', { ...CONFIG_TYPES, offset: 2 })).toStrictEqual([
      'chapter bb',
      'chapter c',
      'chapter d',
    ]);
    expect(await namesBy('chapter', { ...CONFIG_TYPES, offset: 1, limit: 2 })).toStrictEqual([
      'chapter a',
      'chapter bb',
    ]);
  });

  test.each([
    [{ first: 501 }, 'first'],
    [{ first: -1 }, 'first'],
    [{ limit: -1 }, 'limit'],
    [{ offset: -1 }, 'offset'],
    [{ offset: 1_001 }, 'offset'],
    [{ after: 'x' }, 'after'],
    [{ after: Buffer.from('[9,"a","b","c"]').toString('base64url') }, 'after'],
    [{ after: Buffer.from('["1","a","b","c"]').toString('base64url') }, 'after'],
    [{ after: Buffer.from('[0.5,{},null,1]').toString('base64url') }, 'after'],
  ])('%j are refused', async (variables, field) => {
    expect(await refusalOf('portal', variables)).toStrictEqual(['COULD_NOT_VALIDATE', field]);
  });
});

describe('a change', () => {
  test('is found at once', async () => {
    await make('Service', 'ephemeral', { encryptionRequired: true });
    expect(await namesBy('ephemeral')).toStrictEqual(['ephemeral']);
    await controller.read(
      'mutation ($id: ID!) { updateService(id: $id, input: { name: "lasting", tags: { a: "b" } }) { id } }',
      { id: idOf('ephemeral') },
    );
    expect(await namesBy('ephemeral')).toStrictEqual([]);
    expect(await namesBy('lasting')).toStrictEqual(['lasting']);
    await controller.read('mutation ($id: ID!) { deleteService(id: $id) }', {
      id: idOf('ephemeral'),
    });
    expect(await namesBy('lasting')).toStrictEqual([]);
  });

  test('of another controller is found when the feed brings it', async () => {
    const other = await InProcess.start(controller);
    try {
      expect(await namesBy('elsewhere')).toStrictEqual([]);
      const id = await other.create('Service', { name: 'elsewhere', encryptionRequired: true });
      const change = { resource: 'Service', id, operation: 'create', revision: 1 } as const;
      const after = { id, name: 'elsewhere', roleAttributes: [] };
      await controller.parts.store.deliver([{ ...change, before: null, after, at: new Date() }]);
      expect(await namesBy('elsewhere')).toStrictEqual(['elsewhere']);
    } finally {
      await other.stop();
    }
  });

  test('that nobody told of is not shown', async () => {
    for (const name of ['ghost 1', 'ghost 2', 'ghost 3']) {
      await make('ConfigType', name, { schema: {} });
    }
    expect(await namesBy('ghost')).toHaveLength(3);
    const { database } = controller.parts;
    await database.pool.query(`delete from config_type where name = 'ghost 1'`);
    await database.pool.query(`update config_type set name = 'spirit' where name = 'ghost 3'`);
    await controller.forgetRows();
    const page = await find('ghost', { first: 2 });
    expect(page.nodes.map(({ name }) => name)).toStrictEqual(['ghost 2']);
    expect(page).toMatchObject({ totalCount: 1, pageInfo: { hasNextPage: false } });
    expect(await namesBy('spirit')).toStrictEqual(['spirit']);
  });
});

describe('the work', () => {
  const WITH_NODES = `{ search(text: "volume", first: 100) { nodes { name node { ... on Service { name }
    ... on Identity { name } ... on ConfigType { name } ... on ServicePolicy { name } } } } }`;

  test('is no statement for each hit', async () => {
    await find('portal');
    const { statements, data } = await controller.graph(WITH_NODES);
    const types = new Set((await find('volume', { first: 100 })).nodes.map(({ type }) => type));
    expect((data?.search as Found).nodes.length).toBeGreaterThan(30);
    expect(statements).toBeLessThanOrEqual(1 + types.size);
    expect((await controller.graph(SEARCH, { text: 'zzzz zzzz' })).statements).toBe(0);
    const answer = await controller.graph(SEARCH, { text: 'the portal' });
    expect(answer.statements).toBeLessThanOrEqual(1);
  });

  test('of several searches in one document does not mix', async () => {
    const texts = ['portal', 'papers', 'volume', 'barnaby', 'zzzz zzzz', 'e', 'portal'];
    const fields = texts.map(
      (text, i) => `s${String(i)}: search(text: "${text}", first: 3) { nodes { ${HIT} } }`,
    );
    const together = await controller.read<Record<string, Found>>(`{ ${fields.join(' ')} }`);
    for (const [i, text] of texts.entries()) {
      expect(together[`s${String(i)}`]?.nodes).toStrictEqual(
        (await find(text, { first: 3 })).nodes,
      );
    }
  });

  test('costs a thousand for each search of a document', () => {
    const costOf = (text: string): number => declaredCost(controller.schema, parse(text));
    expect(costOf('{ identities { totalCount } }')).toBe(0);
    expect(
      costOf('{ a: search(text: "x") { totalCount } b: search(text: "y") { totalCount } }'),
    ).toBe(2_000);
    expect(costOf('{ ...F } fragment F on Query { a: search(text: "x") { totalCount } }')).toBe(
      1_000,
    );
    expect(
      costOf(
        'query A { search(text: "x") { totalCount } } query B { search(text: "y") { totalCount } }',
      ),
    ).toBe(2_000);
  });
});
