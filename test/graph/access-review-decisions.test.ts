import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from '../../src/base/sql.js';
import { ADMIN, InProcess } from '../support/in-process.js';
import { FINISH, ReviewNetwork, type Line } from './review-network.js';
import { at } from './unused-network.js';

/** Decisions about lines of reviews, and the end of a review. */

let network: ReviewNetwork;
let other: InProcess;
const idOf = (name: string): string => network.names.idOf(name);

beforeAll(async () => {
  network = await ReviewNetwork.start();
  other = await InProcess.start(network.controller);
});
afterAll(async () => {
  await other.stop();
  await network.controller.stop();
});

const lineOf = async (id: string, service: string): Promise<Line | undefined> =>
  (await network.lines(id)).find(({ serviceName }) => serviceName === service);

describe('a decision', () => {
  test('is stored with its comment, author and time', async () => {
    const id = await network.reviewOf('ada');
    const comment = 'läßt "sich" nicht\tbegründen; drop table';
    const author = await network.controller.defaultAdminId();
    const ctx = network.controller.ctx({ ...ADMIN, identityId: author });
    const decisions = [
      network.about('ada', 'wiki', 'REVOKE', { comment: `  ${comment} ` }),
      network.about('ada', 'mail', 'KEEP'),
    ];
    expect(await network.decide(id, decisions, ctx)).toBe('done');
    expect(await lineOf(id, 'wiki')).toMatchObject({
      decision: 'REVOKE',
      comment,
      decidedById: author,
      decidedByName: expect.stringMatching(/./),
      decidedAt: at(100).toISOString(),
    });
    expect(await lineOf(id, 'mail')).toMatchObject({ decision: 'KEEP', comment: null });
    expect(await network.of(id)).toMatchObject({
      lineCount: 2,
      undecidedCount: 0,
      keepCount: 1,
      revokeCount: 1,
    });
  });

  test('can be changed and taken back; a comment stays until it is replaced or removed', async () => {
    const id = await network.reviewOf('bob');
    const wiki = (decision: 'UNDECIDED' | 'KEEP' | 'REVOKE', more = {}) =>
      network.decide(id, [network.about('bob', 'wiki', decision, more)]);
    await wiki('KEEP', { comment: 'needed' });
    await wiki('REVOKE');
    expect(await lineOf(id, 'wiki')).toMatchObject({ decision: 'REVOKE', comment: 'needed' });
    await wiki('UNDECIDED', { comment: 'to be asked' });
    expect(await lineOf(id, 'wiki')).toMatchObject({
      decision: 'UNDECIDED',
      comment: 'to be asked',
      decidedById: null,
      decidedByName: null,
      decidedAt: null,
    });
    expect(await network.of(id)).toMatchObject({ undecidedCount: 2, keepCount: 0, revokeCount: 0 });
    await wiki('KEEP', { comment: ' ' });
    expect(await lineOf(id, 'wiki')).toMatchObject({ decision: 'KEEP', comment: null });
    await wiki('KEEP', { comment: 'again' });
    await wiki('KEEP', { comment: null });
    expect(await lineOf(id, 'wiki')).toMatchObject({ comment: null });
  });

  test.each([
    ['about no line', { serviceId: 'none' }, 'decisions[1]'],
    ['of the other type', { type: 'Bind' }, 'decisions[1]'],
    ['with a comment of two lines', { comment: 'a\nb' }, 'decisions[1].comment'],
    ['with a long comment', { comment: 'x'.repeat(501) }, 'decisions[1].comment'],
    ['with a comment that can not be stored', { comment: 'a\ud800' }, 'decisions[1].comment'],
    ['with an id that can not be stored', { identityId: 'a\u0000' }, 'decisions[1].identityId'],
  ])('%s is refused, and with it all others', async (_, more, field) => {
    const id = await network.reviewOf('ada');
    const decisions = [
      network.about('ada', 'wiki', 'KEEP'),
      network.about('ada', 'mail', 'KEEP', more),
    ];
    expect(await network.decide(id, decisions)).toMatchObject({
      code: 'COULD_NOT_VALIDATE',
      field,
    });
    expect(await network.of(id)).toMatchObject({ undecidedCount: 2, revision: 1 });
  });

  test('is made once in a list, which has at most 1,000', async () => {
    const id = await network.reviewOf('ada');
    const wiki = network.about('ada', 'wiki', 'KEEP');
    const twice = [wiki, network.about('ada', 'mail', 'KEEP'), { ...wiki, decision: 'REVOKE' }];
    expect(await network.decide(id, twice)).toMatchObject({
      field: 'decisions[2]',
      text: expect.stringContaining('decisions[0]'),
    });
    const many = Array.from({ length: 1_001 }, () => wiki);
    expect(await network.decide(id, many)).toMatchObject({ field: 'decisions' });
    expect(await network.decide(id, [])).toBe('done');
    expect(await network.decide('nobody', [wiki])).toMatchObject({ code: 'NOT_FOUND' });
    expect(await network.of(id)).toMatchObject({ undecidedCount: 2 });
  });

  test('counts for the revocation that the same document reads after it', async () => {
    const id = await network.reviewOf('ada');
    const decide = (decision: 'KEEP' | 'REVOKE') => [network.about('ada', 'wiki', decision)];
    const answer = await network.controller.read(
      `mutation ($id: ID!, $revoke: [LineDecisionInput!]!, $keep: [LineDecisionInput!]!) {
        first: decideAccessReview(id: $id, decisions: $revoke) { revocation { revokedCount } }
        then: decideAccessReview(id: $id, decisions: $keep) { revocation { revokedCount } } }`,
      { id, revoke: decide('REVOKE'), keep: decide('KEEP') },
    );
    expect(answer).toStrictEqual({
      first: { revocation: { revokedCount: 1 } },
      then: { revocation: { revokedCount: 0 } },
    });
  });

  test('concerns one review alone', async () => {
    const [first, second] = [await network.reviewOf('ada'), await network.reviewOf('ada')];
    await network.decide(first, [network.about('ada', 'wiki', 'REVOKE')]);
    expect(await network.of(second)).toMatchObject({ undecidedCount: 2 });
    expect(await lineOf(second, 'wiki')).toMatchObject({ decision: 'UNDECIDED' });
  });
});

describe('a review', () => {
  test('is finished when all lines are decided', async () => {
    const id = await network.reviewOf('ada');
    await network.decide(id, [network.about('ada', 'wiki', 'KEEP')]);
    expect(await network.finish(id)).toMatchObject({
      code: 'ENTITY_CAN_NOT_BE_UPDATED',
      text: '1 of 2 lines are undecided',
    });
    await network.decide(id, [network.about('ada', 'mail', 'REVOKE')]);
    expect(await network.finish(id)).toBe('done');
    expect(await network.of(id)).toMatchObject({
      state: 'FINISHED',
      finishedAt: at(100).toISOString(),
      finishedById: network.controller.ctx().caller?.identityId,
    });
    expect(await network.finish('nobody')).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('that is finished changes no more, and can be deleted', async () => {
    const id = await network.reviewOf('bob');
    await network.finished(id);
    const before = [await network.of(id), await network.lines(id)];
    const refused = { code: 'ENTITY_CAN_NOT_BE_UPDATED', text: 'the review is finished' };
    expect(await network.decide(id, [network.about('bob', 'wiki', 'REVOKE')])).toMatchObject(
      refused,
    );
    expect(await network.decide(id, [])).toMatchObject(refused);
    expect(await network.finish(id)).toMatchObject(refused);
    for (const input of [{ name: 'another' }, { tags: { a: 1 } }, { description: 'x' }]) {
      const text = `mutation ($id: ID!, $input: UpdateAccessReviewInput!) {
        updateAccessReview(id: $id, input: $input) { id } }`;
      expect(await network.attempt(text, { id, input })).toMatchObject(refused);
    }
    expect([await network.of(id), await network.lines(id)]).toEqual(before);
    const remove = 'mutation ($id: ID!) { deleteAccessReview(id: $id) }';
    expect(await network.attempt(remove, { id })).toBe('done');
    const [row] = await network.controller.parts.store.query(
      sql<{
        n: number;
      }>`select count(*)::int as n from access_review_line where review_id = ${id}::text`,
    );
    expect(row).toEqual({ n: 0 });
  });

  test('that is open can be renamed and tagged; its part stays', async () => {
    const id = await network.reviewOf('bob');
    const name = network.newName();
    const { updateAccessReview } = await network.controller.read<{ updateAccessReview: unknown }>(
      `mutation ($id: ID!, $input: UpdateAccessReviewInput!) {
        updateAccessReview(id: $id, input: $input) { name tags description type lineCount } }`,
      { id, input: { name, tags: { quarter: 3 }, description: 'third quarter' } },
    );
    expect(updateAccessReview).toEqual({
      name,
      tags: { quarter: 3 },
      description: 'third quarter',
      type: 'Dial',
      lineCount: 2,
    });
    const { __type } = await network.controller.read<{
      __type: { inputFields: { name: string }[] };
    }>('{ __type(name: "UpdateAccessReviewInput") { inputFields { name } } }');
    expect(__type.inputFields.map((field) => field.name).sort()).toEqual([
      'description',
      'name',
      'tags',
    ]);
  });
});

describe('two controllers', () => {
  test('either take a decision back or finish the review', async () => {
    for (let round = 0; round < 6; round += 1) {
      const id = await network.reviewOf('ada');
      const both = ['wiki', 'mail'].map((service) => network.about('ada', service, 'KEEP'));
      await network.decide(id, both);
      const outcomes = await Promise.all([
        network.decide(id, [network.about('ada', 'wiki', 'UNDECIDED')], other.ctx(), other),
        network.finish(id),
      ]);
      expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
      const review = await network.of(id);
      const isFinished = outcomes[1] === 'done';
      expect(review).toMatchObject({
        state: isFinished ? 'FINISHED' : 'OPEN',
        undecidedCount: isFinished ? 0 : 1,
      });
    }
  });

  test('finish a review once', async () => {
    const id = await network.reviewOf('ada');
    await network.decide(id, [
      network.about('ada', 'wiki', 'KEEP'),
      network.about('ada', 'mail', 'KEEP'),
    ]);
    const outcomes = await Promise.all(
      [network.controller, other, network.controller, other].map((on) =>
        network.attempt(FINISH, { id }, on.ctx(), on),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
  });

  test('count decisions that they store at the same moment', async () => {
    const id = await network.review({ type: 'Dial' });
    const lines = await network.lines(id);
    const outcomes = await Promise.all(
      lines.map(({ identityId, serviceId, type }, i) => {
        const on = i % 2 === 0 ? network.controller : other;
        const decision = i % 3 === 0 ? 'REVOKE' : 'KEEP';
        return network.decide(id, [{ identityId, serviceId, type, decision }], on.ctx(), on);
      }),
    );
    expect(new Set(outcomes)).toEqual(new Set(['done']));
    const revokeCount = Math.ceil(lines.length / 3);
    expect(await network.of(id)).toMatchObject({
      undecidedCount: 0,
      revokeCount,
      keepCount: lines.length - revokeCount,
    });
  });
});

test('the change log has the review, and no line of it', async () => {
  const id = await network.reviewOf('ada');
  await network.finished(id, 'REVOKE');
  const rows = await network.controller.parts.store.query(
    sql<{
      entity_type: string;
      operation: string;
      after: Record<string, unknown>;
    }>`select entity_type, operation, after
      from change where entity_id = ${id}::text or entity_type ilike '%line%' order by seq`,
  );
  expect(rows.map(({ entity_type, operation }) => `${operation} ${entity_type}`)).toEqual([
    'create AccessReview',
    'update AccessReview',
    'update AccessReview',
  ]);
  expect(rows.map(({ after }) => [after.state, after.revokeCount])).toEqual([
    ['OPEN', 0],
    ['OPEN', 2],
    ['FINISHED', 2],
  ]);
  expect(idOf('ada')).not.toBe('');
});
