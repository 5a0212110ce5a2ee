import {
  allGroups,
  changeGroup,
  createGroup,
  deleteGroup,
  memberOf,
  nameIn,
  optionalText,
  patchOperations,
  refuseLarge,
  replaceMembers,
  unknownResource,
  without,
  type WrittenGroup,
} from '../../access/directories/index.js';
import { idOf, type JsonObject } from '../../base/row.js';
import {
  directoryGroups,
  directoryUsers,
  type DirectoryGroupRow,
  type GroupChoice,
} from '../../data/rows/directory/index.js';
import { applyGroupPatch, memberIdsIn } from './group-patch.js';
import { listPage, projected, wantedBy, type IsWanted, type ListSource } from './list-page.js';
import { metaOf, ownerOf } from './user-rows.js';
import type {
  DirectoryReply,
  DirectoryRequest,
  DirectoryRoute,
} from '../directories/directory-request.js';

export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';

const APART = ['schemas', 'id', 'meta', 'members', 'displayName', 'externalId'];

function writtenGroup(sent: JsonObject): WrittenGroup {
  const attributes = without(sent, APART);
  refuseLarge(attributes);
  return {
    displayName: nameIn(sent, 'displayName'),
    externalId: optionalText(sent, 'externalId'),
    attributes,
  };
}

const source = (request: DirectoryRequest): ListSource<DirectoryGroupRow> => {
  const { ctx, directory } = request.scope;
  const find = (choice: GroupChoice): Promise<readonly DirectoryGroupRow[]> =>
    directoryGroups.find(ctx.store, directory.id, choice);
  const findByMember = async (userId: string): Promise<readonly DirectoryGroupRow[]> => {
    const groups = await directoryUsers.groupsOf(ctx.store, ownerOf(request), [userId]);
    return find({ id: { in: groups.map(idOf) } });
  };
  return {
    finders: {
      id: (id) => find({ id }),
      externalid: (externalId) => find({ externalId }),
      members: findByMember,
      'members.value': findByMember,
    },
    count: () => directoryGroups.count(ctx.store, directory.id),
    page: (place) => directoryGroups.page(ctx.store, directory.id, place),
    all: () => allGroups(request.scope),
    shown: (groups, isWanted) => shown(request, groups, isWanted),
  };
};

/** Groups in the form of RFC 7643 4.2. */
async function shown(
  request: DirectoryRequest,
  groups: readonly DirectoryGroupRow[],
  isWanted: IsWanted,
): Promise<JsonObject[]> {
  const { scope, base } = request;
  const members = isWanted('members')
    ? await directoryGroups.membersOf(scope.ctx.store, ownerOf(request), groups.map(idOf))
    : [];
  const ofGroup = new Map(groups.map(({ id }) => [id, [] as JsonObject[]]));
  for (const { groupId, identityId: value } of members) {
    ofGroup.get(groupId)?.push({ value, type: 'User', $ref: `${base}/Users/${value}` });
  }
  return groups.map((group) => ({
    schemas: [GROUP_SCHEMA],
    id: group.id,
    ...group.attributes,
    displayName: group.displayName,
    ...(group.externalId === null ? {} : { externalId: group.externalId }),
    members: ofGroup.get(group.id) ?? [],
    meta: metaOf('Group', `${base}/Groups/${group.id}`, group),
  }));
}

async function read(
  request: DirectoryRequest,
  id = request.id,
  status = 200,
): Promise<DirectoryReply> {
  const { ctx, directory } = request.scope;
  const [group] = await directoryGroups.find(ctx.store, directory.id, { id });
  const [body] = group ? await shown(request, [group], wantedBy(request.query)) : [];
  if (!body) throw unknownResource(id);
  const location = `${request.base}/Groups/${id}`;
  return { status, headers: { location }, body: projected(request.query, body) };
}

async function create(request: DirectoryRequest): Promise<DirectoryReply> {
  const { scope, body } = request;
  const members = memberIdsIn(memberOf(body, 'members') ?? []);
  return read(request, await createGroup(scope, writtenGroup(body), members), 201);
}

/** A body without members leaves them: providers rename large groups so. */
async function replace(request: DirectoryRequest): Promise<DirectoryReply> {
  const { scope, id, body } = request;
  const members = memberOf(body, 'members');
  await changeGroup(scope, id, writtenGroup(body));
  if (members !== undefined) await replaceMembers(scope, id, memberIdsIn(members ?? []));
  return read(request);
}

/** Answers without the group: its members may be thousands (RFC 7644 3.5.2). */
async function patch({ scope, id, body }: DirectoryRequest): Promise<DirectoryReply> {
  await applyGroupPatch(scope, id, patchOperations(body));
  return { status: 204 };
}

async function remove({ scope, id }: DirectoryRequest): Promise<DirectoryReply> {
  await deleteGroup(scope, id);
  return { status: 204 };
}

export const GROUP_ROWS: readonly DirectoryRoute[] = [
  { method: 'GET', path: '/Groups', serve: (request) => listPage(request, source(request)) },
  { method: 'POST', path: '/Groups', serve: create },
  { method: 'GET', path: '/Groups/{id}', serve: (request) => read(request) },
  { method: 'PUT', path: '/Groups/{id}', serve: replace },
  { method: 'PATCH', path: '/Groups/{id}', serve: patch },
  { method: 'DELETE', path: '/Groups/{id}', serve: remove },
];
