import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { ADMIN, callerOf } from '../../support/in-process.js';
import { codes, shown } from '../assignments/assigned.js';
import { Requested, requestIn } from './requested.js';

/** Requests, decisions and offers that are refused. */

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

const REFUSED = ['ENTITY_CAN_NOT_BE_UPDATED'];

const effective = async (id: string): Promise<readonly string[]> =>
  (await shown(requested.controller, id)).effectiveRoleAttributes;

describe('nobody gets more than an offer gives', () => {
  test('a requester does not approve an own request, not even as an administrator', async () => {
    const id = await requested.asked(lead, await requested.offer());
    for (const by of [lead, { ...ADMIN, identityId: lead }]) {
      for (const verb of ['approve', 'deny'] as const) {
        expect(codes(await requested.decide(verb, by, id))).toStrictEqual(['UNAUTHORIZED']);
      }
    }
    expect(await requested.request(id)).toMatchObject({ state: 'OPEN' });
  });

  test('only approvers decide: permissions do not make one', async () => {
    const id = await requested.asked(ada, await requested.offer());
    const other = await requested.person();
    const callers = [
      callerOf(other),
      callerOf(other, 'admin_readonly'),
      callerOf(other, 'identity', 'service-policy', 'ops'),
    ];
    for (const by of callers) {
      for (const verb of ['approve', 'deny', 'revoke', 'cancel'] as const) {
        expect(codes(await requested.decide(verb, by, id))).toStrictEqual(['NOT_FOUND']);
      }
    }
  });

  test('an approver that has just lost the attribute decides nothing', async () => {
    const id = await requested.asked(ada, await requested.offer());
    await requested.controller.graph(
      'mutation ($id: ID!) { updateIdentity(id: $id, input: { roleAttributes: [] }) { id } }',
      { id: lead },
    );
    expect(codes(await requested.decide('approve', lead, id))).toStrictEqual(['NOT_FOUND']);
  });

  test('an approver by a role assignment decides while it lasts', async () => {
    const id = await requested.asked(ada, await requested.offer({ approverRoles: ['#on-call'] }));
    const deputy = await requested.person();
    expect(codes(await requested.decide('approve', deputy, id))).toStrictEqual(['NOT_FOUND']);
    await requested.boards.onCall(deputy);
    expect(requestIn(await requested.decide('approve', deputy, id)).state).toBe('GRANTED');
  });

  test('an offer whose last approver is deleted is not granted at once', async () => {
    const offerId = await requested.offer({ approverRoles: [`@${lead}`] });
    await requested.controller.graph('mutation ($id: ID!) { deleteIdentity(id: $id) }', {
      id: lead,
    });
    const id = await requested.asked(ada, offerId);
    expect(await requested.request(id)).toMatchObject({ state: 'OPEN' });
    const admin = { ...ADMIN, identityId: await requested.controller.defaultAdminId() };
    expect(requestIn(await requested.decide('approve', admin, id)).state).toBe('GRANTED');
  });

  test('a grant gives no rights', async () => {
    const offerId = await requested.offer({ roleAttribute: 'admin', approval: 'NONE' });
    await requested.asked(ada, offerId);
    const { identity } = await requested.controller.read<{ identity: Row }>(
      'query ($id: ID!) { identity(id: $id) { isAdmin permissions effectiveRoleAttributes } }',
      { id: ada },
    );
    expect(identity).toStrictEqual({
      isAdmin: false,
      permissions: [],
      effectiveRoleAttributes: ['admin', 'desk'],
    });
  });

  test('nobody writes the role assignment of a grant by hand', async () => {
    const id = await requested.asked(ada, await requested.offer({ approval: 'NONE' }));
    const { roleAssignments } = await requested.controller.read<{
      roleAssignments: { nodes: readonly { id: string }[] };
    }>('query ($filter: String!) { roleAssignments(filter: $filter) { nodes { id } } }', {
      filter: `source = "access-request:${id}"`,
    });
    const answer = await requested.boards.update(roleAssignments.nodes[0]?.id ?? '', {
      activeUntil: null,
    });
    expect(codes(answer)).toStrictEqual(REFUSED);
  });
});

describe('asking', () => {
  test('an offer is absent for those to whom it is not made', async () => {
    const offerId = await requested.offer({ requesterRoles: ['#night'] });
    expect(codes(await requested.ask(ada, offerId))).toStrictEqual(['NOT_FOUND']);
    expect(codes(await requested.ask(ada, 'no-offer'))).toStrictEqual(['NOT_FOUND']);
    const nobody = await requested.offer({ requesterRoles: [] });
    expect(codes(await requested.ask(ada, nobody))).toStrictEqual(['NOT_FOUND']);
  });

  test('the offer bounds the duration, and a reason is required', async () => {
    const offerId = await requested.offer({ maxMinutes: 45 });
    const inputs: readonly Row[] = [
      { minutes: 46 },
      { minutes: 0 },
      { minutes: -1 },
      { reason: ' \n' },
      { reason: 'x'.repeat(501) },
      { reason: 'a\u0000b' },
    ];
    for (const input of inputs) {
      const answer = await requested.ask(ada, offerId, input);
      expect(answer.errors).toMatchObject([
        { code: 'COULD_NOT_VALIDATE', detail: { field: Object.keys(input)[0] } },
      ]);
    }
  });

  test('the offer bounds open requests and grants together', async () => {
    const offerId = await requested.offer({ maxActive: 2 });
    const first = await requested.asked(ada, offerId);
    await requested.decide('approve', lead, first);
    const second = await requested.asked(ada, offerId);
    expect(codes(await requested.ask(ada, offerId))).toStrictEqual(REFUSED);
    await requested.decide('cancel', ada, second);
    await requested.decide('revoke', lead, first);
    for (const expected of [[], [], REFUSED]) {
      expect(codes(await requested.ask(ada, offerId))).toStrictEqual(expected);
    }
  });

  test('an offer that requires a second factor is for sessions that have it', async () => {
    for (const secondFactor of ['TOTP', 'EXT_JWT']) {
      const offerId = await requested.offer({ secondFactor, approval: 'NONE' });
      const { id } = await requested.controller.openSession(ada);
      const by = { ...callerOf(ada), apiSessionId: id };
      expect(codes(await requested.ask(by, offerId))).toStrictEqual(REFUSED);
    }
    expect(await effective(ada)).toStrictEqual(['desk']);
  });

  test('an access rule refuses a grant, and a requester is told no names', async () => {
    const offerId = await requested.offer({ approval: 'NONE' });
    const rule = await requested.controller.create('AccessRule', {
      name: `never ${ada}`,
      kind: 'MUST_NEVER_REACH',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${ada}`],
      serviceRoles: [`@${requested.boards.boards.get('on-call') ?? ''}`],
    });
    const answer = await requested.ask(ada, offerId);
    expect(answer.errors).toMatchObject([{ code: 'ACCESS_RULE_VIOLATED', detail: undefined }]);
    const id = await requested.asked(ada, await requested.offer());
    expect(codes(await requested.decide('approve', lead, id))).toStrictEqual([
      'ACCESS_RULE_VIOLATED',
    ]);
    expect(await requested.request(id)).toMatchObject({ state: 'OPEN' });
    expect(await effective(ada)).toStrictEqual(['desk']);
    await requested.controller.graph('mutation ($id: ID!) { deleteAccessRule(id: $id) }', {
      id: rule,
    });
  });
});

describe('an approval judges anew', () => {
  test('whether the offer still is the same', async () => {
    const offerId = await requested.offer();
    const changes: readonly Row[] = [
      { roleAttribute: 'night' },
      { requesterRoles: ['#night'] },
      { secondFactor: 'TOTP' },
    ];
    const before = { roleAttribute: 'on-call', requesterRoles: ['#desk'], secondFactor: 'NONE' };
    for (const input of changes) {
      const id = await requested.asked(ada, offerId);
      await requested.change(offerId, input);
      expect(codes(await requested.decide('approve', lead, id))).toStrictEqual(REFUSED);
      await requested.decide('deny', lead, id);
      await requested.change(offerId, before);
    }
    expect(await effective(ada)).toStrictEqual(['desk']);
  });

  test('how long the offer allows, and never more than was asked', async () => {
    const offerId = await requested.offer();
    const id = await requested.asked(ada, offerId, { minutes: 40 });
    expect(codes(await requested.decide('approve', lead, id, { minutes: 41 }))).toStrictEqual([
      'COULD_NOT_VALIDATE',
    ]);
    await requested.change(offerId, { maxMinutes: 20 });
    for (const minutes of [0, 21, 40]) {
      expect(codes(await requested.decide('approve', lead, id, { minutes }))).toStrictEqual([
        'COULD_NOT_VALIDATE',
      ]);
    }
    expect(requestIn(await requested.decide('approve', lead, id)).grantedMinutes).toBe(20);
  });

  test('whether the offer exists: its deletion takes open requests back, and grants stay', async () => {
    const offerId = await requested.offer({ maxActive: 2 });
    const [granted, open] = [
      await requested.asked(ada, offerId),
      await requested.asked(ada, offerId),
    ];
    await requested.decide('approve', lead, granted);
    await requested.controller.graph('mutation ($id: ID!) { deleteAccessOffer(id: $id) }', {
      id: offerId,
    });
    expect(await requested.request(open)).toMatchObject({ state: 'CANCELLED' });
    expect(await requested.request(granted)).toMatchObject({ state: 'GRANTED' });
    expect(codes(await requested.decide('revoke', lead, granted))).toStrictEqual(['NOT_FOUND']);
    expect(requestIn(await requested.decide('revoke', ADMIN, granted)).state).toBe('REVOKED');
  });

  test('whether the requester exists: its deletion takes open requests back', async () => {
    const offerId = await requested.offer();
    const person = await requested.person();
    const id = await requested.asked(person, offerId);
    await requested.controller.read('mutation ($id: ID!) { deleteIdentity(id: $id) }', {
      id: person,
    });
    expect(await requested.request(id)).toMatchObject({ state: 'CANCELLED' });
    for (const verb of ['approve', 'deny'] as const) {
      expect(codes(await requested.decide(verb, lead, id))).toStrictEqual(REFUSED);
    }
  });

  test('whether the requester is enabled, and still may ask', async () => {
    const offerId = await requested.offer();
    const documents = [
      'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 0) { id } }',
      'mutation ($id: ID!) { updateIdentity(id: $id, input: { roleAttributes: [] }) { id } }',
    ];
    for (const document of documents) {
      const person = await requested.person();
      const id = await requested.asked(person, offerId);
      await requested.controller.read(document, { id: person });
      expect(codes(await requested.decide('approve', lead, id))).toStrictEqual(REFUSED);
      expect(requestIn(await requested.decide('deny', lead, id)).state).toBe('DENIED');
    }
  });
});
