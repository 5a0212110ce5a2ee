import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getIntrospectionQuery, parse } from 'graphql';
import { refuseShape, shapeOf } from '../../src/graph/documents/document-shape.js';
import type { CallerRequest } from '../../src/graph/request-sessions.js';
import { Documents } from '../../src/graph/documents/documents.js';
import type { Admission } from '../../src/graph/index.js';
import { weigh } from '../../src/graph/documents/limits.js';
import { paceOf, type Pace } from '../../src/kernel/graph/pace.js';
import { attachLimit } from '../../src/requests/limits/limited-request.js';
import { InProcess } from '../support/in-process.js';
import { admissionOf, limitsOf } from '../support/unlimited.js';

/* What a document costs before it runs: it is bounded, counted and done once. */

const repeat = (count: number, part: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ');

/** Fragments of which each spreads all: every path through them is another one. */
const ENTANGLED = `{ ...F0 } ${repeat(
  25,
  (i) => `fragment F${String(i)} on Query { ${repeat(25, (j) => `...F${String(j)}`)} }`,
)}`;
const DOUBLING = `{ ...F0 } ${repeat(
  30,
  (i) => `fragment F${String(i)} on Query { ...F${String(i + 1)} ...F${String(i + 1)} }`,
)} fragment F30 on Query { version { version } }`;

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

describe('the shape of a document', () => {
  const shape = (text: string) => shapeOf(parse(text));

  test.each([
    ['a field', '{ a }', { operations: 1, fragments: 0, selections: 1, pairs: 0 }],
    ['a field that comes again', '{ a a a }', { selections: 3, pairs: 3 }],
    ['aliases of one field', '{ b: a c: a }', { pairs: 0 }],
    ['one name for two fields', '{ b: a b: c }', { pairs: 1 }],
    ['fields that are merged', '{ a { b b } a { b b } }', { selections: 6, pairs: 1 + 6 }],
    ['an inline fragment', '{ a ... { a } }', { selections: 3, pairs: 1 }],
    [
      'fragments',
      '{ ...A ...B a } fragment A on Q { a } fragment B on Q { a }',
      { fragments: 2, selections: 7, pairs: 1 + 3 },
    ],
    ['several operations', 'query A { a } query B { a }', { operations: 2, pairs: 0 }],
    ['no directives', '{ a }', { directives: 0 }],
    [
      'directives in all places',
      'query ($v: Int @v) @q { a @f ... @i { b } ...F @s } fragment F on Query @d { a }',
      { directives: 5 + 2 * 1 },
    ],
    [
      'directives of fragments, as often as they are spread',
      '{ ...F ...F @s } fragment F on Query @d { a @f ...G } fragment G on Query { a @g }',
      { directives: 2 * 3 + 3 + 1 + 1 },
    ],
  ])('%s', (_, text, expected) => {
    expect(shape(text)).toMatchObject(expected);
  });

  test.each([
    ['490 repeated fields', `{ ${repeat(490, () => 'version { version }')} }`, 'pairs'],
    [
      'repeated fields through fragments',
      `{ ${repeat(60, (i) => `...F${String(i)}`)} } ${repeat(60, (i) => `fragment F${String(i)} on Query { a a a }`)}`,
      'pairs',
    ],
    [
      'many fragments',
      `{ ...F0 } ${repeat(65, (i) => `fragment F${String(i)} on Query { a }`)}`,
      'number of fragments',
    ],
    ['many operations', repeat(21, (i) => `query A${String(i)} { a }`), 'number of operations'],
    ['doubling fragments', DOUBLING, 'number of selections'],
    ['many directives', `{ a ${'@b'.repeat(201)} }`, 'number of directives'],
    [
      'directives through fragments',
      `{ ${repeat(50, () => '...F')} } fragment F on Query { a @b b @b c @b d @b }`,
      'number of directives',
    ],
  ])('refuses %s', (_, text, reason) => {
    expect(() => {
      refuseShape(shape(text));
    }).toThrow(
      expect.objectContaining({
        code: 'QUERY_TOO_COMPLEX',
        detail: { kind: 'message', message: expect.stringContaining(reason) },
      }),
    );
  });

  test('lets wide documents and introspection pass', () => {
    refuseShape(shape(getIntrospectionQuery()));
    refuseShape(
      shape(
        `{ ${repeat(40, (i) => `...F${String(i)}`)} } ${repeat(40, (i) => `fragment F${String(i)} on Query { id name }`)}`,
      ),
    );
  });

  test('entangled fragments are looked at in no time', () => {
    const document = parse(ENTANGLED);
    expect(shapeOf(document).fragments).toBe(25);
    expect(weigh(document, {}).depth).toBe(0);
    expect(paceOf(controller.schema, document)).toStrictEqual({ lane: 'ordinary' });
  });
});

describe('the weight of conditions', () => {
  const cost = (text: string, variables = {}): number => weigh(parse(text), variables).cost;

  test.each([
    ['a text', '{ identities(filter: "name = 1 and id in [1, 2]") { totalCount } }', {}, 2 + 101],
    [
      'a text in a variable',
      'query ($f: String) { identities(filter: $f) { totalCount } }',
      { f: 'name contains "x"' },
      2 + 50,
    ],
    [
      'an input',
      '{ identities(where: { or: [{ name: { eq: "x" } }, { id: { in: ["a", "b", "c"] } }] }) { totalCount } }',
      {},
      2 + 2 + 50 + 50 + 3,
    ],
    [
      'those of each of 25 lists',
      '{ services { nodes { identities(filter: "id = 1") { totalCount } } } }',
      {},
      1 + 25 * (1 + 1 + 50 + 1),
    ],
  ])('%s', (_, text, variables, expected) => {
    expect(cost(text, variables)).toBe(expected);
  });

  test('is bounded for a text that will be refused', () => {
    const filter = Array(5_000).fill('a=1').join(' or ');
    expect(cost('query ($f: String) { identities(filter: $f) { totalCount } }', { filter })).toBe(
      2,
    );
    expect(
      cost('query ($f: String) { identities(filter: $f) { totalCount } }', { f: filter }),
    ).toBe(2 + 12_800);
  });
});

describe('a document', () => {
  const VALID = '{ version { version } }';
  const stranger = (address = '10.0.0.1'): CallerRequest => ({
    headers: {},
    rawHeaders: [],
    socket: { remoteAddress: address } as never,
  });
  const caller = async (): Promise<CallerRequest> => {
    const { token } = await controller.openSession(await controller.defaultAdminId());
    return { ...stranger(), headers: { 'zt-session': token } };
  };
  const admit = (admission: Admission, query: string, request = stranger(), variables = {}) =>
    admission.admit(request, { query, variables });
  const codeOf = (admission: Admission, query: string, variables = {}): Promise<unknown> =>
    admit(admission, query, stranger(), variables).then(
      () => 'admitted',
      (error: unknown) => (error as { code: string }).code,
    );

  test('is validated once, whoever sends it', async () => {
    const admission = admissionOf(controller);
    const [first, second] = await Promise.all([
      admit(admission, VALID),
      admit(admission, VALID, await caller()),
    ]);
    expect(second.document).toBe(first.document);
    expect((await admit(admission, VALID, await caller())).document).toBe(first.document);
    expect(admission.documents.validations).toBe(1);
  });

  test.each([
    ['does not fit', '{ nonsense }', 'GRAPHQL_VALIDATION_FAILED', 1],
    ['does not parse', '{ nonsense', 'GRAPHQL_PARSE_FAILED', 0],
    ['is too large', `{ ${repeat(490, () => 'version{version}')} }`, 'QUERY_TOO_COMPLEX', 0],
    ['has too many tokens', `{ ${repeat(2_000, () => 'id')} }`, 'QUERY_TOO_COMPLEX', 0],
    ['is entangled', ENTANGLED, 'QUERY_TOO_COMPLEX', 0],
    [
      'leads back to itself',
      `{ ...A ${repeat(480, () => 'version{version}')} } fragment A on Query { ...A }`,
      'GRAPHQL_VALIDATION_FAILED',
      0,
    ],
  ])('that %s is refused again without another look', async (_, text, code, validations) => {
    const admission = admissionOf(controller);
    for (let round = 0; round < 3; round += 1) expect(await codeOf(admission, text)).toBe(code);
    expect(admission.documents.validations).toBe(validations);
  });

  test('that is too long is not read', async () => {
    const admission = admissionOf(controller);
    expect(await codeOf(admission, `# ${'x'.repeat(128 * 1024)}\n${VALID}`)).toBe(
      'QUERY_TOO_COMPLEX',
    );
  });

  test('is told of ten faults at the most, in short', async () => {
    const text = `{ ${repeat(100, (i) => `nonsense${String(i)}${'x'.repeat(1_000)}`)} }`;
    const fault = await admit(admissionOf(controller), text).catch((error: unknown) => error);
    const { faults } = fault as { faults: { message: string; locations: unknown }[] };
    expect(faults).toHaveLength(10);
    for (const { message, locations } of faults) {
      expect(message.length).toBeLessThan(510);
      expect(locations).toStrictEqual([{ line: 1, column: expect.any(Number) }]);
    }
  });

  test('that callers use is not forgotten for what strangers send', () => {
    const documents = new Documents(controller.schema);
    const accept = (text: string, isOfCaller: boolean): string => {
      const hash = documents.hashOf(text);
      documents.accept(hash, text, documents.read(hash, text), isOfCaller);
      return hash;
    };
    const ofCaller = accept(VALID, true);
    const large = (i: number): string =>
      `{ v${String(i)}: version { ${repeat(50, () => 'version')} } # ${'x'.repeat(1_000)}\n }`;
    const first = accept(large(0), false);
    for (let i = 1; i < 600; i += 1) accept(large(i), false);
    expect(documents.find(first)).toBeUndefined();
    expect(documents.find(ofCaller)).toBeDefined();
  });

  test('counts with the time of its validation, by caller', async () => {
    // A clock that moves by 200 ms whenever it is looked at.
    let now = 0;
    const limits = limitsOf({ graphqlBudget: 1_000_000 }, () => (now += 200));
    const admission = admissionOf(controller, limits);
    const other = (i: number): string => `{ v${String(i)}: version { version } }`;
    const fromOne = async (): Promise<void> => {
      for (let i = 0; i < 20; i += 1) await admit(admission, other(i), stranger('10.0.0.2'));
    };
    const refusal = await fromOne().catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'SERVER_TOO_MANY_REQUESTS',
      retryAfter: expect.any(Number),
    });
    const before = admission.documents.validations;
    expect(before).toBeLessThanOrEqual(3);
    // What is known costs nothing, and others have their own time.
    await admit(admission, other(0), stranger('10.0.0.2'));
    await admit(admission, other(50), stranger('10.0.0.3'));
    expect(admission.documents.validations).toBe(before + 1);
  });
});

describe('values of variables', () => {
  const LIST = 'query ($w: IdentityWhere) { identities(where: $w) { totalCount } }';
  const request: CallerRequest = {
    headers: {},
    rawHeaders: [],
    socket: { remoteAddress: '10.0.0.9' } as never,
  };
  const admit = (query: string, variables: Record<string, unknown>): Promise<{ cost: number }> =>
    admissionOf(controller).admit(request, { query, variables });

  test('are weighed by their number', async () => {
    const w = { or: [{ name: { eq: 'x' } }, { name: { eq: 'y' } }] };
    // Objects and members of objects, and elements of the list; two conditions of the list.
    const values = 2 + 2 + 2 * (2 + 2);
    expect((await admit(LIST, { w })).cost).toBe(2 + 2 + 2 * 50 + values);
  });

  test.each([
    ['objects', { or: Array(20_000).fill({}) }],
    ['elements', { name: { in: Array(20_001).fill('x') } }],
  ])('are refused with too many %s', async (_, w) => {
    await expect(admit(LIST, { w })).rejects.toMatchObject({ code: 'QUERY_TOO_COMPLEX' });
  });

  test('of free JSON are not looked into', async () => {
    const text = 'mutation ($document: JSON!) { importNetwork(document: $document) { failure } }';
    const document = { identities: Array(30_000).fill({ name: 'x' }) };
    expect((await admit(text, { document })).cost).toBe(2 + 100_000);
  });
});

describe('operations on the whole network', () => {
  const changes = Array(1_000).fill({ operation: 'delete', type: 'service', id: 'x' });
  const VALUES = 1_000 * 5;
  const admit = async (query: string, variables: Record<string, unknown> = {}) => {
    const paces: Pace[] = [];
    const request = { headers: {}, rawHeaders: [], socket: { remoteAddress: '10.0.0.9' } as never };
    attachLimit(request, { enter: (pace: Pace) => void paces.push(pace) } as never);
    const { cost } = await admissionOf(controller).admit(request, { query, variables });
    return { cost, paces };
  };
  const CHANGES = '($changes: [ModelChangeInput!]!)';
  const times = (count: number, field: string): string =>
    repeat(count, (i) => `a${String(i)}: ${field}`);
  const DONE = 'applyChanges(changes: $changes) { entityId }';
  const SIMULATED = 'simulate(changes: $changes) { gained(first: 1) { totalCount } }';

  test.each([
    ['a simulation', `query ${CHANGES} { ${SIMULATED} }`, 55_000 + 3],
    ['the changes of a list', `mutation ${CHANGES} { ${DONE} }`, 55_000 + 2],
    [
      'a draft as a file',
      `query ${CHANGES} { exportChanges(changes: $changes) { omitted } }`,
      55_002,
    ],
    [
      'the map of a simulation',
      `query ${CHANGES} { accessMap(changes: $changes) { identityCount } }`,
      60_000 + 2,
    ],
  ])('cost by the number of changes: %s', async (_, query, cost) => {
    expect((await admit(query, { changes })).cost).toBe(cost + VALUES);
  });

  test.each([
    ['49 simulations', `{ ${times(49, 'simulate(changes: []) { gained { totalCount } }')} }`],
    [
      '24 times the findings of one',
      `{ simulate(changes: []) { ${times(24, 'findings { appearedCount }')} } }`,
    ],
    ['24 lists of findings', `{ ${times(24, 'findings { totalCount }')} }`],
    ['49 comparisons', `{ ${times(49, 'accessDiff(from: "1") { gained { totalCount } }')} }`],
    ['49 reversals', `{ ${times(49, 'revertChanges(ids: []) { changes { type } }')} }`],
    ['2 exports', `{ ${times(2, 'exportNetwork')} }`],
    ['9 simulated imports', `{ ${times(9, 'simulateImport(document: {}) { faultCount }')} }`],
    ['2 imports', `mutation { ${times(2, 'importNetwork(document: {}) { failure }')} }`],
  ])('are at most %s in a document', async (_, most) => {
    await admit(most);
    const more = most.replace(/a0: (.*?) a1: /s, 'again: $1 a0: $1 a1: ');
    await expect(admit(more)).rejects.toMatchObject({ code: 'QUERY_TOO_COMPLEX' });
  });

  test('take their time whatever they cost', async () => {
    const query = 'mutation { startAccessReview(name: "all") { id } }';
    expect((await admit(query)).paces).toMatchObject([{ lane: 'background', isLong: true }]);
  });

  test('leave lists without a limit as they are', async () => {
    const query = `{ simulate(changes: []) { gained(first: 0) { totalCount } } services(limit: -1) { nodes { id } } }`;
    const { ctx } = await admissionOf(controller).admit(
      { headers: {}, rawHeaders: [], socket: {} as never },
      { query, variables: {} },
    );
    expect(ctx.mostRows).toBeGreaterThan(5_000);
  });
});
