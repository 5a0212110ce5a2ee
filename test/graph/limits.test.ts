import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { refuseTooMuch, weigh } from '../../src/graph/documents/limits.js';
import { parseDocument } from '../../src/graph/documents/parse-document.js';

const DEEP =
  'the document has more than 64 braces, brackets and parentheses within each other; its fields may nest 16 levels deep';

const cost = (text: string, variables: Record<string, unknown> = {}): number =>
  weigh(parse(text), variables).cost;

describe('the cost of a document', () => {
  test.each([
    ['a field', '{ version { version } }', {}, 2],
    ['a page', '{ identities(first: 10) { nodes { id name } } }', {}, 1 + 10 * 3],
    ['a page of the default size', '{ identities { nodes { id } } }', {}, 1 + 25 * 2],
    ['edges', '{ identities(first: 2) { edges { node { id } } } }', {}, 1 + 2 * 3],
    ['the larger of two sizes', '{ identities(first: 2, limit: 5) { nodes { id } } }', {}, 11],
    ['an unlimited page', '{ identities(limit: -1) { nodes { id } } }', {}, 1001],
    [
      'a filter that limits itself',
      '{ identities(filter: "limit none") { nodes { id } } }',
      {},
      1001,
    ],
    [
      'the same in a variable',
      'query ($f: String) { identities(filter: $f) { nodes { id } } }',
      { f: 'LIMIT none' },
      1001,
    ],
    [
      'a filter with a size',
      'query ($f: String) { identities(filter: $f) { nodes { id } } }',
      { f: 'isAdmin sort by name skip 2 limit 7 ' },
      1 + 7 * 2,
    ],
    [
      'a filter without a limit, whose text has the word',
      'query ($f: String) { identities(filter: $f) { nodes { id } } }',
      { f: 'name contains "unlimited limit 400" and tags.limit = 5' },
      1 + 2 * 50 + 25 * 2,
    ],
    [
      'a filter whose sub-query has one',
      'query ($f: String) { identities(filter: $f) { nodes { id } } }',
      { f: 'isEmpty(from services where true limit 5)' },
      1 + 1_000 + 50 + 25 * 2,
    ],
    [
      'the size of a linked set',
      '{ services(first: 1, filter: "count(identities) > 5 and not isEmpty(servicePolicies)") { nodes { id } } }',
      {},
      1 + 2 * 50 + 2,
    ],
    [
      'a condition on linked rows',
      '{ services(first: 1, filter: "anyOf(identities.name) = \\"x\\" and anyOf(roleAttributes) = \\"a.b\\"") { nodes { id } } }',
      {},
      1 + 1_000 + 2 * 50 + 2,
    ],
    [
      'the same, typed',
      'query ($w: ServiceWhere) { services(where: $w, first: 1) { nodes { id } } }',
      {
        w: { identities: { some: { name: { eq: 'x' } } }, roleAttributes: { anyOf: { eq: 'y' } } },
      },
      1 + 1_000 + 2 * 50 + 2,
    ],
    [
      'a condition on the ids of linked rows',
      '{ services(first: 1, filter: "anyOf(identities) = \\"x\\" or allOf( identities ) != \\"x\\" and anyOf(configs) = \\"c\\"") { nodes { id } } }',
      {},
      1 + 2 * 1_000 + 3 * 50 + 2,
    ],
    [
      'the same, typed',
      'query ($w: ServiceWhere) { services(where: $w, first: 1) { nodes { id } } }',
      {
        w: {
          identities: { anyOf: { eq: 'x' }, noneOf: { in: ['y', 'z'] }, count: { gt: 1 } },
          configs: { anyOf: { eq: 'c' } },
          edgeRouters: { isEmpty: true },
        },
      },
      1 + 2 * 1_000 + 5 * 50 + 2 + 2,
    ],
    [
      'a value that is found in another table',
      '{ identities(first: 1, filter: "hasApiSession = true and not (edgeRouterConnectionStatus in [\\"online\\"])") { nodes { id } } }',
      {},
      1 + 2 * 1_000 + 2 * 50 + 2,
    ],
    [
      'the same, typed',
      'query ($w: IdentityWhere) { identities(where: $w, first: 1) { nodes { id } } }',
      {
        w: {
          hasApiSession: { eq: true },
          not: { edgeRouterConnectionStatus: { eq: 'online', isNull: false } },
        },
      },
      1 + 3 * 1_000 + 3 * 50 + 2,
    ],
    [
      'a filter whose text has operators',
      'query ($f: String) { identities(filter: $f, first: 1) { nodes { id } } }',
      { f: 'name = "a \\" <> in, contains between, [1, 2]"' },
      1 + 50 + 2,
    ],
    ['a variable', 'query ($n: Int) { identities(first: $n) { nodes { id } } }', { n: 100 }, 201],
    [
      'a variable that is null',
      'query ($n: Int) { identities(first: $n) { nodes { id } } }',
      { n: null },
      51,
    ],
    [
      'the default of a variable',
      'query ($n: Int = 100) { identities(first: $n) { nodes { id } } }',
      {},
      201,
    ],
    [
      'a page through a fragment',
      '{ identities { ...P } } fragment P on IdentityConnection { nodes { id } }',
      {},
      51,
    ],
    ['a page through an inline fragment', '{ identities { ... { nodes { id } } } }', {}, 51],
    ['no nodes', '{ identities(first: 500) { totalCount } }', {}, 2],
    [
      'nested pages',
      '{ identities(first: 10) { nodes { services(first: 10) { nodes { id } } } } }',
      {},
      1 + 10 * (1 + 1 + 10 * 2),
    ],
    [
      'a size that is no number',
      'query ($n: Int) { identities(first: $n) { nodes { id } } }',
      { n: 'x' },
      1001,
    ],
  ])('%s', (_, text, variables, expected) => {
    expect(cost(text, variables)).toBe(expected);
  });

  const MAP = 10_000;
  test.each([
    ['nothing', '{ accessMap { isMerged } }', {}, 1 + MAP + 1],
    ['its nodes', '{ accessMap(maxNodes: 100) { nodes { key count } } }', {}, 1 + MAP + 100 * 3],
    ['nodes of the default number', '{ accessMap { nodes { key } } }', {}, 1 + MAP + 200 * 2],
    [
      'the same by a variable without a value',
      'query ($n: Int) { accessMap(maxNodes: $n) { nodes { key } } }',
      {},
      1 + MAP + 200 * 2,
    ],
    [
      'its edges, which are at most as many as pairs of nodes',
      'query ($n: Int) { accessMap(maxNodes: $n) { edges { count } isMerged } }',
      { n: 50 },
      1 + MAP + 50 * 50 * 2 + 1,
    ],
    [
      'no more edges than a map has',
      '{ accessMap(maxNodes: 2000) { ...E } } fragment E on AccessMap { edges { count } }',
      {},
      1 + MAP + 10_000 * 2,
    ],
    [
      'pages of members',
      '{ accessMap(maxNodes: 25) { nodes { members(first: 10) { nodes { name } } } } }',
      {},
      1 + MAP + 25 * (1 + 1 + 10 * 2),
    ],
    [
      'a number of nodes that will be refused',
      '{ accessMap(maxNodes: -5) { nodes { key } } }',
      {},
      1 + MAP + 2_000 * 2,
    ],
    [
      'conditions',
      '{ accessMap(identityFilter: "name = \\"x\\"") { isMerged } }',
      {},
      1 + MAP + 50 + 1,
    ],
    ['one node', '{ accessMapClass(key: "k") { key } }', {}, 1 + MAP + 1],
  ])('of a map: %s', (_, text, variables, expected) => {
    expect(cost(text, variables)).toBe(expected);
  });

  test('doubling fragments are weighed in no time, and refused', () => {
    const bomb = Array.from(
      { length: 60 },
      (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`,
    );
    const text = `{ ...F0 } ${bomb.join(' ')} fragment F60 on Query { version { version } }`;
    const weight = weigh(parse(text), {});
    expect(weight.cost).toBe(2 * 2 ** 60);
    expect(() => {
      refuseTooMuch(weight);
    }).toThrow(expect.objectContaining({ code: 'QUERY_TOO_COMPLEX' }));
  });

  test('texts without an end are weighed in no time', () => {
    const text = `name = ${'"\\'.repeat(60_000)}`;
    const filter = 'query ($f: String) { identities(filter: $f) { nodes { id } } }';
    expect(cost(filter, { f: text })).toBe(1 + 50 + 25 * 2);
  }, 1_000);

  test('fragments in a circle are weighed to an end', () => {
    const text =
      '{ ...A } fragment A on Query { ...B } fragment B on Query { version { version } ...A }';
    expect(weigh(parse(text), {}).cost).toBeLessThan(10);
  });

  test('depth and aliases are counted through fragments', () => {
    const text = '{ ...A ...A } fragment A on Query { a: version { b: version } }';
    expect(weigh(parse(text), {})).toMatchObject({ depth: 2, aliases: 4 });
  });
});

describe('the depth of a document', () => {
  const fields = (levels: number): string => '{ a '.repeat(levels) + '}'.repeat(levels);
  const value = (levels: number): string => `{ a(b: ${'['.repeat(levels)}${']'.repeat(levels)}) }`;
  const refusalOf = (text: string): unknown => {
    try {
      refuseTooMuch(weigh(parseDocument(text), {}));
      return undefined;
    } catch (error) {
      return (error as { detail?: { message?: string } }).detail?.message;
    }
  };
  const LIMITS = readFileSync(new URL('../../docs/operating-limits.md', import.meta.url), 'utf8');

  test.each([
    ['fields', fields(16), fields(17), 'the depth is 17, at most 16 is allowed'],
    ['the same, very many', fields(16), fields(65), DEEP],
    ['values', value(62), value(63), DEEP],
  ])('of %s has a bound, which the refusal tells', (_, accepted, refused, message) => {
    expect(refusalOf(accepted)).toBeUndefined();
    expect(refusalOf(refused)).toBe(message);
  });

  test.each([
    ['levels of fields within each other', 16],
    ['braces, brackets and parentheses within each other', 64],
  ])('is documented: %s', (part, most) => {
    expect(LIMITS).toMatch(new RegExp(`^\\| ${part} +\\| +${String(most)} \\|$`, 'm'));
  });
});
