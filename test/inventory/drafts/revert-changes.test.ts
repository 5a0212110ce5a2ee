import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { pruneUpTo } from '../../data/changes/support.js';
import { callerOf, InProcess, InProcessRest } from '../../support/in-process.js';
import { NamedEntities } from '../../support/named-entities.js';
import { settledChange } from '../../support/settled-change.js';
import {
  apply,
  codeOf,
  create,
  fillForUndoing,
  idsOf,
  idsOfApplied,
  newService,
  obstaclesOf,
  remove,
  revert,
  succeeded,
  tryToRevert,
  undo,
  update,
  type Reversal,
} from './support.js';

/** The list of changes that undoes others, and what it says that it can not undo. */

let controller: InProcess;
const named = new NamedEntities(() => controller);
const { idOf } = named;

beforeAll(async () => {
  controller = await InProcess.start();
  await fillForUndoing(named);
});
afterAll(() => controller.stop());

const done = (...changes: Row[]): Promise<string[]> => idsOfApplied(controller, ...changes);

const rowOf = async (table: string, id: string): Promise<Row | undefined> => {
  const rows = await controller.parts.database.pool.query<{ row: Row }>(
    `select to_jsonb(t) - '{revision,updated_at,created_at,version}'::text[] as row from "${table}" t where id = $1`,
    [id],
  );
  return rows.rows[0]?.row;
};

describe('revertChanges', () => {
  test('sets exactly the attributes back that a change altered', async () => {
    const id = idOf('wiki');
    const before = await rowOf('service', id);
    const ids = await done(update('service', id, { tags: { a: 1 }, maxIdleTimeMillis: 5 }));
    const reversal = await revert(controller, ids);
    const { revision } = succeeded({
      done: (
        await controller.read<{ service: { revision: number } }>(
          'query ($id: ID!) { service(id: $id) { revision } }',
          { id },
        )
      ).service,
    });
    expect(reversal).toStrictEqual({
      changes: [update('service', id, { tags: {}, maxIdleTimeMillis: 0 })],
      ifRevisions: [{ type: 'service', id, revision }],
      entities: [{ type: 'Service', entityId: id, name: 'wiki', changeIds: ids, obstacles: [] }],
    });
    await undo(controller, reversal);
    expect(await rowOf('service', id)).toStrictEqual(before);
  });

  test('deletes what was created, and creates with its id what was deleted', async () => {
    const made = await done(
      newService('tmp', {
        roleAttributes: ['x'],
        tags: { k: 'quote\' " ✓' },
        maxIdleTimeMillis: 7,
      }),
    );
    const before = await rowOf('service', 'tmp');
    const undone = await revert(controller, made);
    expect(undone.changes).toStrictEqual([{ ...remove('service', 'tmp'), input: null }]);
    const gone = await undo(controller, undone);
    const again = await revert(controller, gone);
    expect(again.changes).toMatchObject([{ operation: 'create', type: 'service', id: 'tmp' }]);
    expect(again.ifRevisions).toStrictEqual([]);
    await undo(controller, again);
    expect(await rowOf('service', 'tmp')).toStrictEqual(before);
    await done(remove('service', 'tmp'));
  });

  test('combines the changes of an entity, whatever the order of the ids', async () => {
    const id = idOf('wiki');
    const before = await rowOf('service', id);
    const ids = [
      ...(await done(update('service', id, { tags: { a: 1 } }))),
      ...(await done(update('service', id, { tags: { a: 2 }, name: 'wiki 2' }))),
    ];
    const reversal = await revert(controller, [...ids].reverse().concat(ids));
    expect(reversal.changes).toStrictEqual([update('service', id, { tags: {}, name: 'wiki' })]);
    await undo(controller, reversal);
    expect(await rowOf('service', id)).toStrictEqual(before);
  });

  test('has nothing to do for what came and went, and for what is undone already', async () => {
    const ids = await done(newService('brief'), remove('service', 'brief'));
    expect(await revert(controller, ids)).toMatchObject({
      changes: [],
      entities: [{ obstacles: [] }],
    });
    const [made] = ids;
    expect(await revert(controller, [String(made)])).toMatchObject({
      changes: [],
      entities: [{ obstacles: [] }],
    });
    expect(await revert(controller, [])).toStrictEqual({
      changes: [],
      ifRevisions: [],
      entities: [],
    });
  });

  test('brings back an identity with the policies that named it, and inputs that are valid', async () => {
    const id = idOf('bob');
    const list = [
      update('identity', id, {
        externalId: 'bob@example.com',
        defaultHostingPrecedence: 'required',
        serviceHostingCosts: { [idOf('vault')]: 3 },
        appData: { nested: { deep: [1, null] } },
      }),
    ];
    await apply(controller, list);
    const before = [
      await rowOf('identity', id),
      await rowOf('service_policy', idOf('staff reads')),
    ];
    const ids = await done(remove('identity', id));
    expect(ids).toHaveLength(2);
    const reversal = await revert(controller, ids);
    expect(reversal.changes.map(({ operation, type }) => [operation, type])).toStrictEqual([
      ['create', 'identity'],
      ['update', 'servicePolicy'],
    ]);
    expect(obstaclesOf(reversal)).toStrictEqual([]);
    await undo(controller, reversal);
    expect([
      await rowOf('identity', id),
      await rowOf('service_policy', idOf('staff reads')),
    ]).toStrictEqual(before);
  });

  test('brings back every type of posture check', async () => {
    const types: Row[] = [
      { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=5.0.0'] }] },
      { typeId: 'MFA', timeoutSeconds: 60, promptOnWake: true },
      { typeId: 'MAC', macAddresses: ['00:11:22:33:44:55'] },
      { typeId: 'DOMAIN', domains: ['example.com'] },
      { typeId: 'PROCESS', process: { osType: 'Linux', path: '/bin/a', hashes: ['aa'] } },
      {
        typeId: 'PROCESS_MULTI',
        semantic: 'AnyOf',
        processes: [{ osType: 'Linux', path: '/bin/a', hashes: [], signerFingerprints: ['ff'] }],
      },
    ];
    const changed: Row[] = [
      { operatingSystems: [{ type: 'macOS', versions: [] }] },
      { timeoutSeconds: 90, promptOnWake: false },
      { macAddresses: ['aa:bb:cc:dd:ee:ff'] },
      { domains: ['example.org'] },
      { process: { osType: 'macOS', path: '/bin/b', hashes: [] } },
      { semantic: 'AllOf' },
    ].map((input, i) => ({ ...input, typeId: types[i]?.typeId }));
    const idAt = (i: number): string => `check-${String(i)}`;
    await done(
      ...types.map((type, i) => create('postureCheck', idAt(i), { name: idAt(i), ...type })),
    );
    const rows = (): Promise<unknown[]> =>
      Promise.all(types.map((_, i) => rowOf('posture_check', idAt(i))));
    const before = await rows();
    await undo(
      controller,
      await revert(
        controller,
        await done(...changed.map((input, i) => update('postureCheck', idAt(i), input))),
      ),
    );
    expect(await rows()).toStrictEqual(before);
    const deletion = await revert(
      controller,
      await done(...types.map((_, i) => remove('postureCheck', idAt(i)))),
    );
    expect(obstaclesOf(deletion)).toStrictEqual([]);
    await undo(controller, deletion);
    expect(await rows()).toStrictEqual(before);
  });

  test('orders names that entities have exchanged, and deletions before their names are used', async () => {
    await done(newService('one'), newService('two'), newService('three'));
    const rows = (): Promise<unknown[]> =>
      Promise.all(['one', 'two', 'three', 'four'].map((id) => rowOf('service', id)));
    const before = await rows();
    const ids = await done(
      update('service', 'one', { name: 'free' }),
      update('service', 'two', { name: 'one' }),
      update('service', 'one', { name: 'two' }),
      remove('service', 'three'),
      newService('four', { name: 'three' }),
    );
    const reversal = await revert(controller, ids);
    expect(reversal.changes).toHaveLength(5);
    await undo(controller, reversal);
    expect(await rows()).toStrictEqual(before);
  });

  test('undoes a router with its identity, its policy and its enrollment', async () => {
    const rows = async (): Promise<unknown[]> => [
      await rowOf('router', 'gate'),
      await rowOf('identity', 'gate'),
      await rowOf('edge_router_policy', 'gate'),
    ];
    const made = await done(
      create('edgeRouter', 'gate', { name: 'gate', isTunnelerEnabled: true, tags: { a: 1 } }),
      update('identity', 'gate', { roleAttributes: ['tunneler'], tags: { b: 2 } }),
    );
    const before = await rows();
    const undone = await revert(controller, made);
    expect(undone.changes).toStrictEqual([{ ...remove('edgeRouter', 'gate'), input: null }]);
    expect(obstaclesOf(undone)).toStrictEqual([]);
    const gone = await undo(controller, undone);
    expect(await rows()).toStrictEqual([undefined, undefined, undefined]);
    const again = await revert(controller, gone);
    // Its one-time token is another one.
    expect(obstaclesOf(again)).toStrictEqual([['Enrollment', 'NO_SUCH_WRITE']]);
    await undo(controller, again);
    expect(await rows()).toStrictEqual(before);
    for (const change of [{ isTunnelerEnabled: false }, { name: 'renamed gate' }]) {
      const reversal = await revert(controller, await done(update('edgeRouter', 'gate', change)));
      expect(obstaclesOf(reversal)).toStrictEqual([]);
      await undo(controller, reversal);
      expect(await rows()).toStrictEqual(before);
    }
  });
});

describe('who may ask', () => {
  test('reads changes and the kind of entity', async () => {
    const [id] = await done(update('service', idOf('wiki'), { tags: { p: 1 } }));
    const ask = (...permissions: string[]) =>
      tryToRevert(controller, [String(id)], controller.ctx(callerOf(idOf('bob'), ...permissions)));
    expect(codeOf(await ask('service'))).toBe('UNAUTHORIZED');
    expect(codeOf(await ask('change.read'))).toBe('NOT_FOUND');
    expect(codeOf(await ask('change.read', 'identity'))).toBe('NOT_FOUND');
    expect(codeOf(await ask('change.read', 'service.read'))).toBe('done');
    expect(codeOf(await ask('admin_readonly'))).toBe('done');
  });

  test.each([
    ['no id of a change', 'nonsense', 'COULD_NOT_VALIDATE'],
    ['a place that the log has not come to', `0001${'f'.repeat(32)}`, 'HISTORY_NOT_KEPT'],
  ])('refuses %s', async (_, id, code) => {
    expect(codeOf(await tryToRevert(controller, [id]))).toBe(code);
  });

  test('refuses more ids than a list of changes may have made', async () => {
    const ids = Array.from({ length: 5_001 }, () => '0'.repeat(36));
    expect(await tryToRevert(controller, ids)).toMatchObject({
      error: { code: 'COULD_NOT_VALIDATE', detail: { field: 'ids', value: 5_001 } },
    });
  });

  test('asks on REST as well, and sends the answer on as it is', async () => {
    const before = await rowOf('service', idOf('wiki'));
    const rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
    try {
      const ids = await done(update('service', idOf('wiki'), { tags: { rest: true } }));
      const answer = await rest.send('POST', '/revert-changes', { ids });
      const { changes, ifRevisions } = answer.body.data as Reversal;
      expect((await rest.send('POST', '/simulate', { changes })).status).toBe(200);
      const applied = await rest.send('POST', '/apply-changes', { changes, ifRevisions });
      expect(applied.status).toBe(200);
      expect(await rowOf('service', idOf('wiki'))).toStrictEqual(before);
    } finally {
      await rest.stop();
    }
  });
});

/** Last: it shortens the log. */
describe('the log', () => {
  test('that does not go back so far any more is told so', async () => {
    const pruned = await done(newService('pruned'));
    const young = await done(newService('kept'));
    await settledChange(controller);
    await pruneUpTo(controller, String(pruned[0]));
    expect(codeOf(await tryToRevert(controller, [...pruned, ...young]))).toBe('HISTORY_NOT_KEPT');
    expect(codeOf(await tryToRevert(controller, young))).toBe('done');
  });

  test('of before a restore is told so, too', async () => {
    const other = await InProcess.start();
    try {
      const ids = idsOf(await apply(other, [newService('old')]));
      await other.parts.store.query(sql`update network_record set epoch = 2`);
      expect(codeOf(await tryToRevert(other, ids))).toBe('HISTORY_NOT_KEPT');
    } finally {
      await other.stop();
    }
  });

  test('without the state before says so', async () => {
    await controller.parts.database.pool.query(
      `insert into change (epoch, at, entity_type, entity_id, operation, revision, before)
       values (1, now(), 'Service', 'unseen', 'delete', 9, '{"id": "unseen"}')`,
    );
    const [row] = await controller.parts.store.query(
      sql<{ id: string }>`select id from change where entity_id = 'unseen'`,
    );
    expect(obstaclesOf(await revert(controller, [String(row?.id)]))).toStrictEqual([
      ['Service', 'NOT_IN_LOG'],
    ]);
  });
});
