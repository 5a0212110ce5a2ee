import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  addMembers,
  changeUser,
  deleteUser,
  membersOf,
  openDirectory,
  removeDeletedUsers,
  removeMembers,
  ScimError,
  type DirectoryScope,
} from '../../../src/access/directories/index.js';
import { enableOverdue } from '../../../src/trust/auth/index.js';
import { sql } from '../../../src/base/sql.js';
import { InProcess } from '../../support/in-process.js';
import { startTwo, type TwoInProcess } from '../../support/two-in-process.js';
import { newGroup, newUser, openedDirectory } from './provider.js';

/** The users and groups of directories over time, and at several controllers. */

const MINUTE = 60_000;
let both: TwoInProcess;
let controller: InProcess;

const now = new Date();

beforeAll(async () => {
  both = await startTwo({ now: () => now });
  ({ controller } = both);
});
afterAll(() => both.stop());

interface Shown {
  readonly disabled: boolean;
  readonly disabledUntil: string | null;
  readonly isPending: boolean;
  readonly revision: number;
  readonly assignedRoleAttributes: readonly string[];
}

async function identity(id: string): Promise<Shown | undefined> {
  const { identities } = await controller.read<{ identities: { nodes: Shown[] } }>(
    `query ($filter: String!) { identities(filter: $filter) { nodes { disabled disabledUntil isPending revision assignedRoleAttributes } } }`,
    { filter: `id = "${id}"` },
  );
  return identities.nodes[0];
}

const disable = (id: string, durationMinutes: number): Promise<unknown> =>
  controller.read(
    `mutation ($id: ID!, $durationMinutes: Int!) {
      disableIdentity(id: $id, durationMinutes: $durationMinutes) { id } }`,
    { id, durationMinutes },
  );

async function written(id: string): Promise<{ userName: string; externalId: string | null }> {
  const [user] = await controller.parts.store.query(
    sql<{ userName: string; externalId: string | null }>`select user_name as "userName",
      external_id as "externalId" from directory_user where id = ${id}::text`,
  );
  if (!user) throw new Error(`no user ${id}`);
  return user;
}

const setActive = (scope: DirectoryScope, id: string, active: boolean): Promise<void> =>
  changeUser(scope, id, (current) => ({ ...current, active }));

const inMinutes = (minutes: number): Date => new Date(now.getTime() + minutes * MINUTE);

/** Lets the time of grace of a deleted user pass by the clock of the database. */
const passGrace = (id: string, minutes: number): Promise<unknown> =>
  controller.parts.store.query(
    sql`update directory_user set deleted_at = deleted_at - make_interval(mins => ${minutes}::int)
      where id = ${id}::text`,
  );

const removeDue = async (on = controller): Promise<string[]> => {
  const refused: string[] = [];
  await removeDeletedUsers(on.anonymous(), (id) => refused.push(id));
  return refused;
};

describe('a deleted user', () => {
  test('is deleted with its identity when the grace is over, and not before', async () => {
    const scope = await openedDirectory(controller, { deletionGraceMinutes: 10 });
    const [id, other] = [await newUser(scope), await newUser(scope)];
    await deleteUser(scope, id);
    await passGrace(id, 9);
    await removeDue();
    expect(await identity(id)).toMatchObject({ disabled: true });
    await passGrace(id, 1);
    expect(await removeDue()).toStrictEqual([]);
    expect(await identity(id)).toBeUndefined();
    expect(await identity(other)).toMatchObject({ disabled: false });
  });

  test('has its grace at a controller whose clock is an hour ahead', async () => {
    const ahead = await InProcess.start(controller, { now: () => inMinutes(60) });
    try {
      const { token, ...scope } = await openedDirectory(controller, { deletionGraceMinutes: 30 });
      const [here, there] = [await newUser(scope), await newUser(scope)];
      await deleteUser(scope, here);
      await deleteUser(await openDirectory(ahead.anonymous(), token, 'identityProvider'), there);
      await removeDue(ahead);
      expect(await identity(here)).toMatchObject({ disabled: true });
      for (const id of [here, there]) await passGrace(id, 30);
      await removeDue();
      expect(await identity(here)).toBeUndefined();
      expect(await identity(there)).toBeUndefined();
    } finally {
      await ahead.stop();
    }
  });

  test('is deleted at once without grace', async () => {
    const scope = await openedDirectory(controller, { deletionGraceMinutes: 0 });
    const id = await newUser(scope);
    await deleteUser(scope, id);
    expect(await identity(id)).toBeUndefined();
  });
});

describe('a user', () => {
  test('is not written anew when the provider writes what is there', async () => {
    const scope = await openedDirectory(controller);
    const id = await newUser(scope, { attributes: { title: 'Dr' } });
    const before = await identity(id);
    await changeUser(scope, id, (current) => ({ ...current, schemas: ['x'], id }));
    expect(await identity(id)).toStrictEqual(before);
    const [user] = await controller.parts.store.query(
      sql<{ revision: number }>`select revision from directory_user where id = ${id}::text`,
    );
    expect(user).toStrictEqual({ revision: 1 });
  });

  test('waits for an approval where the directory says so, whatever the provider writes', async () => {
    const scope = await openedDirectory(controller, { newIdentitiesArePending: true });
    const id = await newUser(scope);
    await newGroup(scope, 'staff', [id]);
    await changeUser(scope, id, (current) => ({ ...current, isPending: false, title: 'Dr' }));
    await deleteUser(scope, id);
    expect(await identity(id)).toMatchObject({ isPending: true });
    expect(await identity(await newUser(await openedDirectory(controller)))).toMatchObject({
      isPending: false,
    });
  });

  test('stays disabled by hand when the provider repeats that it is active', async () => {
    const scope = await openedDirectory(controller);
    const id = await newUser(scope);
    await disable(id, 0);
    await changeUser(scope, id, (current) => ({ ...current, active: true, title: 'Dr' }));
    expect(await identity(id)).toMatchObject({ disabled: true });
  });

  test('goes with its identity when administrators delete this', async () => {
    const scope = await openedDirectory(controller);
    const id = await newUser(scope);
    await newGroup(scope, 'staff', [id]);
    await controller.read(`mutation ($id: ID!) { deleteIdentity(id: $id) }`, { id });
    await expect(deleteUser(scope, id)).rejects.toBeInstanceOf(ScimError);
  });
});

describe('a user whom an administrator has disabled for some minutes', () => {
  const disabled = async (minutes: number) => {
    const scope = await openedDirectory(controller);
    const id = await newUser(scope);
    await disable(id, minutes);
    return { scope, id };
  };

  /** Lets time pass by the clock of the database: moves what is stored of the user and its identity into the past. */
  const pass = async (id: string, minutes: number): Promise<void> => {
    const { store } = controller.parts;
    const passed = sql`make_interval(mins => ${minutes}::int)`;
    await store.query(sql`update identity set disabled_at = disabled_at - ${passed},
      disabled_until = disabled_until - ${passed} where id = ${id}::text`);
    await store.query(sql`update directory_user set identity_disabled_at = identity_disabled_at - ${passed},
      other_disabled_at = other_disabled_at - ${passed},
      other_disabled_until = other_disabled_until - ${passed} where id = ${id}::text`);
  };

  test('stays disabled until then when the provider enables it', async () => {
    const { scope, id } = await disabled(10);
    await pass(id, 1);
    await setActive(scope, id, false);
    expect(await identity(id)).toMatchObject({ disabled: true, disabledUntil: null });
    await pass(id, 1);
    const disabledUntil = inMinutes(8).toISOString();
    await setActive(scope, id, true);
    expect(await identity(id)).toMatchObject({ disabled: true, disabledUntil });
    await setActive(scope, id, false);
    await setActive(scope, id, true);
    expect(await identity(id)).toMatchObject({ disabled: true, disabledUntil });
    await pass(id, 8);
    await enableOverdue(controller.anonymous());
    expect(await identity(id)).toMatchObject({ disabled: false, disabledUntil: null });
  });

  test('is enabled by the provider when that time is over', async () => {
    const { scope, id } = await disabled(10);
    await setActive(scope, id, false);
    await pass(id, 10);
    await enableOverdue(controller.anonymous());
    expect(await identity(id)).toMatchObject({ disabled: true, disabledUntil: null });
    await setActive(scope, id, true);
    expect(await identity(id)).toMatchObject({ disabled: false, disabledUntil: null });
  });

  test('stays disabled until then when the provider deletes it and brings it back', async () => {
    const { scope, id } = await disabled(10);
    await setActive(scope, id, false);
    const { userName, externalId } = await written(id);
    await deleteUser(scope, id);
    expect(await newUser(scope, { userName, externalId })).toBe(id);
    const disabledUntil = inMinutes(10).toISOString();
    expect(await identity(id)).toMatchObject({ disabled: true, disabledUntil });
  });

  test('stays disabled by the provider when that time is over, whoever was first', async () => {
    const scope = await openedDirectory(controller);
    const id = await newUser(scope);
    await setActive(scope, id, false);
    await disable(id, 10);
    expect(await identity(id)).toMatchObject({ disabled: true, disabledUntil: null });
    await pass(id, 1);
    const disabledUntil = inMinutes(9).toISOString();
    await setActive(scope, id, true);
    expect(await identity(id)).toMatchObject({ disabled: true, disabledUntil });
    await setActive(scope, id, false);
    await pass(id, 9);
    await enableOverdue(controller.anonymous());
    expect(await identity(id)).toMatchObject({ disabled: true, disabledUntil: null });
  });

  test('is enabled by an administrator for good', async () => {
    const { scope, id } = await disabled(10);
    await setActive(scope, id, false);
    await controller.read(`mutation ($id: ID!) { enableIdentity(id: $id) { id } }`, { id });
    await setActive(scope, id, true);
    expect(await identity(id)).toMatchObject({ disabled: false });
    await setActive(scope, id, false);
    await setActive(scope, id, true);
    expect(await identity(id)).toMatchObject({ disabled: false });
  });

  test('stays disabled without an end when an administrator says so afterwards', async () => {
    const { scope, id } = await disabled(10);
    await setActive(scope, id, false);
    await pass(id, 1);
    await disable(id, 0);
    await setActive(scope, id, true);
    expect(await identity(id)).toMatchObject({ disabled: true, disabledUntil: null });
  });

  test('stays disabled until then at a controller whose clock is an hour ahead', async () => {
    const { token, ...scope } = await openedDirectory(controller);
    const id = await newUser(scope);
    await disable(id, 30);
    const disabledUntil = inMinutes(30).toISOString();
    const ahead = await InProcess.start(controller, { now: () => inMinutes(60) });
    try {
      const there = await openDirectory(ahead.anonymous(), token, 'identityProvider');
      await setActive(there, id, false);
      await setActive(there, id, true);
      await enableOverdue(ahead.anonymous());
      expect(await identity(id)).toMatchObject({ disabled: true, disabledUntil });
    } finally {
      await ahead.stop();
    }
  });
});

describe('the members of a group', () => {
  test('are the same at another controller, which the same token opens', async () => {
    const { token, ...scope } = await openedDirectory(controller);
    const ids = [await newUser(scope), await newUser(scope)];
    const group = await newGroup(scope, 'staff', ids);
    const elsewhere = await openDirectory(both.other.anonymous(), token, 'identityProvider');
    await removeMembers(elsewhere, group, ids.slice(0, 1));
    await controller.forgetRows();
    expect(await identity(ids[0] ?? '')).toMatchObject({ assignedRoleAttributes: [] });
    expect(await identity(ids[1] ?? '')).toMatchObject({
      assignedRoleAttributes: [`${scope.directory.roleAttributePrefix}staff`],
    });
  });

  test('may be added and removed by many requests at once', async () => {
    const scope = await openedDirectory(controller);
    const ids = await Promise.all(Array.from({ length: 20 }, () => newUser(scope)));
    const groups = [await newGroup(scope, 'one'), await newGroup(scope, 'two')];

    await Promise.all(groups.flatMap((group) => ids.map((id) => addMembers(scope, group, [id]))));
    for (const group of groups) {
      expect([...(await membersOf(scope, group))]).toStrictEqual([...ids].sort());
    }
    await Promise.all(ids.map((id) => removeMembers(scope, groups[0] ?? '', [id])));
    const prefix = scope.directory.roleAttributePrefix;
    for (const id of ids) {
      expect(await identity(id)).toMatchObject({ assignedRoleAttributes: [`${prefix}two`] });
    }
  });
});
