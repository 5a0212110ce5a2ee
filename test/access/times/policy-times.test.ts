import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { follow } from '../../support/following.js';
import { eventually } from '../../support/eventually.js';
import { callerOf, InProcess, InProcessRest } from '../../support/in-process.js';
import { inHours } from '../assignments/assigned.js';
import { dialling, request, sessionsOf, open, type Dialling } from '../enforcement/dialling.js';
import { SIMULATE, Timed } from './timed.js';

/** Service policies for a time at two controllers. The clock of the other one is wrong by an hour. */

const HOUR = 3_600_000;

let controller: InProcess;
let other: InProcess;
let ada: Dialling;
let timed: Timed;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  controller = await InProcess.start();
  timed = new Timed(controller, () => ada);
  other = await InProcess.start(controller, { now: () => new Date(Date.now() + HOUR) });
  for (const on of [controller, other]) {
    ends.push(
      await follow(on, (fault) => {
        throw fault;
      }),
    );
  }
});
afterAll(async () => {
  for (const end of ends) await end();
  await other.stop();
  await controller.stop();
});
beforeEach(async () => {
  ada = await dialling(controller);
});

describe('a policy that is out of its times', () => {
  test('grants nothing, and its members stay listed', async () => {
    expect(await timed.updated({ validFrom: inHours(1) })).toMatchObject({ isInForce: false });
    expect(await timed.reached()).toBe(false);
    await eventually(async () => {
      expect(await timed.reached(other)).toBe(false);
    });
    const { servicePolicy, identity } = await controller.read<Record<string, unknown>>(
      `query ($policy: ID!, $identity: ID!) {
        servicePolicy(id: $policy) { identityRoles identities { totalCount nodes { id } } services { totalCount nodes { id } } }
        identity(id: $identity) { servicePolicies { totalCount nodes { id isInForce } } } }`,
      { policy: ada.policy, identity: ada.identity },
    );
    expect(servicePolicy).toMatchObject({
      identities: { totalCount: 1, nodes: [{ id: ada.identity }] },
      services: { totalCount: 1, nodes: [{ id: ada.service }] },
    });
    expect(identity).toStrictEqual({
      servicePolicies: { totalCount: 1, nodes: [{ id: ada.policy, isInForce: false }] },
    });
  });

  test('opens no session, and is the nearest miss', async () => {
    await timed.updated({ validFrom: inHours(1) });
    expect((await request(controller, ada)).errors.map((e) => e?.code)).toStrictEqual([
      'NOT_FOUND',
    ]);
    const { access } = await controller.read<{ access: Row }>(
      `query ($identity: ID!, $service: ID!) {
        access(identityId: $identity, serviceId: $service, type: Dial) {
          allowed obstacles nearestMisses { nodes { policyId changes isInForce identitySide { remedies { kind } } } } } }`,
      { identity: ada.identity, service: ada.service },
    );
    const { obstacles, nearestMisses } = access as {
      obstacles: string[];
      nearestMisses: { nodes: Row[] };
    };
    expect(obstacles).toContain('NO_POLICY');
    expect(nearestMisses.nodes[0]).toStrictEqual({
      policyId: ada.policy,
      changes: 0,
      isInForce: false,
      identitySide: null,
    });
  });

  test('keeps its roles when an edit of others is simulated or applied', async () => {
    await timed.updated({ validFrom: inHours(1) });
    const { simulate } = await controller.read<{ simulate: Row }>(SIMULATE, {
      changes: [
        {
          operation: 'update',
          type: 'servicePolicy',
          id: ada.policy,
          input: { serviceRoles: ['#all'] },
        },
      ],
    });
    expect(simulate).toStrictEqual({ gained: { totalCount: 0 }, lost: { totalCount: 0 } });
  });

  test('shows in a simulation what its times take away', async () => {
    const { simulate } = await controller.read<{ simulate: Row }>(SIMULATE, {
      changes: [
        {
          operation: 'update',
          type: 'servicePolicy',
          id: ada.policy,
          input: { validUntil: inHours(-1) },
        },
      ],
    });
    expect(simulate).toStrictEqual({ gained: { totalCount: 0 }, lost: { totalCount: 1 } });
    expect(await timed.reached()).toBe(true);
  });
});

describe('the clock of the database decides', () => {
  test('when a controller whose clock is an hour ahead writes and moves', async () => {
    const validUntil = inHours(0.5);
    expect(await timed.updated({ validUntil }, ada.policy, other)).toStrictEqual({
      isInForce: true,
      nextChangeAt: validUntil,
    });
    expect(await timed.moveDue(other)).toStrictEqual({ count: 0, refusedIds: [] });
    expect(await timed.reached()).toBe(true);
  });

  test('for a policy that begins and ends, which the log tells', async () => {
    await timed.updated({ validFrom: inHours(1), validUntil: inHours(3) });
    const before = await lastChange();
    await timed.passHours(2);
    expect(await timed.moveDue()).toStrictEqual({ count: 1, refusedIds: [] });
    expect(await timed.reached()).toBe(true);
    expect(await lastChange()).toMatchObject({ reason: 'service policies have begun' });
    await timed.passHours(2);
    expect(await timed.moveDue(other)).toStrictEqual({ count: 1, refusedIds: [] });
    expect(await timed.moveDue()).toStrictEqual({ count: 0, refusedIds: [] });
    const { at, ...last } = await lastChange();
    expect(last).toMatchObject({ reason: 'service policies have ended', actorId: null });
    await eventually(async () => {
      expect(await timed.reached()).toBe(false);
    });
    expect(at >= before.at).toBe(true);
  });

  test('after a standstill over several changes', async () => {
    const [day = '', from = '', to = ''] = windowAround(new Date());
    await timed.updated({ timeZone: 'UTC', weeklyWindows: [{ days: [day], from, to }] });
    await controller.parts.store.query(
      sql`update service_policy set next_change_at = now() - interval '30 days' where id = ${ada.policy}::text`,
    );
    expect(await timed.moveDue()).toStrictEqual({ count: 1, refusedIds: [] });
    expect(await timed.inForce()).toMatchObject({ isInForce: true });
    expect(await timed.moveDue()).toStrictEqual({ count: 0, refusedIds: [] });
  });

  test('once, when both move at the same time, and not after the policy is deleted', async () => {
    await timed.updated({ validUntil: inHours(1) });
    await timed.passHours(2);
    const [a, b] = await Promise.all([timed.moveDue(), timed.moveDue(other)]);
    expect(a.count + b.count).toBe(1);
    await timed.updated({ validUntil: inHours(1) });
    await timed.passHours(2);
    const [moved] = await Promise.all([
      timed.moveDue(other),
      controller.read('mutation ($id: ID!) { deleteServicePolicy(id: $id) }', { id: ada.policy }),
    ]);
    expect(moved.refusedIds).toStrictEqual([]);
    expect(await timed.inForce()).toBeUndefined();
  });

  test('also when the policy is edited at that moment', async () => {
    await timed.updated({ validUntil: inHours(1) });
    await timed.passHours(2);
    await Promise.all([timed.updated({ validUntil: inHours(5) }), timed.moveDue(other)]);
    await timed.moveDue();
    expect(await timed.inForce()).toMatchObject({ isInForce: true });
    expect(await timed.reached()).toBe(true);
  });
});

/** A window of a day that contains a time, in UTC, with a distance to midnight. */
function windowAround(at: Date): string[] {
  const day = at.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' }).toUpperCase();
  return [day, '00:00', '00:00'];
}

const lastChange = async (): Promise<{ at: string; reason: string | null }> => {
  const [row] = await controller.parts.store.query(
    sql<{
      at: string;
      reason: string | null;
    }>`select at::text, reason, actor_id as "actorId" from change
      where entity_id = ${ada.policy}::text order by revision desc limit 1`,
  );
  if (!row) throw new Error('no change');
  return row;
};

describe('access rules', () => {
  const rule = (kind: string): Promise<string> =>
    controller.create('AccessRule', {
      ...{ name: `${kind} ${ada.policy}`, kind, type: 'Dial', semantic: 'AnyOf' },
      identityRoles: [`@${ada.identity}`],
      serviceRoles: [`@${ada.service}`],
    });
  const removeRule = (id: string): Promise<unknown> =>
    controller.read('mutation ($id: ID!) { deleteAccessRule(id: $id) }', { id });

  test('keep a policy from beginning, and no other one', async () => {
    const bob = await dialling(controller);
    for (const { policy } of [ada, bob]) await timed.updated({ validFrom: inHours(1) }, policy);
    const id = await rule('MUST_NEVER_REACH');
    for (const { policy } of [ada, bob]) await timed.passHours(2, policy);
    expect(await timed.moveDue()).toStrictEqual({ count: 1, refusedIds: [ada.policy] });
    expect(await timed.inForce(bob.policy)).toMatchObject({ isInForce: true });
    expect(await timed.reached()).toBe(false);
    // Another edit is not refused for the beginning that waits.
    await timed.updated({ tags: { owner: 'ada' } });
    await removeRule(id);
    expect(await timed.moveDue()).toStrictEqual({ count: 1, refusedIds: [] });
    expect(await timed.reached()).toBe(true);
  });

  test('delay no end', async () => {
    await timed.updated({ validUntil: inHours(1) });
    const id = await rule('MUST_REACH');
    await timed.passHours(2);
    expect(await timed.moveDue()).toStrictEqual({ count: 1, refusedIds: [] });
    expect(await timed.reached()).toBe(false);
    await removeRule(id);
  });
});

describe('a session', () => {
  test('ends with its policy, at both controllers', async () => {
    await timed.updated({ validUntil: inHours(1) });
    await open(controller, ada);
    await timed.passHours(2);
    await timed.moveDue(other);
    for (const on of [controller, other]) {
      await eventually(async () => {
        expect(await sessionsOf(on, ada)).toStrictEqual([]);
      });
    }
  });

  test('goes on when another policy begins as its own ends', async () => {
    await timed.updated({ validUntil: inHours(1) });
    const next = await controller.create('ServicePolicy', {
      ...{ name: `night ${ada.policy}`, type: 'Dial', semantic: 'AnyOf' },
      identityRoles: [`@${ada.identity}`],
      serviceRoles: [`@${ada.service}`],
      validFrom: inHours(1),
    });
    const session = await open(controller, ada);
    for (const policy of [ada.policy, next]) await timed.passHours(2, policy);
    expect(await timed.moveDue()).toStrictEqual({ count: 2, refusedIds: [] });
    expect(await timed.reached()).toBe(true);
    expect(await sessionsOf(controller, ada)).toStrictEqual([session.id]);
  });
});

test('posture checks of a policy count while it is in force', async () => {
  const check = await controller.create('PostureCheck', {
    ...{ name: `office ${ada.policy}`, typeId: 'DOMAIN', domains: ['example.com'] },
  });
  const bob = await dialling(controller, { checks: [check] });
  const free = await controller.create('ServicePolicy', {
    ...{ name: `free ${bob.policy}`, type: 'Dial', semantic: 'AllOf', validFrom: inHours(1) },
    identityRoles: [`@${bob.identity}`],
    serviceRoles: [`@${bob.service}`],
  });
  const code = async (): Promise<unknown> => (await request(controller, bob)).errors[0]?.code;
  expect(await code()).toBe('INVALID_POSTURE');
  await timed.passHours(2, free);
  await timed.moveDue();
  await open(controller, bob);
  await timed.updated({ validUntil: inHours(-1) }, free);
  await eventually(async () => {
    expect(await sessionsOf(controller, bob)).toStrictEqual([]);
  });
  expect(await code()).toBe('INVALID_POSTURE');
});

describe('the past and the future', () => {
  test('have the policy as it is in force then', async () => {
    const place = await placeOf(1);
    await timed.updated({ validFrom: inHours(1), validUntil: inHours(3) });
    expect(await timed.reached(controller, place)).toBe(true);
    expect(await timed.reached(controller, inHours(2))).toBe(true);
    expect(await timed.reached(controller, inHours(0.5))).toBe(false);
    expect(await timed.reached(controller, inHours(4))).toBe(false);
    const later = await placeOf(2);
    await timed.updated({ validFrom: null, validUntil: null });
    expect(await timed.reached()).toBe(true);
    expect(await timed.reached(controller, later)).toBe(false);
  });
});

/** The place of the last change of the policy, once the log shows it. */
const placeOf = async (revision: number): Promise<string> => {
  const { value } = await eventually(async () => {
    const { changes } = await controller.read<{ changes: { nodes: Row[] } }>(
      'query ($id: String!) { changes(where: { entityId: { eq: $id } }, last: 1) { nodes { id revision } } }',
      { id: ada.policy },
    );
    expect(changes.nodes).toMatchObject([{ revision }]);
    return String(changes.nodes[0]?.id);
  });
  return value;
};

describe('times are refused', () => {
  const window = { days: ['MONDAY'], from: '08:00', to: '18:00' };
  const timeZone = 'Europe/Zurich';
  test.each<readonly [string, Row, string]>([
    ['without a zone', { weeklyWindows: [window] }, 'timeZone'],
    ['with a zone alone', { timeZone }, 'timeZone'],
    [
      'in a zone that there is not',
      { weeklyWindows: [window], timeZone: 'Mars/Olympus' },
      'timeZone',
    ],
    ['in a fixed offset', { weeklyWindows: [window], timeZone: '+01:00' }, 'timeZone'],
    [
      'at an hour that there is not',
      { weeklyWindows: [{ ...window, from: '24:00' }], timeZone },
      'weeklyWindows[0].from',
    ],
    [
      'at a time with seconds',
      { weeklyWindows: [window, { ...window, to: '18:00:30' }], timeZone },
      'weeklyWindows[1].to',
    ],
    [
      'without a day',
      { weeklyWindows: [{ ...window, days: [] }], timeZone },
      'weeklyWindows[0].days',
    ],
    [
      'in too many windows',
      { weeklyWindows: Array.from({ length: 21 }, () => window), timeZone },
      'weeklyWindows',
    ],
    ['that end when they begin', { validFrom: inHours(1), validUntil: inHours(1) }, 'validUntil'],
  ])('%s', async (_, input, field) => {
    const at = { ...input };
    if (at.validFrom) at.validUntil = at.validFrom;
    expect((await timed.update(at)).errors).toMatchObject([
      { code: 'COULD_NOT_VALIDATE', detail: { field } },
    ]);
  });

  test('but not when they are over', async () => {
    expect(await timed.updated({ validUntil: inHours(-1) })).toStrictEqual({
      isInForce: false,
      nextChangeAt: null,
    });
  });

  test('and the zone goes with the last window', async () => {
    await timed.updated({ weeklyWindows: [window], timeZone });
    expect(await timed.updated({ weeklyWindows: [] })).toStrictEqual({
      isInForce: true,
      nextChangeAt: null,
    });
  });
});

test('REST has no times, and a client that writes a policy back leaves them', async () => {
  await timed.updated({ validFrom: inHours(1) });
  const rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
  ends.unshift(() => rest.stop());
  const { body } = await rest.get(`/service-policies/${ada.policy}`);
  const shown: Row = body.data;
  for (const name of [
    'validFrom',
    'validUntil',
    'weeklyWindows',
    'timeZone',
    'isInForce',
    'nextChangeAt',
  ]) {
    expect(shown).not.toHaveProperty(name);
  }
  const { name, type, semantic, identityRoles, serviceRoles, postureCheckRoles } = shown;
  const replaced = await rest.send('PUT', `/service-policies/${ada.policy}`, {
    ...{ name, type, semantic, identityRoles, serviceRoles, postureCheckRoles },
    isInForce: true,
    validFrom: null,
  });
  expect(replaced.status).toBe(200);
  expect(await timed.inForce()).toMatchObject({ isInForce: false });
  expect(await timed.reached()).toBe(false);
});

test('a caller without the permission to update policies gives none a time', async () => {
  const ctx = controller.ctx(callerOf(ada.identity, 'service-policy.read'));
  const { errors } = await controller.graph(
    'mutation ($id: ID!) { updateServicePolicy(id: $id, input: { validFrom: null }) { id } }',
    { id: ada.policy },
    ctx,
  );
  expect(errors).toMatchObject([{ code: 'UNAUTHORIZED' }]);
});

let owners = 0;

test('times that stay as they are take no statement', async () => {
  const statements = async (): Promise<number> =>
    (await timed.update({ tags: { owner: String((owners += 1)) } })).statements;
  // Some of these also read what other writes have left to read.
  const ofPlain = Math.min(await statements(), await statements(), await statements());
  await timed.updated({ validUntil: inHours(9) });
  await eventually(async () => {
    expect(await statements()).toBeLessThanOrEqual(ofPlain);
  });
});
