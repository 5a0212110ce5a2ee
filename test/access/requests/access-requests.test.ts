import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { removeSettledRequests } from '../../../src/access/requests/index.js';
import { sql } from '../../../src/base/sql.js';
import { ADMIN } from '../../support/in-process.js';
import { codes, moveDue, passHours, shown } from '../assignments/assigned.js';
import { Requested, requestIn } from './requested.js';

/** The life of a request for access: asked for, decided, ended. */

let requested: Requested;
let ada: string;
let lead: string;

beforeAll(async () => {
  requested = await Requested.start();
});
afterAll(() => requested.controller.stop());
beforeEach(async () => {
  [ada, lead] = [await requested.person(), await requested.person('lead')];
});

const services = async (id: string): Promise<readonly string[]> =>
  (await shown(requested.controller, id)).services.nodes.map(({ name }) => name).sort();

const BOTH = ['desk board', 'on-call board'];

interface Assignment {
  readonly id: string;
  readonly state: string;
  readonly source: string;
  readonly reason: string;
  readonly requestedById: string;
  readonly approvedById: string | null;
  readonly activeUntil: string;
}

async function assignments(identityId: string): Promise<readonly Assignment[]> {
  const { roleAssignments } = await requested.controller.read<{
    roleAssignments: { nodes: readonly Assignment[] };
  }>(
    `query ($filter: String!) { roleAssignments(filter: $filter) { nodes {
      id state source reason requestedById approvedById activeUntil } } }`,
    { filter: `identity = "${identityId}"` },
  );
  return roleAssignments.nodes;
}

describe('a request', () => {
  test('waits for an approver, who grants it for less than was asked', async () => {
    const id = await requested.asked(ada, await requested.offer());
    expect(await requested.request(id)).toMatchObject({ state: 'OPEN', requestedMinutes: 30 });
    expect(await services(ada)).toStrictEqual(['desk board']);
    const answer = await requested.decide('approve', lead, id, {
      minutes: 10,
      comment: 'be quick',
    });
    expect(requestIn(answer)).toMatchObject({
      state: 'GRANTED',
      grantedMinutes: 10,
      decidedById: lead,
      comment: 'be quick',
    });
    expect(await services(ada)).toStrictEqual(BOTH);
  });

  test('is granted by a role assignment that names requester, approver, reason and end', async () => {
    const id = await requested.asked(ada, await requested.offer(), {
      reason: ' the board is red ',
    });
    const { grantedUntil } = requestIn(await requested.decide('approve', lead, id));
    expect(await assignments(ada)).toStrictEqual([
      {
        id: expect.any(String),
        state: 'ACTIVE',
        source: `access-request:${id}`,
        reason: 'the board is red',
        requestedById: ada,
        approvedById: lead,
        activeUntil: grantedUntil,
      },
    ]);
  });

  test('lasts as many minutes as were asked, by the clock of the database', async () => {
    const id = await requested.asked(ada, await requested.offer(), { minutes: 60 });
    const now = (): Promise<readonly { now: Date }[]> =>
      requested.controller.parts.store.query(sql<{ now: Date }>`select clock_timestamp() as now`);
    const [before] = await now();
    const { grantedUntil } = requestIn(await requested.decide('approve', lead, id));
    const [after] = await now();
    const end = Date.parse(grantedUntil ?? '') - 3_600_000;
    expect(end).toBeGreaterThanOrEqual((before?.now.getTime() ?? Infinity) - 1);
    expect(end).toBeLessThanOrEqual((after?.now.getTime() ?? 0) + 1);
  });

  test('ends with its role assignment', async () => {
    const id = await requested.asked(ada, await requested.offer());
    await requested.decide('approve', lead, id);
    await passHours(requested.controller, 2, ...(await assignments(ada)).map((one) => one.id));
    await moveDue(requested.controller);
    expect(await requested.request(id)).toMatchObject({ state: 'ENDED' });
    expect(await services(ada)).toStrictEqual(['desk board']);
  });

  test('can be denied, and then nothing else', async () => {
    const id = await requested.asked(ada, await requested.offer());
    const denied = await requested.decide('deny', lead, id, { comment: 'call me' });
    expect(requestIn(denied)).toMatchObject({ state: 'DENIED', comment: 'call me' });
    for (const verb of ['approve', 'deny', 'revoke'] as const) {
      const answer = await requested.decide(verb, lead, id);
      expect(codes(answer)).toStrictEqual(['ENTITY_CAN_NOT_BE_UPDATED']);
    }
    expect(codes(await requested.decide('cancel', ada, id))).toStrictEqual([
      'ENTITY_CAN_NOT_BE_UPDATED',
    ]);
    expect(await services(ada)).toStrictEqual(['desk board']);
  });

  test('is taken back by its requester', async () => {
    const id = await requested.asked(ada, await requested.offer());
    expect(codes(await requested.decide('cancel', lead, id))).toStrictEqual(['NOT_FOUND']);
    expect(requestIn(await requested.decide('cancel', ada, id)).state).toBe('CANCELLED');
    expect(codes(await requested.decide('approve', lead, id))).toStrictEqual([
      'ENTITY_CAN_NOT_BE_UPDATED',
    ]);
  });

  test('is revoked by its approver, by an administrator, or by its requester', async () => {
    for (const by of [lead, ADMIN, ada]) {
      const id = await requested.asked(ada, await requested.offer());
      await requested.decide('approve', lead, id);
      expect(requestIn(await requested.decide('revoke', by, id)).state).toBe('REVOKED');
      expect(await assignments(ada)).toStrictEqual([]);
      expect(await services(ada)).toStrictEqual(['desk board']);
    }
  });

  test('is granted at once by an offer without approval', async () => {
    const offerId = await requested.offer({ approval: 'NONE', approverRoles: [] });
    const answer = requestIn(await requested.ask(ada, offerId));
    expect(answer).toMatchObject({ state: 'GRANTED', grantedMinutes: 30, decidedById: null });
    expect(await services(ada)).toStrictEqual(BOTH);
    expect(await assignments(ada)).toMatchObject([{ requestedById: ada, approvedById: null }]);
  });

  test('is revoked although an access rule requires the access', async () => {
    const id = await requested.asked(ada, await requested.offer());
    await requested.decide('approve', lead, id);
    const rule = await requested.controller.create('AccessRule', {
      name: `must ${ada}`,
      kind: 'MUST_REACH',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${ada}`],
      serviceRoles: [`@${requested.boards.boards.get('on-call') ?? ''}`],
    });
    expect(requestIn(await requested.decide('revoke', lead, id)).state).toBe('REVOKED');
    await requested.controller.graph('mutation ($id: ID!) { deleteAccessRule(id: $id) }', {
      id: rule,
    });
  });
});

test('settled requests are removed after a time, open ones and grants that last are not', async () => {
  const offerId = await requested.offer({ maxActive: 3 });
  const [open, granted, denied] = [
    await requested.asked(ada, offerId),
    await requested.asked(ada, offerId),
    await requested.asked(ada, offerId),
  ];
  await requested.decide('approve', lead, granted);
  await requested.decide('deny', lead, denied);
  const { parts } = requested.controller;
  await parts.store.query(
    sql`update access_request set updated_at = updated_at - interval '2 hours',
      granted_until = granted_until - interval '2 hours'`,
  );
  await removeSettledRequests(requested.controller.anonymous(), 3_600_000);
  const { accessRequests } = await requested.controller.read<{
    accessRequests: { nodes: readonly { id: string }[] };
  }>('query ($filter: String!) { accessRequests(filter: $filter) { nodes { id } } }', {
    filter: `offer = "${offerId}"`,
  });
  expect(accessRequests.nodes.map(({ id }) => id).sort()).toStrictEqual([open, granted].sort());
});

describe('two decisions at once', () => {
  test.each([
    ['approve', 'approve'],
    ['approve', 'deny'],
    ['approve', 'cancel'],
  ] as const)('%s and %s have one winner', async (first, second) => {
    const id = await requested.asked(ada, await requested.offer());
    const other = await requested.person('lead');
    const answers = await Promise.all([
      requested.decide(first, lead, id),
      requested.decide(second, second === 'cancel' ? ada : other, id),
    ]);
    expect(answers.flatMap((answer) => codes(answer))).toStrictEqual(['ENTITY_CAN_NOT_BE_UPDATED']);
    const { state } = await requested.request(id);
    expect(await assignments(ada)).toHaveLength(state === 'GRANTED' ? 1 : 0);
  });

  test('requests of one identity are counted one after the other', async () => {
    const offerId = await requested.offer();
    const answers = await Promise.all([1, 2, 3].map(() => requested.ask(ada, offerId)));
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(1);
  });
});

describe('the lists', () => {
  const decidable = async (by: string | typeof ADMIN): Promise<readonly string[]> => {
    const { accessRequests } = await requested.controller.read<{
      accessRequests: { nodes: readonly { id: string; mayDecide: boolean }[] };
    }>(
      '{ accessRequests(filter: "mayDecide = true") { nodes { id mayDecide } } }',
      {},
      requested.ctx(by),
    );
    expect(accessRequests.nodes.every(({ mayDecide }) => mayDecide)).toBe(true);
    return accessRequests.nodes.map(({ id }) => id);
  };
  const listed = async (by: string): Promise<readonly string[]> => {
    const { accessRequests } = await requested.controller.read<{
      accessRequests: { nodes: readonly { id: string }[] };
    }>('{ accessRequests { nodes { id } } }', {}, requested.ctx(by));
    return accessRequests.nodes.map(({ id }) => id);
  };

  test('show requests to those who may decide on them, and to their requester', async () => {
    const id = await requested.asked(ada, await requested.offer());
    const other = await requested.person();
    for (const by of [lead, ADMIN]) expect(await decidable(by)).toContain(id);
    for (const by of [ada, other]) expect(await decidable(by)).not.toContain(id);
    for (const by of [ada, lead]) expect(await listed(by)).toContain(id);
    expect(await listed(other)).not.toContain(id);
    expect(await listed(ada)).toContain(id);
    await requested.decide('deny', lead, id);
    expect(await decidable(lead)).not.toContain(id);
  });

  test('show an approver no own request', async () => {
    const id = await requested.asked(lead, await requested.offer());
    expect(await decidable(lead)).not.toContain(id);
  });
});
