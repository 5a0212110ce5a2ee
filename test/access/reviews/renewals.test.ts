import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { ADMIN, callerOf, type GraphAnswer } from '../../support/in-process.js';
import { newGroup, newUser, openedDirectory } from '../directories/provider.js';
import { Requested } from '../requests/requested.js';

/** Decisions of reviews that renew or end the role assignments on which access rests. */

const MINUTE = 60_000;
const inMinutes = (minutes: number): string =>
  new Date(Date.now() + minutes * MINUTE).toISOString();

let requested: Requested;
let ada: string;
let reviewCount = 0;

beforeAll(async () => {
  requested = await Requested.start();
});
afterAll(() => requested.controller.stop());
beforeEach(async () => {
  ada = await requested.person();
});

/** A review of what an identity dials by an attribute. */
async function review(identityId: string): Promise<string> {
  reviewCount += 1;
  const { started } = await requested.controller.read<{ started: { id: string } }>(
    `mutation ($name: String!, $identityFilter: String) {
      started: startAccessReview(name: $name, identityFilter: $identityFilter) { id } }`,
    { name: `review ${String(reviewCount)}`, identityFilter: `id = "${identityId}"` },
  );
  return started.id;
}

const REVIEWER = [
  ...['access-review', 'identity', 'service.read', 'service-policy.read', 'ops.read'],
];

const decide = (
  id: string,
  identityId: string,
  decision: Row,
  by = requested.ctx(ADMIN),
): Promise<GraphAnswer> =>
  requested.controller.graph(
    `mutation ($id: ID!, $decisions: [LineDecisionInput!]!) {
      decideAccessReview(id: $id, decisions: $decisions) { keepCount revokeCount } }`,
    { id, decisions: [{ identityId, serviceId: board(), type: 'Dial', ...decision }] },
    by,
  );

const board = (attribute = 'on-call'): string => requested.boards.boards.get(attribute) ?? '';

const faultOf = ({ errors }: GraphAnswer): unknown[] =>
  errors.map((error) => [
    error?.code,
    error?.detail?.kind === 'field' ? error.detail.field : undefined,
  ]);

interface Assignment {
  readonly state: string;
  readonly activeUntil: string | null;
  readonly approvedById: string | null;
}

async function assignmentOf(identityId: string): Promise<Assignment | undefined> {
  const { roleAssignments } = await requested.controller.read<{
    roleAssignments: { nodes: readonly Assignment[] };
  }>(
    `query ($filter: String!) { roleAssignments(filter: $filter) { nodes {
      state activeUntil approvedById } } }`,
    { filter: `identity = "${identityId}" and state = "ACTIVE"` },
  );
  return roleAssignments.nodes[0];
}

async function lineOf(id: string): Promise<Row | undefined> {
  const { accessReviewLines } = await requested.controller.read<{
    accessReviewLines: { nodes: Row[] };
  }>(
    `query ($id: ID!, $serviceId: ID) { accessReviewLines(id: $id, serviceId: $serviceId) { nodes {
      decision assignmentsUntil } } }`,
    { id, serviceId: board() },
  );
  return accessReviewLines.nodes[0];
}

const reaches = async (identityId: string): Promise<boolean> => {
  const { identity } = await requested.controller.read<{
    identity: { services: { nodes: { id: string }[] } };
  }>(`query ($id: ID!) { identity(id: $id) { services { nodes { id } } } }`, { id: identityId });
  return identity.services.nodes.some(({ id }) => id === board());
};

describe('a decision to keep access that rests on an assignment by hand', () => {
  let id: string;

  beforeEach(async () => {
    await requested.boards.onCall(ada, { activeUntil: inMinutes(60) });
    id = await review(ada);
  });

  test('renews it until a later end, and says so', async () => {
    const renewUntil = inMinutes(600);
    expect(faultOf(await decide(id, ada, { decision: 'KEEP', renewUntil }))).toEqual([]);
    expect(await assignmentOf(ada)).toMatchObject({ activeUntil: renewUntil });
    expect(await lineOf(id)).toEqual({ decision: 'KEEP', assignmentsUntil: renewUntil });
  });

  test('leaves it without a new end, and leaves what an earlier one did', async () => {
    const before = await assignmentOf(ada);
    await decide(id, ada, { decision: 'KEEP' });
    expect(await assignmentOf(ada)).toEqual(before);
    expect(await lineOf(id)).toEqual({ decision: 'KEEP', assignmentsUntil: null });
    const renewUntil = inMinutes(600);
    await decide(id, ada, { decision: 'KEEP', renewUntil });
    await decide(id, ada, { decision: 'KEEP', comment: 'asked her lead' });
    expect(await lineOf(id)).toEqual({ decision: 'KEEP', assignmentsUntil: renewUntil });
  });

  test('can be sent again, and shortens nothing', async () => {
    const renewUntil = inMinutes(600);
    await decide(id, ada, { decision: 'KEEP', renewUntil });
    expect(faultOf(await decide(id, ada, { decision: 'KEEP', renewUntil }))).toEqual([]);
    const earlier = { decision: 'KEEP', renewUntil: inMinutes(10) };
    expect(faultOf(await decide(id, ada, earlier))).toEqual([
      ['COULD_NOT_VALIDATE', 'decisions[0].renewUntil'],
    ]);
    expect(await assignmentOf(ada)).toMatchObject({ activeUntil: renewUntil });
  });

  test.each<[string, Row, string]>([
    ['in the past', { decision: 'KEEP', renewUntil: inMinutes(-1) }, 'renewUntil'],
    ['of revoked access', { decision: 'REVOKE', renewUntil: inMinutes(99) }, 'renewUntil'],
    ['without a decision', { decision: 'UNDECIDED', renewUntil: inMinutes(99) }, 'renewUntil'],
    ['of access to keep', { decision: 'KEEP', endsAssignments: true }, 'endsAssignments'],
  ])('refuses an end %s', async (_, decision, field) => {
    const before = await assignmentOf(ada);
    expect(faultOf(await decide(id, ada, decision))).toEqual([
      ['COULD_NOT_VALIDATE', `decisions[0].${field}`],
    ]);
    expect(await assignmentOf(ada)).toEqual(before);
    expect(await lineOf(id)).toMatchObject({ decision: 'UNDECIDED' });
  });

  test('needs the permission to write assignments, and no own ones are renewed', async () => {
    const decision = { decision: 'KEEP', renewUntil: inMinutes(600) };
    const reader = REVIEWER.map((name) => (name === 'identity' ? 'identity.read' : name));
    for (const by of [
      callerOf('reader', ...reader),
      callerOf(ada, ...REVIEWER),
      { ...ADMIN, identityId: ada },
    ]) {
      expect(faultOf(await decide(id, ada, decision, requested.ctx(by)))).toEqual([
        ['UNAUTHORIZED', undefined],
      ]);
    }
    expect(await lineOf(id)).toMatchObject({ decision: 'UNDECIDED', assignmentsUntil: null });
    const reviewer = requested.ctx(callerOf('reviewer', ...REVIEWER));
    expect(faultOf(await decide(id, ada, decision, reviewer))).toEqual([]);
  });
});

test('a decision to revoke access ends the assignment when it says so', async () => {
  await requested.boards.onCall(ada, { activeUntil: inMinutes(60) });
  const id = await review(ada);
  await decide(id, ada, { decision: 'REVOKE' });
  expect(await reaches(ada)).toBe(true);
  expect(faultOf(await decide(id, ada, { decision: 'REVOKE', endsAssignments: true }))).toEqual([]);
  expect(await reaches(ada)).toBe(false);
  expect(await assignmentOf(ada)).toBeUndefined();
  const line = await lineOf(id);
  expect(Date.parse(String(line?.assignmentsUntil))).toBeLessThan(Date.now() + MINUTE);
});

describe('access that an access request has got', () => {
  let id: string;
  let lead: string;
  let offer: string;
  let request: string;

  beforeEach(async () => {
    lead = await requested.person('lead');
    offer = await requested.offer({ maxMinutes: 240 });
    request = await requested.asked(ada, offer);
    await requested.decide('approve', lead, request);
    id = await review(ada);
  });

  test('is renewed for at most the longest duration of its offer, by its approvers', async () => {
    const renewUntil = inMinutes(200);
    const [by, stranger] = [lead, 'stranger'].map((name) =>
      requested.ctx(callerOf(name, ...REVIEWER)),
    );
    expect(faultOf(await decide(id, ada, { decision: 'KEEP', renewUntil }, stranger))).toEqual([
      ['UNAUTHORIZED', undefined],
    ]);
    const tooLong = { decision: 'KEEP', renewUntil: inMinutes(300) };
    expect(faultOf(await decide(id, ada, tooLong, by))).toEqual([
      ['COULD_NOT_VALIDATE', 'decisions[0].renewUntil'],
    ]);
    expect(faultOf(await decide(id, ada, { decision: 'KEEP', renewUntil }, by))).toEqual([]);
    expect(await assignmentOf(ada)).toMatchObject({ activeUntil: renewUntil, approvedById: lead });
    expect(await requested.request(request)).toMatchObject({
      state: 'GRANTED',
      grantedUntil: renewUntil,
    });
  });

  test.each<[string, () => Promise<unknown>]>([
    ['that is not made to it any more', () => requested.change(offer, { requesterRoles: ['#x'] })],
    ['of another attribute', () => requested.change(offer, { roleAttribute: 'other' })],
  ])('is not renewed by an offer %s', async (_, change) => {
    await change();
    const decision = { decision: 'KEEP', renewUntil: inMinutes(100) };
    expect(faultOf(await decide(id, ada, decision))).toEqual([
      ['ENTITY_CAN_NOT_BE_UPDATED', undefined],
    ]);
  });

  test('ends with a decision that says so', async () => {
    await decide(id, ada, { decision: 'REVOKE', endsAssignments: true, comment: 'not needed' });
    expect(await requested.request(request)).toMatchObject({
      state: 'REVOKED',
      comment: 'not needed',
    });
    expect(await reaches(ada)).toBe(false);
  });
});

test.each([
  { decision: 'KEEP', renewUntil: inMinutes(100) },
  { decision: 'REVOKE', endsAssignments: true },
])(
  'access that rests on no assignment, or on one of a directory, is refused for %j',
  async (decision) => {
    const written = await requested.boards.newIdentity({ roleAttributes: ['on-call'] });
    const scope = await openedDirectory(requested.controller);
    const user = await newUser(scope);
    await newGroup(scope, 'staff', [user]);
    await requested.controller.create('ServicePolicy', {
      ...{ name: `staff ${user}`, type: 'Dial', semantic: 'AnyOf', serviceRoles: [`@${board()}`] },
      identityRoles: [`#${scope.directory.roleAttributePrefix}staff`],
    });
    for (const identityId of [written, user]) {
      const id = await review(identityId);
      expect(faultOf(await decide(id, identityId, decision))).toEqual([
        [
          'COULD_NOT_VALIDATE',
          `decisions[0].${decision.decision === 'KEEP' ? 'renewUntil' : 'endsAssignments'}`,
        ],
      ]);
      expect(await lineOf(id)).toMatchObject({ decision: 'UNDECIDED' });
    }
  },
);
