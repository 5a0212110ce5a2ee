import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { InProcess } from '../../support/in-process.js';
import {
  apply,
  create,
  idsOfApplied,
  newPerson,
  obstaclesOf,
  remove,
  revert,
  tryToSimulate,
  undo,
  update,
  succeeded,
  lastSeq,
  loggedSince,
} from './support.js';

/** Lists of changes, and their undoing, with identities that wait for an approval and with times. */

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

const done = (...changes: Row[]): Promise<string[]> => idsOfApplied(controller, ...changes);

const MEMBERS = {
  identity: 'isPending validFrom validUntil isOutsideTimes',
  servicePolicy: 'validFrom validUntil timeZone isInForce weeklyWindows { days from to }',
};

const read = async (type: keyof typeof MEMBERS, id: string): Promise<Row | null> => {
  const { data } = await controller.graph(
    `query ($id: ID!) { entity: ${type}(id: $id) { ${MEMBERS[type]} } }`,
    { id },
  );
  return (data?.entity ?? null) as Row | null;
};

const LATER = '2999-01-01T00:00:00.000Z';
const EARLIER = '2001-01-01T00:00:00.000Z';
const WINDOWS = {
  timeZone: 'Europe/Berlin',
  weeklyWindows: [{ days: ['MONDAY', 'FRIDAY'], from: '08:00', to: '17:30' }],
};

async function approvalOf(id: string): Promise<string[]> {
  const before = await lastSeq(controller);
  await controller.read('mutation ($id: ID!) { approveIdentity(id: $id) { id } }', { id });
  return (await loggedSince(controller, before)).map(({ id }) => id);
}

describe('an identity that waits for an approval', () => {
  test('is made by a list, and its creation is undone', async () => {
    const ids = await done(newPerson('waiting', { isPending: true }));
    expect(await read('identity', 'waiting')).toMatchObject({ isPending: true });
    await undo(controller, await revert(controller, ids));
    expect(await read('identity', 'waiting')).toBeNull();
  });

  test('waits again when its deletion is undone', async () => {
    await done(newPerson('deleted', { isPending: true }));
    const ids = await done(remove('identity', 'deleted'));
    const reversal = await revert(controller, ids);
    expect(reversal.changes[0]?.input).toMatchObject({ isPending: true });
    await undo(controller, reversal);
    expect(await read('identity', 'deleted')).toMatchObject({ isPending: true });
  });

  test('is not approved by a list that changes it', async () => {
    await done(newPerson('patient', { isPending: true }));
    await done(update('identity', 'patient', { isPending: false, tags: { seen: true } }));
    expect(await read('identity', 'patient')).toMatchObject({ isPending: true });
  });

  test('stays approved: the undoing of an approval says that it can not', async () => {
    await done(newPerson('approved', { isPending: true }));
    const reversal = await revert(controller, await approvalOf('approved'));
    expect(reversal.changes).toStrictEqual([]);
    expect(obstaclesOf(reversal)).toStrictEqual([['Identity', 'NOT_WRITABLE', 'isPending']]);
    expect(await read('identity', 'approved')).toMatchObject({ isPending: false });
  });

  test('says at the undoing of its creation that it was approved since', async () => {
    const ids = await done(newPerson('approved-since', { isPending: true }));
    await approvalOf('approved-since');
    const reversal = await revert(controller, ids);
    expect(obstaclesOf(reversal)).toStrictEqual([['Identity', 'CHANGED_SINCE', 'isPending']]);
  });
});

describe('times of identities', () => {
  test('are changed by a list, and come back', async () => {
    await done(newPerson('timed', { validUntil: LATER }));
    expect(await read('identity', 'timed')).toMatchObject({ validUntil: LATER });
    const ids = await done(update('identity', 'timed', { validFrom: EARLIER, validUntil: null }));
    expect(await read('identity', 'timed')).toMatchObject({ validFrom: EARLIER, validUntil: null });
    await undo(controller, await revert(controller, ids));
    expect(await read('identity', 'timed')).toMatchObject({ validFrom: null, validUntil: LATER });
  });

  test('come back with a deleted identity, which is outside of them where they are over', async () => {
    const times = { validFrom: EARLIER, validUntil: '2002-01-01T00:00:00.000Z' };
    await done(newPerson('over', times));
    await undo(controller, await revert(controller, await done(remove('identity', 'over'))));
    expect(await read('identity', 'over')).toMatchObject({ ...times, isOutsideTimes: true });
  });
});

describe('times of policies', () => {
  const policy = (id: string, input: Row = {}): Row =>
    create('servicePolicy', id, {
      ...{ name: id, type: 'Dial', semantic: 'AnyOf' },
      // Each joins entities of its own: whether another one is in force depends on the day of the week.
      ...{ identityRoles: [`#${id}`], serviceRoles: [`#${id}`], ...input },
    });

  test('with windows are written by a list, and come back', async () => {
    const ids = await done(policy('shift', WINDOWS));
    expect(await read('servicePolicy', 'shift')).toMatchObject(WINDOWS);
    const changed = await done(
      update('servicePolicy', 'shift', { weeklyWindows: [], timeZone: null, validFrom: EARLIER }),
    );
    expect(await read('servicePolicy', 'shift')).toMatchObject({
      weeklyWindows: [],
      timeZone: null,
    });
    await undo(controller, await revert(controller, changed));
    expect(await read('servicePolicy', 'shift')).toMatchObject({ ...WINDOWS, validFrom: null });
    const removed = await done(remove('servicePolicy', 'shift'));
    await undo(controller, await revert(controller, removed));
    expect(await read('servicePolicy', 'shift')).toMatchObject(WINDOWS);
    await undo(controller, await revert(controller, await done(remove('servicePolicy', 'shift'))));
    expect(ids).toHaveLength(1);
  });

  test('count in simulations of lists', async () => {
    const roleAttributes = ['later'];
    await apply(controller, [newPerson('dialler', { roleAttributes })]);
    const service = { name: 'clock', encryptionRequired: true, roleAttributes };
    await done(create('service', 'clock', service));
    const lost = async (input: Row): Promise<number> =>
      succeeded(await tryToSimulate(controller, [policy('later', input)])).gained.totalCount;
    expect(await lost({ validFrom: LATER })).toBe(0);
    expect(await lost({ validUntil: LATER })).toBeGreaterThan(0);
  });
});
