import { isDeepStrictEqual } from 'node:util';
import { readSlices } from '../../base/read-slices.js';
import { clock } from '../../data/rows/clock/index.js';
import { directoryUsers, type DirectoryUserRow } from '../../data/rows/directory/index.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { changeIn, createIn, currentRow, removeIn } from '../../kernel/write/write.js';
import type { DirectoryScope } from './directory-scope.js';
import { releaseUserIn } from './release.js';
import { refusingDuplicates, ScimError, taken, unknownResource } from './scim-error.js';
import {
  disableUserIn,
  disablingOf,
  enableUserIn,
  NOT_DISABLED,
  type UserDisabling,
} from './user-disabling.js';
import { emailOf, scimForm, writtenUser, type WrittenUser } from './written-user.js';
import type { JsonObject } from '../../base/row.js';

/*
 * A user of a directory is an identity that the directory has created. It adopts none: an identity of others with the
 * same name or external id is a conflict.
 */

type User = RowOf<'DirectoryUser'>;

const keyOf = (userName: string): string => userName.toLowerCase();

/** Creates a user with its identity and gives its id. */
export const createUser = (scope: DirectoryScope, written: WrittenUser): Promise<string> =>
  refusingDuplicates(
    'userName',
    scope.ctx.store.write(scope.origin, async (tx) => {
      const revived = await reviveIn(scope, tx, written);
      return revived ?? createUserIn(scope, tx, written);
    }),
  );

async function createUserIn(
  scope: DirectoryScope,
  tx: Transaction,
  written: WrittenUser,
): Promise<string> {
  const { ctx, directory } = scope;
  const { Identity, DirectoryUser } = ctx.catalog.resources;
  await refuseTaken(scope, tx, written, undefined);
  const id = await createIn(ctx, tx, Identity, {
    name: written.userName,
    type: 'Default',
    isAdmin: false,
    externalId: externalIdOf(scope, written),
    authPolicyId: directory.authPolicyId,
    isPending: directory.newIdentitiesArePending,
  });
  const disabling = written.active ? NOT_DISABLED : await disableUserIn(ctx, tx, id, NOT_DISABLED);
  const user = {
    directoryId: directory.id,
    identityId: id,
    ...columnsOf(written),
    ...disabling,
  };
  await createIn(ctx, tx, DirectoryUser, user, { id });
  return id;
}

const columnsOf = (written: WrittenUser): JsonObject => ({
  ...written,
  userKey: keyOf(written.userName),
});

/** The external id of the identity. */
function externalIdOf({ directory }: DirectoryScope, written: WrittenUser): string | null {
  if (directory.externalIdSource === 'userName') return written.userName;
  return directory.externalIdSource === 'email' ? emailOf(written) : written.externalId;
}

/**
 * Within the time of grace a user with the same id of the provider comes back. Another one with the same user name is
 * another person: the identity of the deleted one is deleted before its time.
 */
async function reviveIn(
  scope: DirectoryScope,
  tx: Transaction,
  written: WrittenUser,
): Promise<string | undefined> {
  const { ctx, directory } = scope;
  const { DirectoryUser, Identity } = ctx.catalog.resources;
  const directoryId = directory.id;
  const userKey = keyOf(written.userName);
  const { externalId } = written;
  const sameName = await tx.find(DirectoryUser, { directoryId, userKey });
  const sameExternalId =
    externalId === null ? [] : await tx.find(DirectoryUser, { directoryId, externalId });
  const deleted = [...sameName, ...sameExternalId].filter(({ deletedAt }) => deletedAt !== null);
  const former = deleted.find((user) => externalId !== null && user.externalId === externalId);
  const others = new Set(deleted.filter((user) => user.id !== former?.id).map(({ id }) => id));
  for (const id of others) await removeIn(ctx, tx, Identity, id);
  if (!former) return undefined;
  await changeUserIn(scope, tx, await currentRow(tx, DirectoryUser, former.id), written);
  return former.id;
}

/** Changes a user to what `next` makes of its form of SCIM. */
export const changeUser = (
  scope: DirectoryScope,
  id: string,
  next: (current: JsonObject) => JsonObject,
): Promise<void> =>
  refusingDuplicates(
    'userName',
    scope.ctx.store.write(scope.origin, async (tx) => {
      const user = await ownUserIn(scope, tx, id);
      const written = writtenUser(next(scimForm(user)), user.active);
      if (!isDeepStrictEqual(writtenUser(scimForm(user)), written)) {
        await changeUserIn(scope, tx, user, written);
      }
    }),
  );

/** The user, locked; the users of other directories do not exist for this one. */
async function ownUserIn(scope: DirectoryScope, tx: Transaction, id: string): Promise<User> {
  const user = await tx.lockRow(scope.ctx.catalog.resources.DirectoryUser, id);
  if (user?.directoryId !== scope.directory.id || user.deletedAt !== null)
    throw unknownResource(id);
  return user;
}

async function changeUserIn(
  scope: DirectoryScope,
  tx: Transaction,
  user: User,
  written: WrittenUser,
): Promise<void> {
  const { ctx } = scope;
  const { Identity, DirectoryUser } = ctx.catalog.resources;
  const identity = await currentRow(tx, Identity, user.identityId);
  const values = changesOf(scope, user, identity, written);
  await refuseTaken(scope, tx, written, identity);
  if (Object.keys(values).length > 0) {
    await changeIn(ctx, tx, Identity, 'update', identity.id, values);
  }
  const disabling =
    written.active === (user.active && user.deletedAt === null)
      ? disablingOf(user)
      : await setActiveIn(scope, tx, user, written.active);
  const columns = { ...columnsOf(written), ...disabling, deletedAt: null };
  await changeIn(ctx, tx, DirectoryUser, 'update', user.id, columns);
}

/** The new values of the identity; a name or an external id that administrators have set stays. */
function changesOf(
  scope: DirectoryScope,
  user: User,
  identity: RowOf<'Identity'>,
  written: WrittenUser,
): JsonObject {
  const before = externalIdOf(scope, user);
  const externalId = externalIdOf(scope, written);
  const isRenamed = identity.name === user.userName && written.userName !== user.userName;
  const isOther = identity.externalId === before && externalId !== before;
  if (isOther) refuseRights(identity);
  return {
    ...(isRenamed ? { name: written.userName } : {}),
    ...(isOther ? { externalId } : {}),
  };
}

/** Logins name an identity by its external id: a provider must not hand the rights of a person to another. */
function refuseRights({ isAdmin, permissions }: RowOf<'Identity'>): void {
  if (!isAdmin && permissions.length === 0) return;
  const detail = 'the external id of an identity with permissions is changed by administrators';
  throw new ScimError(403, undefined, detail);
}

async function refuseTaken(
  scope: DirectoryScope,
  tx: Transaction,
  written: WrittenUser,
  identity: RowOf<'Identity'> | undefined,
): Promise<void> {
  const { Identity, DirectoryUser } = scope.ctx.catalog.resources;
  const isOther = ({ id }: { readonly id: string }): boolean => id !== identity?.id;
  const userKey = keyOf(written.userName);
  const externalId = externalIdOf(scope, written);
  const users = await tx.find(DirectoryUser, { directoryId: scope.directory.id, userKey });
  if (users.some(isOther)) throw taken('userName');
  const named = await tx.find(Identity, { name: written.userName });
  if (named.some(isOther)) throw taken('userName');
  const claimed = externalId === null ? [] : await tx.find(Identity, { externalId });
  if (claimed.some(isOther)) throw taken('externalId');
}

function setActiveIn(
  { ctx }: DirectoryScope,
  tx: Transaction,
  user: User,
  active: boolean,
): Promise<UserDisabling> {
  return active
    ? enableUserIn(ctx, tx, user)
    : disableUserIn(ctx, tx, user.identityId, disablingOf(user));
}

/** Disables the identity of a user at once and takes its groups away; its deletion follows after the grace. */
export const deleteUser = (scope: DirectoryScope, id: string): Promise<void> =>
  scope.ctx.store.write(scope.origin, async (tx) => {
    const { ctx, directory } = scope;
    const { Identity, DirectoryUser } = ctx.catalog.resources;
    const user = await ownUserIn(scope, tx, id);
    const { identityId } = user;
    if (directory.deletionGraceMinutes === 0) {
      await removeIn(ctx, tx, Identity, identityId);
      return;
    }
    const disabling = await setActiveIn(scope, tx, user, false);
    await releaseUserIn(ctx, tx, { directoryId: directory.id, identityId });
    const deletedAt = (await clock.now(tx)).toISOString();
    const deleted = { active: false, ...disabling, deletedAt };
    await changeIn(ctx, tx, DirectoryUser, 'update', id, deleted);
  });

/** Reads the users of the directory in slices. */
export const allUsers = ({ ctx, directory }: DirectoryScope) =>
  readSlices<DirectoryUserRow>(SLICE, (last) =>
    directoryUsers.after(ctx.store, directory.id, last?.id ?? '', SLICE),
  );

const SLICE = 500;
