import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type pg from 'pg';
import type { Row } from '../../../src/base/row.js';
import { isPolicy, ROLE_LISTS } from '../../data/changes/random-writes.js';
import { openPool } from '../../support/database.js';
import { InProcess } from '../../support/in-process.js';
import { ALL_TYPES, entitiesIn, naiveSearch, type NaiveHit } from './naive-search.js';
import { costlyRuns } from '../../support/runs.js';

/** Searches of a random network that changes find what a search by the plain rules finds. */

const WORDS = [
  'ada',
  'Ada-gate',
  'sales',
  'Sales_EU',
  '50%_off',
  'C:\\temp',
  "O'Neill",
  'say "hi"',
  'Zürich',
  'straße',
  'Łódź-2',
  'ÅNGSTRÖM',
  'ᾳδης',
  '\u{10428}\u{10400}',
  'x\u{1F600}y',
  '１２',
  'a.b/c',
];

const word = fc.constantFrom(...WORDS);
/** Names that come several times, in one kind with a number. */
const name = fc
  .tuple(word, fc.constantFrom('', ' gate', '-ADA', ' straße'))
  .map((two) => two.join(''));
const attribute = fc.oneof(word, fc.constantFrom('all', 'office'));
const attributes = fc.uniqueArray(attribute, { maxLength: 3 });
const role = (ids: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    attribute.filter((one) => one !== 'all').map((one) => `#${one}`),
    fc.constantFrom(...ids.map((id) => `@${id}`)),
  );
const tags = fc.dictionary(
  word,
  fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom('', 'true', '7')),
  { maxKeys: 3 },
);

const KINDS = {
  Identity: { type: 'Default', isAdmin: false },
  Service: { encryptionRequired: true },
  EdgeRouter: {},
  PostureCheck: { typeId: 'DOMAIN', domains: ['example.com'] },
  ConfigType: { schema: {} },
  ServicePolicy: { type: 'Dial', semantic: 'AnyOf' },
  EdgeRouterPolicy: { semantic: 'AnyOf' },
  ServiceEdgeRouterPolicy: { semantic: 'AnyOf' },
  AccessRule: { kind: 'MUST_REACH', type: 'Dial', semantic: 'AnyOf' },
} as const satisfies Record<string, Row>;
type KindName = keyof typeof KINDS;

const WITH_ATTRIBUTES: readonly KindName[] = ['Identity', 'Service', 'EdgeRouter', 'PostureCheck'];

const EACH = 5;
const RUNS = costlyRuns(40);

let controller: InProcess;
let pool: pg.Pool;
const ids = new Map<KindName, string[]>();
let count = 0;
let step = 0;

/** Another value each time, the same ones in every run. */
function sample<T>(arbitrary: fc.Arbitrary<T>): T {
  step += 1;
  const values: readonly T[] = fc.sample(arbitrary, { numRuns: 1, seed: step });
  return values[0] as T;
}

function inputOf(kind: KindName): Row {
  const lists = (isPolicy(kind) ? ROLE_LISTS[kind] : []).map(
    ([list, target]): [string, string[]] => [
      list,
      sample(fc.uniqueArray(role(ids.get(target) ?? []), { maxLength: 3 })),
    ],
  );
  count += 1;
  return {
    // Names are unique in their kind; some are the same in several kinds.
    name: `${sample(name)}${(ids.get(kind)?.length ?? 0) < 2 ? '' : ` ${String(count)}`}`,
    tags: sample(tags),
    ...(WITH_ATTRIBUTES.includes(kind) ? { roleAttributes: sample(attributes) } : {}),
    ...(kind === 'Identity' ? { externalId: `${sample(word)}|${String(count)}` } : {}),
    ...Object.fromEntries(lists),
  };
}

async function create(kind: KindName): Promise<void> {
  const input = { ...KINDS[kind], ...inputOf(kind) };
  const id = await controller.create(kind, input);
  ids.set(kind, [...(ids.get(kind) ?? []), id]);
}

beforeAll(async () => {
  controller = await InProcess.start();
  pool = openPool(controller.url, 1);
  for (let i = 0; i < EACH; i += 1) {
    for (const kind of Object.keys(KINDS) as KindName[]) await create(kind);
  }
  for (const serviceId of ids.get('Service') ?? []) {
    await controller.create('Terminator', {
      service: serviceId,
      router: ids.get('EdgeRouter')?.[0],
      binding: 'edge',
      address: sample(word),
      identity: sample(word),
      tags: sample(tags),
    });
  }
});
afterAll(async () => {
  await pool.end();
  await controller.stop();
});

/** A change of the network, which the next search has to see. */
async function change(): Promise<void> {
  const kind = sample(fc.constantFrom(...(Object.keys(KINDS) as KindName[])));
  const existing = ids.get(kind) ?? [];
  const what = sample(fc.constantFrom('create', 'update', 'update', 'delete'));
  if (what === 'create' || existing.length < 3) {
    await create(kind);
    return;
  }
  const id = sample(fc.constantFrom(...existing));
  if (what === 'update') {
    await controller.read(
      `mutation ($id: ID!, $input: Update${kind}Input!) { update${kind}(id: $id, input: $input) { id } }`,
      { id, input: inputOf(kind) },
    );
    return;
  }
  await controller.read(`mutation ($id: ID!) { delete${kind}(id: $id) }`, { id });
  ids.set(
    kind,
    existing.filter((one) => one !== id),
  );
}

interface Hit extends Omit<NaiveHit, 'matching'> {
  readonly matchedText: string;
  readonly tag: string | null;
}

interface Page {
  readonly nodes: readonly Hit[];
  readonly totalCount: number;
  readonly isTotalExact: boolean;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

const SEARCH = `query ($text: String!, $types: [String!], $first: Int, $after: String) {
  search(text: $text, types: $types, first: $first, after: $after) { totalCount isTotalExact
    nodes { type entityId name matchedBy matchedText tag } pageInfo { hasNextPage endCursor } } }`;

/** All hits, read by pages of this size. */
async function foundBy(text: string, types: readonly string[] | null, first: number) {
  const nodes: Hit[] = [];
  for (let after: string | null = null; ;) {
    const { search }: { search: Page } = await controller.read<{ search: Page }>(SEARCH, {
      text,
      types,
      first,
      after,
    });
    nodes.push(...search.nodes);
    after = search.pageInfo.endCursor;
    if (!search.pageInfo.hasNextPage) return { ...search, nodes };
  }
}

const cases = [
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  (text: string) => text.toLowerCase(),
  (text: string) => ` \t${text}\n`,
];

const question = fc.record({
  from: fc.nat(),
  start: fc.nat(),
  length: fc.integer({ min: 1, max: 12 }),
  written: fc.constantFrom(...cases),
  odd: fc.option(fc.constantFrom('%', '_', '\\', '"', "'", '#', '@', 'a', '1', 'true', '-', 'ß')),
  types: fc.option(fc.subarray(ALL_TYPES, { minLength: 1 })),
  first: fc.integer({ min: 1, max: 30 }),
});

interface Part {
  readonly from: number;
  readonly start: number;
  readonly length: number;
  readonly odd: string | null;
}

/** A part of a text that an entity has, or an odd one. */
function partOf(texts: readonly string[], { from, start, length, odd }: Part): string {
  const characters = Array.from(texts[from % texts.length] ?? 'a');
  const begin = start % characters.length;
  return odd ?? characters.slice(begin, begin + length).join('');
}

const withoutText = ({ type, entityId, name, matchedBy }: Omit<Hit, 'matchedText' | 'tag'>) => ({
  type,
  entityId,
  name,
  matchedBy,
});

test('the same hits in the same order', async () => {
  let hits = 0;
  await fc.assert(
    fc.asyncProperty(question, async ({ written, types, first, ...part }) => {
      await change();
      const entities = await entitiesIn(pool);
      const texts = entities.flatMap((one) => one.texts.map(({ text }) => text)).filter(Boolean);
      const text = written(partOf(texts, part));
      fc.pre(text.trim() !== '');
      const expected = await naiveSearch(pool, entities, text, types ?? ALL_TYPES);
      const answer = await foundBy(text, types, first);
      expect(answer.nodes.map(withoutText)).toStrictEqual(expected.map(withoutText));
      for (const [i, { matchedText, tag }] of answer.nodes.entries()) {
        expect(expected[i]?.matching).toContainEqual({ matchedText, tag });
      }
      expect(answer).toMatchObject({ totalCount: expected.length, isTotalExact: true });
      hits += expected.length;
    }),
    RUNS,
  );
  expect(hits).toBeGreaterThan(RUNS.numRuns);
});
