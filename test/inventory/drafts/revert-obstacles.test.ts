import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { callerOf, InProcess } from '../../support/in-process.js';
import { NamedEntities } from '../../support/named-entities.js';
import {
  codeOf,
  fillForUndoing,
  idsOfApplied,
  lastSeq,
  loggedSince,
  newPerson,
  newService,
  obstaclesOf,
  remove,
  revert,
  tryToApply,
  undo,
  update,
} from './support.js';

/** The changes that a list can not undo exactly, and the reasons. */

let controller: InProcess;
const named = new NamedEntities(() => controller);
const { idOf } = named;

beforeAll(async () => {
  controller = await InProcess.start();
  await fillForUndoing(named);
});
afterAll(() => controller.stop());

const done = (...changes: Row[]): Promise<string[]> => idsOfApplied(controller, ...changes);

describe('what can not be undone exactly', () => {
  test('is what was changed since, with the attributes', async () => {
    const id = idOf('vault');
    const ids = await done(update('service', id, { tags: { a: 1 }, name: 'vault 2' }));
    await done(update('service', id, { tags: { by: 'another' } }));
    const reversal = await revert(controller, ids);
    expect(obstaclesOf(reversal)).toStrictEqual([['Service', 'CHANGED_SINCE', 'tags']]);
    expect(reversal.changes).toStrictEqual([update('service', id, { tags: {}, name: 'vault' })]);
    await undo(controller, reversal);
  });

  test('is what others changed in between', async () => {
    const id = idOf('vault');
    const first = await done(update('service', id, { tags: { a: 1 } }));
    await done(update('service', id, { tags: { by: 'another' } }));
    const last = await done(update('service', id, { tags: { a: 3 } }));
    const reversal = await revert(controller, [...first, ...last]);
    expect(obstaclesOf(reversal)).toStrictEqual([['Service', 'CHANGED_SINCE', 'tags']]);
    await undo(controller, reversal);
  });

  test('is a new entity that was changed since', async () => {
    const ids = await done(newService('young'));
    await done(update('service', 'young', { roleAttributes: ['used'] }));
    const reversal = await revert(controller, ids);
    expect(obstaclesOf(reversal)).toStrictEqual([['Service', 'CHANGED_SINCE', 'roleAttributes']]);
    await undo(controller, reversal);
  });

  test('is an entity that was deleted since, or whose id is used again', async () => {
    await done(newService('lost'));
    const ids = await done(update('service', 'lost', { tags: { a: 1 } }));
    const gone = await done(remove('service', 'lost'));
    expect(obstaclesOf(await revert(controller, ids))).toStrictEqual([
      ['Service', 'DELETED_SINCE'],
    ]);
    await done(newService('lost'));
    const used = await revert(controller, gone);
    expect([used.changes, obstaclesOf(used)]).toStrictEqual([[], [['Service', 'ID_IN_USE']]]);
    await done(remove('service', 'lost'));
  });

  test('is an entity whose name another one has', async () => {
    await done(newService('named'));
    const gone = await done(remove('service', 'named'));
    await done(newService('other', { name: 'named' }));
    const reversal = await revert(controller, gone);
    expect([reversal.changes, obstaclesOf(reversal)]).toStrictEqual([
      [],
      [['Service', 'VALUE_IN_USE', 'name']],
    ]);
    await done(remove('service', 'other'));
  });

  test('is a role that names an entity that is gone: the rest of the list comes back', async () => {
    const id = idOf('staff reads');
    await done(newPerson('cy'));
    await done(update('servicePolicy', id, { identityRoles: ['#staff', '@cy'] }));
    const ids = await done(update('servicePolicy', id, { identityRoles: ['#guest'] }));
    await done(remove('identity', 'cy'));
    const reversal = await revert(controller, ids);
    expect(obstaclesOf(reversal)).toStrictEqual([
      ['ServicePolicy', 'REFERENCE_GONE', 'identityRoles'],
    ]);
    expect(reversal.changes).toStrictEqual([
      update('servicePolicy', id, { identityRoles: ['#staff'] }),
    ]);
    await undo(controller, reversal);
  });

  test('is a key of costs that names a service that is gone', async () => {
    await done(newService('dear'), newPerson('dan', { serviceHostingCosts: { dear: 5 } }));
    const ids = await done(remove('identity', 'dan'));
    await done(remove('service', 'dear'));
    const reversal = await revert(controller, ids);
    expect(obstaclesOf(reversal)).toStrictEqual([
      ['Identity', 'REFERENCE_GONE', 'serviceHostingCosts'],
    ]);
    await undo(controller, reversal);
  });

  test('is a state that no write sets, and what lists of changes do not contain', async () => {
    const since = await lastSeq(controller);
    await controller.read(
      'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 5) { id } }',
      {
        id: idOf('ada'),
      },
    );
    const authenticator = await controller.create('Authenticator', {
      identityId: idOf('ada'),
      method: 'updb',
      username: 'ada-login',
      password: 'a good password',
    });
    const ids = (await loggedSince(controller, since)).map(({ id }) => id);
    const reversal = await revert(controller, ids);
    expect(reversal.changes).toStrictEqual([]);
    expect(obstaclesOf(reversal)).toEqual(
      expect.arrayContaining([
        ['Identity', 'NOT_WRITABLE', 'disabledAt', 'disabledUntil'],
        ['Authenticator', 'NO_SUCH_WRITE'],
      ]),
    );
    expect(JSON.stringify(reversal)).not.toContain('argon2');
    expect(authenticator).not.toBe('');
  });

  test('is a deletion without the changes that came with it, which it names', async () => {
    await done(
      newPerson('eli'),
      update('servicePolicy', idOf('staff reads'), { identityRoles: ['#staff', '@eli'] }),
    );
    const [policyChange, deletion] = await done(remove('identity', 'eli'));
    const reversal = await revert(controller, [String(deletion)]);
    const [eli] = reversal.entities;
    expect(eli?.obstacles).toMatchObject([{ kind: 'ALSO_CHANGED', changeIds: [policyChange] }]);
    const ctx = controller.ctx(callerOf(idOf('bob'), 'change', 'identity.read'));
    const [hidden] = (await revert(controller, [String(deletion)], ctx)).entities;
    expect(hidden?.obstacles).toMatchObject([{ kind: 'ALSO_CHANGED', changeIds: [] }]);
    const whole = await revert(controller, [String(deletion), String(policyChange)]);
    expect(obstaclesOf(whole)).toStrictEqual([]);
    await undo(controller, whole);
  });

  test('is refused when the state is another one by the time of the application', async () => {
    const id = idOf('wiki');
    const reversal = await revert(
      controller,
      await done(update('service', id, { tags: { x: 1 } })),
    );
    await done(update('service', id, { tags: { x: 2 } }));
    const refused = await tryToApply(controller, reversal.changes, {
      ifRevisions: reversal.ifRevisions,
    });
    expect(codeOf(refused)).toBe('REVISION_CONFLICT');
  });
});
