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
} from '../../../src/access/directories/index.js';
import { sql } from '../../../src/base/sql.js';
import type { InProcess } from '../../support/in-process.js';
import { startTwo, type TwoInProcess } from '../../support/two-in-process.js';
import { newGroup, newUser, openedDirectory } from './provider.js';

/** The users and groups of directories over time, and at several controllers. */

const MINUTE = 60_000;
let both: TwoInProcess;
let controller: InProcess;
let now = new Date();

beforeAll(async () => {
  both = await startTwo({ now: () => now });
  ({ controller } = both);
});
afterAll(() => both.stop());

interface Shown {
  readonly disabled: boolean;
  readonly isPending: boolean;
  readonly revision: number;
  readonly assignedRoleAttributes: readonly string[];
}

async function identity(id: string): Promise<Shown | undefined> {
  const { identities } = await controller.read<{ identities: { nodes: Shown[] } }>(
    `query ($filter: String!) { identities(filter: $filter) { nodes { disabled isPending revision assignedRoleAttributes } } }`,
    { filter: `id = "${id}"` },
  );
  return identities.nodes[0];
}

const removeDue = async (): Promise<string[]> => {
  const refused: string[] = [];
  await removeDeletedUsers(controller.anonymous(), (id) => refused.push(id));
  return refused;
};

describe('a deleted user', () => {
  test('is deleted with its identity when the grace is over, and not before', async () => {
    const scope = await openedDirectory(controller, { deletionGraceMinutes: 10 });
    const [id, other] = [await newUser(scope), await newUser(scope)];
    await deleteUser(scope, id);
    now = new Date(now.getTime() + 9 * MINUTE);
    await removeDue();
    expect(await identity(id)).toMatchObject({ disabled: true });
    now = new Date(now.getTime() + MINUTE);
    expect(await removeDue()).toStrictEqual([]);
    expect(await identity(id)).toBeUndefined();
    expect(await identity(other)).toMatchObject({ disabled: false });
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
    await controller.read(
      `mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 0) { id } }`,
      {
        id,
      },
    );
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
