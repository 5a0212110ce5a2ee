import { isObject } from '../../src/base/row.js';
import { jsonOf, type FuzzRequest } from './fuzz-request.js';
import { mutateText } from './mutate-text.js';
import { mutateValue } from './mutate-value.js';
import { oddText, oddValue, type LeftOut } from './odd-values.js';
import type { Random } from './random.js';

interface GraphBody {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

type Change = (body: GraphBody, random: Random, leftOut: LeftOut) => unknown;

const CHANGES: Readonly<Record<string, readonly [weight: number, change: Change]>> = {
  variables: [
    30,
    (body, random, leftOut) => ({
      ...body,
      variables: mutateValue(body.variables, random, leftOut),
    }),
  ],
  document: [
    14,
    (body, random, leftOut) => ({ ...body, query: mutateText(body.query, random, leftOut) }),
  ],
  words: [8, (body, random) => ({ ...body, query: otherWord(body.query, random) })],
  literal: [
    6,
    (body, random, leftOut) => ({
      ...body,
      query: body.query.replace(/"[^"]*"|\$v\d+(?=[,)])/, JSON.stringify(oddText(random, leftOut))),
    }),
  ],
  directives: [3, (body, random) => ({ ...body, query: withDirectives(body.query, random) })],
  fragments: [3, (body, random) => ({ ...body, query: withFragments(body.query, random) })],
  repeated: [3, (body, random) => ({ ...body, query: repeated(body.query, random) })],
  'operation-name': [
    3,
    (body, random, leftOut) => ({
      ...body,
      operationName: random.chance(50) ? 'Fuzz' : oddValue(random, leftOut),
    }),
  ],
  members: [4, (body, random, leftOut) => mutateValue(body, random, leftOut)],
  extensions: [
    2,
    (body, random, leftOut) => ({
      ...body,
      extensions: random.pick<unknown>([
        { persistedQuery: { version: 1, sha256Hash: 'ab'.repeat(32) } },
        oddValue(random, leftOut),
      ]),
    }),
  ],
  batch: [1, (body, random) => Array.from({ length: random.pick([1, 3, 40]) }, () => body)],
};

/** A document, its variables or what stands around them, changed. */
export function mutateGraphBody(
  request: FuzzRequest,
  random: Random,
  leftOut: LeftOut,
): FuzzRequest {
  const { body } = request;
  if (body.kind !== 'json' || !isObject(body.value)) return request;
  const possible = Object.entries(CHANGES).filter(([name]) => !leftOut.has(name));
  const name = random.weighted(possible.map(([each, [weight]]) => [weight, each] as const));
  const value = CHANGES[name]?.[1](body.value as unknown as GraphBody, random, leftOut);
  return {
    ...request,
    body: { kind: 'json', value },
    mutations: [...request.mutations, name],
  };
}

/** As a GET, whose query says it all. */
export function asGet(request: FuzzRequest): FuzzRequest {
  const { body } = request;
  if (body.kind !== 'json' || !isObject(body.value)) return request;
  return {
    ...request,
    method: 'GET',
    query: Object.entries(body.value).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : jsonOf(value),
    ]),
    body: { kind: 'none' },
    mutations: [...request.mutations, 'get'],
  };
}

const WORDS = [
  'id',
  'name',
  'nodes',
  'Int',
  'String',
  '__schema',
  '__typename',
  'x',
  'null',
  '$v0',
];

function otherWord(query: string, random: Random): string {
  const words = [...query.matchAll(/\w+/g)];
  if (words.length === 0) return query;
  const { 0: word, index } = random.pick(words);
  return query.slice(0, index) + random.pick(WORDS) + query.slice(index + word.length);
}

const DIRECTIVES = ['@skip(if: true)', '@include(if: $v0)', '@skip', '@x(a: [1])', '@deprecated'];

function withDirectives(query: string, random: Random): string {
  const directive = ` ${random.pick(DIRECTIVES)}`.repeat(random.pick([1, 1, 2, 300]));
  const at = query.lastIndexOf('{');
  return `${query.slice(0, at)}${directive}${query.slice(at)}`;
}

/** Of itself, of each other, of many, of none. */
function withFragments(query: string, random: Random): string {
  const spread = query.replace(/\{ /, '{ ...F0 ');
  return random.made([
    [1, () => `${spread} fragment F0 on Query { ...F0 }`],
    [1, () => `${spread} fragment F0 on Query { ...F1 } fragment F1 on Query { ...F0 __typename }`],
    [1, () => spread],
    [1, () => `${spread} fragment F0 on Identity { id }`],
    [
      2,
      () =>
        `${spread} ${Array.from({ length: 20 }, (_, i) => {
          const next = i === 19 ? '__typename' : `...F${String(i + 1)} ...F${String(i + 1)}`;
          return `fragment F${String(i)} on Query { ${next} }`;
        }).join(' ')}`,
    ],
  ]);
}

/** Fields many times, aliased or not; selections in each other; introspection. */
function repeated(query: string, random: Random): string {
  const many = random.pick([5, 90, 110, 600]);
  return random.made([
    [1, () => query.replace('{ ', `{ ${'__typename '.repeat(many)}`)],
    [
      1,
      () =>
        query.replace(
          '{ ',
          `{ ${Array.from({ length: many }, (_, i) => `a${String(i)}: __typename`).join(' ')} `,
        ),
    ],
    [1, () => `{ ${'__schema { types { fields { type { '.repeat(3)}name${' } } } }'.repeat(3)} }`],
    [1, () => `{ __type(name: "Identity") ${'{ ofType '.repeat(Math.min(many, 30))}`],
    [1, () => `${query} ${query}`],
    [1, () => `${query} #${'x'.repeat(many)}`],
    [1, () => query.replace(/\(/, `(${'['.repeat(many)}`)],
  ]);
}
