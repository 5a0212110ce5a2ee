import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  deleteDirectory,
  deleteUser,
  openDirectory,
  type DirectoryScope,
} from '../../../src/access/directories/index.js';
import { InProcess } from '../../support/in-process.js';
import { newGroup, newUser, openedDirectory } from './provider.js';

/** A directory that is deleted with its users and groups. */

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

interface Shown {
  readonly disabled: boolean;
  readonly effectiveRoleAttributes: readonly string[];
}

async function identity(id: string): Promise<Shown | undefined> {
  const { identities } = await controller.read<{ identities: { nodes: Shown[] } }>(
    `query ($filter: String!) { identities(filter: $filter) { nodes { disabled effectiveRoleAttributes } } }`,
    { filter: `id = "${id}"` },
  );
  return identities.nodes[0];
}

const isThere = async ({ directory }: DirectoryScope): Promise<boolean> => {
  const { directories } = await controller.read<{ directories: { totalCount: number } }>(
    `query ($filter: String!) { directories(filter: $filter) { totalCount } }`,
    { filter: `id = "${directory.id}"` },
  );
  return directories.totalCount === 1;
};

const deleted = ({ directory }: DirectoryScope, deletesIdentities: boolean) =>
  deleteDirectory(controller.ctx(), directory.id, deletesIdentities);

describe('a directory with users and groups', () => {
  test('is deleted, and its identities stay without its role attributes', async () => {
    const scope = await openedDirectory(controller);
    const id = await newUser(scope);
    await newGroup(scope, 'sea', [id]);
    expect((await identity(id))?.effectiveRoleAttributes).toHaveLength(1);
    await expect(deleted(scope, false)).resolves.toStrictEqual({ userCount: 1, groupCount: 1 });
    await expect(identity(id)).resolves.toStrictEqual({
      disabled: false,
      effectiveRoleAttributes: [],
    });
    await expect(isThere(scope)).resolves.toBe(false);
  });

  test('is deleted with its identities, however many', async () => {
    const scope = await openedDirectory(controller);
    const ids: string[] = [];
    for (let i = 0; i < 101; i += 1) ids.push(await newUser(scope));
    await newGroup(scope, 'all', ids);
    await expect(deleted(scope, true)).resolves.toStrictEqual({ userCount: 101, groupCount: 1 });
    await expect(Promise.all(ids.map(identity))).resolves.toStrictEqual(ids.map(() => undefined));
    await expect(isThere(scope)).resolves.toBe(false);
  });

  test('is deleted with those whom the provider has deleted, of which nothing stays', async () => {
    const scope = await openedDirectory(controller, { deletionGraceMinutes: 10 });
    const id = await newUser(scope);
    await deleteUser(scope, id);
    await expect(deleted(scope, false)).resolves.toMatchObject({ userCount: 1 });
    await expect(identity(id)).resolves.toBeUndefined();
  });

  test('has no token any more', async () => {
    const scope = await openedDirectory(controller);
    await deleted(scope, false);
    await expect(
      openDirectory(controller.anonymous(), scope.token, 'identityProvider'),
    ).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('leaves other directories alone', async () => {
    const [scope, other] = [await openedDirectory(controller), await openedDirectory(controller)];
    const id = await newUser(other);
    await newGroup(other, 'land', [id]);
    await deleted(scope, true);
    expect((await identity(id))?.effectiveRoleAttributes).toHaveLength(1);
  });
});

test('one that does not exist is not deleted', async () => {
  await expect(deleteDirectory(controller.ctx(), 'nobody', true)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
