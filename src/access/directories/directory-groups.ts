import { isDeepStrictEqual } from 'node:util';
import {
  directoryGroups,
  directoryUsers,
  type DirectoryGroupRow,
} from '../../data/rows/directory/index.js';
import { roleAssignments } from '../../data/rows/role-assignment/index.js';
import { readSlices } from '../../base/read-slices.js';
import { idOf, type JsonObject } from '../../base/row.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { Rows, Transaction } from '../../kernel/request/store-port.js';
import { changeIn, createIn, removeIn } from '../../kernel/write/write.js';
import { assignIn, reassignIn, unassignIn, type SourcedAttribute } from '../assignments/index.js';
import type { DirectoryScope } from './directory-scope.js';
import { invalidValue, refusingDuplicates, taken, unknownResource } from './scim-error.js';

/*
 * The members of a group are the identities to which the directory assigns its role attribute. Many members change in
 * several transactions, so that none holds rows and readers of the change log for long. A provider that gets no answer
 * sends the request again, and has the same result.
 */

/** Members of one transaction. */
const SLICE = 100;

/** A group as its provider writes it, without its members. */
export interface WrittenGroup {
  readonly displayName: string;
  readonly externalId: string | null;
  readonly attributes: JsonObject;
}

type Group = RowOf<'DirectoryGroup'>;
type InTransaction = (tx: Transaction, identities: readonly RowOf<'Identity'>[]) => Promise<void>;

const attributeOfGroup = ({ directory }: DirectoryScope, displayName: string): string =>
  directory.roleAttributePrefix + displayName;

const sourced = ({ source }: DirectoryScope, { roleAttribute }: Group): SourcedAttribute => ({
  source,
  roleAttribute,
});

/** Creates a group with its members and gives its id. */
export async function createGroup(
  scope: DirectoryScope,
  written: WrittenGroup,
  memberIds: readonly string[],
): Promise<string> {
  const { ctx, directory } = scope;
  const roleAttribute = attributeOfGroup(scope, written.displayName);
  await refuseStrangers(scope, memberIds);
  const creation = ctx.store.write(scope.origin, async (tx) => {
    await refuseTaken(scope, tx, roleAttribute);
    const values = { directoryId: directory.id, ...written, roleAttribute };
    return createIn(ctx, tx, ctx.catalog.resources.DirectoryGroup, values);
  });
  const id = await refusingDuplicates('displayName', creation);
  await addMembers(scope, id, memberIds);
  return id;
}

async function refuseTaken(
  { ctx, directory }: DirectoryScope,
  tx: Transaction,
  roleAttribute: string,
): Promise<void> {
  const match = { directoryId: directory.id, roleAttribute };
  const [other] = await tx.find(ctx.catalog.resources.DirectoryGroup, match);
  if (other) throw taken('displayName');
}

/** Changes a group; with another name its members get another role attribute. */
export const changeGroup = (
  scope: DirectoryScope,
  id: string,
  written: Partial<WrittenGroup>,
): Promise<void> => refusingDuplicates('displayName', changeGroupOnce(scope, id, written));

const changeGroupOnce = (
  scope: DirectoryScope,
  id: string,
  written: Partial<WrittenGroup>,
): Promise<void> =>
  scope.ctx.store.write(scope.origin, async (tx) => {
    const { ctx } = scope;
    const { DirectoryGroup, Identity } = ctx.catalog.resources;
    const group = await ownGroupIn(scope, tx, id);
    const roleAttribute = attributeOfGroup(scope, written.displayName ?? group.displayName);
    if (roleAttribute !== group.roleAttribute) {
      await refuseTaken(scope, tx, roleAttribute);
      const attribute = sourced(scope, group);
      const holders = await tx.lock(Identity, await roleAssignments.holdersOf(tx, attribute));
      await reassignIn(ctx, tx, attribute, roleAttribute, holders);
    }
    const values = { ...written, roleAttribute };
    if (isDeepStrictEqual({ ...group, ...values }, group)) return;
    await changeIn(ctx, tx, DirectoryGroup, 'update', id, values);
  });

/** The group, locked; the groups of other directories do not exist for this one. */
async function ownGroupIn(scope: DirectoryScope, tx: Transaction, id: string): Promise<Group> {
  const group = await tx.lockRow(scope.ctx.catalog.resources.DirectoryGroup, id);
  if (group?.directoryId !== scope.directory.id) throw unknownResource(id);
  return group;
}

/** @throws ScimError invalidValue for members that are no users of the directory */
export async function addMembers(
  scope: DirectoryScope,
  id: string,
  memberIds: readonly string[],
): Promise<void> {
  await refuseStrangers(scope, memberIds);
  await inSlices(scope, id, memberIds, (group) => async (tx, identities) => {
    await refuseStrangers(scope, identities.map(idOf), tx);
    await assignIn(scope.ctx, tx, sourced(scope, group), identities);
  });
}

export async function removeMembers(
  scope: DirectoryScope,
  id: string,
  memberIds: readonly string[],
): Promise<void> {
  await inSlices(
    scope,
    id,
    memberIds,
    (group) => (tx, identities) => unassignIn(scope.ctx, tx, sourced(scope, group), identities),
  );
}

/** Makes these the members of a group: first those who leave it, then those who join. */
export async function replaceMembers(
  scope: DirectoryScope,
  id: string,
  memberIds: readonly string[],
): Promise<void> {
  await refuseStrangers(scope, memberIds);
  const wanted = new Set(memberIds);
  const present = await membersOf(scope, id);
  const leaving = present.filter((member) => !wanted.has(member));
  const members = new Set(present);
  await removeMembers(scope, id, leaving);
  await addMembers(
    scope,
    id,
    [...wanted].filter((member) => !members.has(member)),
  );
}

/** The ids of the members of a group. */
export async function membersOf(scope: DirectoryScope, id: string): Promise<readonly string[]> {
  const { ctx, directory, source } = scope;
  const [group] = await directoryGroups.find(ctx.store, directory.id, { id });
  if (!group) throw unknownResource(id);
  return roleAssignments.holdersOf(ctx.store, { source, roleAttribute: group.roleAttribute });
}

export async function deleteGroup(scope: DirectoryScope, id: string): Promise<void> {
  await removeMembers(scope, id, await membersOf(scope, id));
  await scope.ctx.store.write(scope.origin, async (tx) => {
    await ownGroupIn(scope, tx, id);
    await removeIn(scope.ctx, tx, scope.ctx.catalog.resources.DirectoryGroup, id);
  });
}

async function refuseStrangers(
  { ctx, directory }: DirectoryScope,
  memberIds: readonly string[],
  rows: Rows = ctx.store,
): Promise<void> {
  const users = await directoryUsers.among(rows, directory.id, memberIds);
  const stranger = memberIds.find((id) => !users.has(id));
  if (stranger !== undefined) throw invalidValue(`${stranger} is no user of the directory`);
}

/** Changes members a slice at a time, in the order of their ids, so that requests at the same time do not block each other. */
async function inSlices(
  scope: DirectoryScope,
  id: string,
  memberIds: readonly string[],
  change: (group: Group) => InTransaction,
): Promise<void> {
  const { store, catalog } = scope.ctx;
  const { DirectoryGroup, Identity } = catalog.resources;
  const ids = [...new Set(memberIds)].sort();
  for (let from = 0; from === 0 || from < ids.length; from += SLICE) {
    await store.write(
      scope.origin,
      async (tx) => {
        const group = await ownGroupIn(scope, tx, id);
        const identities = await tx.lock(Identity, ids.slice(from, from + SLICE));
        if (identities.length > 0) await change(group)(tx, identities);
      },
      { resource: DirectoryGroup, id },
    );
  }
}

/** Reads the groups of the directory in slices. */
export const allGroups = ({ ctx, directory }: DirectoryScope) =>
  readSlices<DirectoryGroupRow>(READ_SLICE, (last) =>
    directoryGroups.after(ctx.store, directory.id, last?.id ?? '', READ_SLICE),
  );

const READ_SLICE = 500;
