import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ADMIN } from '../../support/in-process.js';
import { codes } from '../assignments/assigned.js';
import { Requested } from './requested.js';

/** An approver sees the effect of a grant before the decision. */

let requested: Requested;
let board: string;
let ada: string;
let lead: string;

beforeAll(async () => {
  requested = await Requested.start();
  board = requested.boards.boards.get('on-call') ?? '';
});
afterAll(() => requested.controller.stop());
beforeEach(async () => {
  [ada, lead] = [await requested.person(), await requested.person('lead')];
});

const EFFECT = `query ($id: ID!) { accessRequestEffect(id: $id) {
  gainedCount gained { serviceId serviceName type }
  violations { ruleId ruleName serviceId serviceName type } } }`;

const effectOf = async (id: string, by: string | typeof ADMIN = lead): Promise<unknown> =>
  (
    await requested.controller.read<{ accessRequestEffect: unknown }>(
      EFFECT,
      { id },
      requested.ctx(by),
    )
  ).accessRequestEffect;

describe('the effect of a grant', () => {
  test('is the access that the requester gains', async () => {
    const id = await requested.asked(ada, await requested.offer());
    const gained = [{ serviceId: board, serviceName: 'on-call board', type: 'Dial' }];
    for (const by of [lead, ADMIN]) {
      expect(await effectOf(id, by)).toStrictEqual({ gainedCount: 1, gained, violations: [] });
    }
  });

  test('is nothing for a requester who has the access already', async () => {
    await requested.boards.onCall(ada);
    const id = await requested.asked(ada, await requested.offer());
    expect(await effectOf(id)).toStrictEqual({ gainedCount: 0, gained: [], violations: [] });
  });

  test('names the access rules that refuse it', async () => {
    const id = await requested.asked(ada, await requested.offer());
    const ruleId = await requested.controller.create('AccessRule', {
      name: `never ${ada}`,
      kind: 'MUST_NEVER_REACH',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${ada}`],
      serviceRoles: [`@${board}`],
    });
    const violation = { ruleId, ruleName: `never ${ada}`, serviceName: 'on-call board' };
    expect(await effectOf(id)).toMatchObject({
      gainedCount: 1,
      violations: [{ ...violation, serviceId: board, type: 'Dial' }],
    });
    await requested.controller.graph('mutation ($id: ID!) { deleteAccessRule(id: $id) }', {
      id: ruleId,
    });
  });

  test('is for those who may decide, while the request is open', async () => {
    const id = await requested.asked(ada, await requested.offer());
    const refused = async (by: string): Promise<unknown> =>
      codes(await requested.controller.graph(EFFECT, { id }, requested.ctx(by)));
    for (const by of [ada, await requested.person()]) {
      expect(await refused(by)).toStrictEqual(['NOT_FOUND']);
    }
    await requested.decide('deny', lead, id);
    expect(await refused(lead)).toStrictEqual(['NOT_FOUND']);
  });
});
