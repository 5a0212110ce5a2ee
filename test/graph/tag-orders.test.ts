import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { InProcess, InProcessRest } from '../support/in-process.js';

/* Lists in the order of a tag, whose values may be of several kinds, on both doors. */

/** In their order; `undefined` is no tag. */
const VALUES = [
  undefined,
  null,
  false,
  true,
  -3,
  0.1,
  7,
  2 ** 53,
  '',
  '10',
  '9',
  'a',
  'ä',
] as const;
const NAMES = VALUES.map((_, i) => `service ${String(i + 10)}`);

let controller: InProcess;
let rest: InProcessRest;

beforeAll(async () => {
  controller = await InProcess.start();
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
  for (const [i, rank] of [...VALUES.entries()].reverse()) {
    await controller.create('Service', {
      name: NAMES[i],
      encryptionRequired: true,
      tags: { ...(rank === undefined ? {} : { rank }), 'a-b': i % 2 },
    });
  }
  for (const type of ['Dial', 'Bind']) {
    await controller.create('ServicePolicy', {
      name: type,
      type,
      semantic: 'AnyOf',
      identityRoles: ['#all'],
      serviceRoles: ['#all'],
    });
  }
  await controller.parts.model.load();
});
afterAll(async () => {
  await rest.stop();
  await controller.stop();
});

const listed = async (query: string): Promise<string[]> => {
  const { status, body } = await rest.get(`/services?${query}`);
  expect([query, status]).toEqual([query, 200]);
  return (body.data as { name: string }[]).map(({ name }) => name);
};

describe('on REST', () => {
  test.each([
    'limit=100&sort=tags.rank,name',
    'limit=-1&sort=tags.rank,name',
    'filter=sort%20by%20tags.rank%20asc,%20name%20limit%20none',
    'filter=true%20sort%20by%20tags.rank,%20name%20limit%2050',
    'limit=100&sort=tags.none,tags.rank,name',
  ])('%s lists them in their order', async (query) => {
    expect(await listed(query)).toEqual(NAMES);
  });

  test('pages follow each other', async () => {
    const pages = [0, 5, 10].map((offset) =>
      listed(`sort=tags.rank%20desc,name%20desc&limit=5&offset=${String(offset)}`),
    );
    expect((await Promise.all(pages)).flat()).toEqual(NAMES.toReversed());
  });

  test.each(['tags', 'tags.', 'name.x', 'tag.x'])('by %s is refused', async (sort) => {
    const { status, body } = await rest.get(`/services?sort=${sort}`);
    expect([status, body.error.code]).toEqual([400, 'INVALID_SORT_IDENTIFIER']);
  });
});

interface Connection {
  readonly nodes: readonly { readonly name: string }[];
  readonly pageInfo: { readonly endCursor: string; readonly startCursor: string };
}
const FIELDS = 'nodes { name } pageInfo { endCursor startCursor }';

describe('on the graph', () => {
  const ORDER = 'orderBy: [{ field: tags, key: "rank", direction: DIRECTION }, { field: name }]';
  const page = async (direction: string, args: string): Promise<Connection> => {
    const order = ORDER.replace('DIRECTION', direction);
    const { services } = await controller.read<{ services: Connection }>(
      `{ services(${order}, ${args}) { ${FIELDS} } }`,
    );
    return services;
  };
  const namesOf = ({ nodes }: Connection): string[] => nodes.map(({ name }) => name);

  test('pages of any size follow each other in both directions', async () => {
    for (const size of [1, 4]) {
      const there: string[] = [];
      let after = '';
      while (there.length < NAMES.length) {
        const next = await page('asc', `first: ${String(size)}${after}`);
        there.push(...namesOf(next));
        after = `, after: "${next.pageInfo.endCursor}"`;
      }
      expect(there).toEqual(NAMES);
      const back: string[] = [];
      let before = '';
      while (back.length < NAMES.length) {
        const previous = await page('asc', `last: ${String(size)}${before}`);
        back.unshift(...namesOf(previous));
        before = `, before: "${previous.pageInfo.startCursor}"`;
      }
      expect(back).toEqual(NAMES);
    }
  });

  test('a descending page goes on after its cursor', async () => {
    const first = await page('desc', 'first: 6');
    const second = await page('desc', `first: 20, after: "${first.pageInfo.endCursor}"`);
    const descending = [...namesOf(first), ...namesOf(second)];
    expect(descending).toEqual(NAMES.toReversed().slice(0, -2).concat(NAMES.slice(0, 2)));
  });

  test('holds for a relation of several parents', async () => {
    const order = ORDER.replace('DIRECTION', 'asc');
    const { servicePolicies } = await controller.read<{
      servicePolicies: { nodes: readonly { services: Connection }[] };
    }>(`{ servicePolicies { nodes { services(first: 100, ${order}) { ${FIELDS} } } } }`);
    expect(servicePolicies.nodes.map(({ services }) => namesOf(services))).toEqual([NAMES, NAMES]);
  });

  test('is the same as text', async () => {
    const { services } = await controller.read<{ services: Connection }>(
      `{ services(sort: "tags.'a-b' desc, tags.rank", first: 100) { ${FIELDS} } }`,
    );
    const odd = NAMES.filter((_, i) => i % 2 === 1);
    const even = NAMES.filter((_, i) => i % 2 === 0);
    expect(namesOf(services)).toEqual([...odd, ...even]);
  });

  test.each([
    '{ field: tags }',
    '{ field: tags, key: "" }',
    '{ field: name, key: "x" }',
    '{ field: tags, key: "a..b" }',
  ])('%s is refused', async (term) => {
    const { errors } = await controller.graph(`{ services(orderBy: [${term}]) { totalCount } }`);
    expect(errors[0]?.code).toBe('INVALID_SORT_IDENTIFIER');
  });
});
