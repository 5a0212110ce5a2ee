import { describe, expect, test } from '@jest/globals';
import { parse } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import { paceOf, type Lane } from '../../../src/kernel/graph/pace.js';
import { Lanes } from '../../../src/requests/limits/lanes.js';
import { buildGraph, operations } from '../../../src/graph/index.js';
import { catalog } from '../../../src/resources/index.js';

/* Who works when not all can work at once. */

const BY_SENDER = { bySender: true } as const;

const settled = async (): Promise<void> => {
  await new Promise((resolve) => setImmediate(resolve));
};

/** Enters and notes who came in, in order. */
function enter(
  lanes: Lanes,
  lane: Lane,
  entered: string[],
  name: string = lane,
  sender = 'somebody',
): Promise<unknown> {
  return Promise.resolve(lanes.enter(lane, sender)).then(
    () => entered.push(name),
    (error: unknown) => entered.push(`${name}: ${(error as { code: string }).code}`),
  );
}

describe('with a free place', () => {
  test('nobody waits', () => {
    const lanes = new Lanes({ ...BY_SENDER, places: 4 });
    expect(lanes.enter('first', 'somebody')).toBeUndefined();
    expect(lanes.enter('ordinary', 'somebody')).toBeUndefined();
    expect(lanes.enter('background', 'somebody')).toBeUndefined();
  });

  test.each([
    ['first', 6],
    ['ordinary', 6],
    ['background', 1],
  ] as const)('the lane %s has at most %i of 8 places', (lane, most) => {
    const lanes = new Lanes({ places: 8, bySender: false, longestWaitMs: 10 });
    const entered = Array.from({ length: 8 }, () => lanes.enter(lane, 'somebody'));
    expect(entered.filter((waiting) => waiting === undefined)).toHaveLength(most);
    for (const waiting of entered) waiting?.catch(() => undefined);
  });

  test('there is no limit when it is switched off', () => {
    const lanes = new Lanes({ ...BY_SENDER, places: 0 });
    for (let i = 0; i < 1_000; i += 1)
      expect(lanes.enter('background', 'somebody')).toBeUndefined();
  });
});

describe('without one', () => {
  test('the first lane goes before the ordinary one, that before the background', async () => {
    const lanes = new Lanes({ bySender: false, places: 4 });
    for (const lane of ['ordinary', 'ordinary', 'ordinary', 'first'] as const) {
      expect(lanes.enter(lane, 'somebody')).toBeUndefined();
    }
    const entered: string[] = [];
    for (const lane of ['background', 'ordinary', 'first'] as const) {
      void enter(lanes, lane, entered);
    }
    for (let i = 0; i < 3; i += 1) {
      lanes.leave('ordinary', 'somebody');
      await settled();
    }
    expect(entered).toStrictEqual(['first', 'ordinary', 'background']);
  });

  test('those of a lane go in their order', async () => {
    const lanes = new Lanes({ ...BY_SENDER, places: 1 });
    expect(lanes.enter('ordinary', 'somebody')).toBeUndefined();
    const entered: string[] = [];
    for (const name of ['a', 'b', 'c']) void enter(lanes, 'ordinary', entered, name);
    for (let i = 0; i < 3; i += 1) {
      lanes.leave('ordinary', 'somebody');
      await settled();
    }
    expect(entered).toStrictEqual(['a', 'b', 'c']);
  });

  test('a lane that is full refuses, and one wait is not endless', async () => {
    const lanes = new Lanes({ ...BY_SENDER, places: 1, longestWaitMs: 20 });
    expect(lanes.enter('ordinary', 'somebody')).toBeUndefined();
    const outcomes: string[] = [];
    const waiting = Array.from({ length: 16 }, () => enter(lanes, 'ordinary', outcomes, 'waited'));
    const refused = lanes.enter('ordinary', 'somebody');
    await expect(refused).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      status: 503,
      retryAfter: 1,
    });
    await Promise.all(waiting);
    expect(outcomes).toStrictEqual(Array(16).fill('waited: UNAVAILABLE'));
    lanes.leave('ordinary', 'somebody');
    expect(lanes.enter('ordinary', 'somebody')).toBeUndefined();
  });
});

describe('between senders', () => {
  test('turns go round, however many one of them sends', async () => {
    const lanes = new Lanes({ ...BY_SENDER, places: 1 });
    expect(lanes.enter('ordinary', 'a')).toBeUndefined();
    const entered: string[] = [];
    for (const name of ['a1', 'a2', 'a3']) void enter(lanes, 'ordinary', entered, name, 'a');
    for (const name of ['b1', 'b2']) void enter(lanes, 'ordinary', entered, name, 'b');
    for (let i = 0; i < 5; i += 1) {
      lanes.leave('ordinary', 'a');
      await settled();
    }
    expect(entered).toStrictEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  test('one has a thirty-second of the places in the first lane, and others have theirs', async () => {
    const lanes = new Lanes({ ...BY_SENDER, places: 64 });
    const entered: string[] = [];
    for (const name of ['a1', 'a2', 'a3', 'a4']) void enter(lanes, 'first', entered, name, 'a');
    void enter(lanes, 'first', entered, 'b1', 'b');
    await settled();
    expect(entered).toStrictEqual(['a1', 'a2', 'b1']);
    lanes.leave('first', 'a');
    await settled();
    expect(entered).toStrictEqual(['a1', 'a2', 'b1', 'a3']);
    for (const sender of ['a', 'a']) lanes.leave('first', sender);
  });

  test.each([
    ['ordinary', 8],
    ['background', 4],
  ] as const)('one has a share of the lane %s: %i of 64 places', async (lane, most) => {
    const lanes = new Lanes({ ...BY_SENDER, places: 64 });
    const entered: string[] = [];
    const waiting = Array.from({ length: most + 1 }, () => enter(lanes, lane, entered, 'a', 'a'));
    void enter(lanes, lane, entered, 'b', 'b');
    await settled();
    expect(entered).toStrictEqual([...Array<string>(most).fill('a'), 'b']);
    lanes.leave(lane, 'a');
    await Promise.all(waiting);
    expect(entered.slice(most)).toStrictEqual(['b', 'a']);
  });

  test('one who fills a lane makes room for others', async () => {
    const lanes = new Lanes({ ...BY_SENDER, places: 1, longestWaitMs: 1_000 });
    expect(lanes.enter('ordinary', 'a')).toBeUndefined();
    const entered: string[] = [];
    for (let i = 1; i <= 16; i += 1) {
      void enter(lanes, 'ordinary', entered, `a${String(i)}`, 'a');
    }
    void enter(lanes, 'ordinary', entered, 'b', 'b');
    await settled();
    expect(entered).toStrictEqual(['a16: UNAVAILABLE']);
    for (let i = 0; i < 16; i += 1) {
      lanes.leave('ordinary', 'a');
      await settled();
    }
    expect(entered.slice(1, 4)).toStrictEqual(['a1', 'b', 'a2']);
  });
});

describe('the pace of a document', () => {
  let schema: GraphQLSchema | undefined;

  test.each([
    ['mutation { authenticate(method: "password") { id } }', 'first'],
    ['mutation { openSession(serviceId: "a", type: "Dial") { id } }', 'first'],
    ['{ version { version } again: version { version } }', 'first'],
    ['{ services { nodes { id } } }', 'ordinary'],
    ['{ version { version } services { nodes { id } } }', 'ordinary'],
    [
      '{ version { version } policyAdvice(identityId: "a", serviceId: "b") { isBindAllowed } }',
      'background',
    ],
    [
      '{ ...Q } fragment Q on Query { ... { access(identityId: "a", serviceId: "b", type: Dial) { allowed } } }',
      'background',
    ],
    ['{ ...Q } fragment Q on Query { ...Q }', 'ordinary'],
    ['mutation { checkDataIntegrity { inProgress } }', 'background'],
    ['mutation { importNetwork(document: {}) { importId } }', 'background, takes its time'],
    ['{ exportNetwork }', 'background, takes its time'],
    ['mutation { createSnapshot { name } }', 'background, takes its time'],
    ['{ nonsense }', 'ordinary'],
  ])('%s', async (text, expected) => {
    schema ??= await buildGraph(catalog, operations);
    const { lane, isLong } = paceOf(schema, parse(text));
    expect(isLong ? `${lane}, takes its time` : lane).toBe(expected);
  });
});
