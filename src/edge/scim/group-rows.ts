import {
  allGroups,
  changeGroup,
  createGroup,
  deleteGroup,
  memberOf,
  membersOf,
  nameIn,
  optionalText,
  patchOperations,
  refuseLarge,
  replaceMembers,
  unknownResource,
  without,
  type WrittenGroup,
} from '../../access/directories/index.js';
import type { JsonObject } from '../../base/row.js';
import { directoryGroups, type DirectoryGroupRow } from '../../data/rows/directory/index.js';
import { applyGroupPatch, memberIdsIn } from './group-patch.js';
import { isShown, listPage, projected, type ListSource } from './list-page.js';
import { metaOf } from './user-rows.js';
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
  return {
    choices: {
      externalid: (externalId) => ({ externalId }),
      id: (id) => ({ id }),
    },
    count: () => directoryGroups.count(ctx.store, directory.id),
    find: (choice) => directoryGroups.find(ctx.store, directory.id, choice),
    page: (place) => directoryGroups.page(ctx.store, directory.id, place),
    all: () => allGroups(request.scope),
    filtered: ({ id, displayName, externalId, attributes }) => ({
      ...attributes,
      ...{ id, displayName, externalId },
    }),
    shown: (groups) => Promise.all(groups.map((group) => shown(request, group))),
  };
};

/** A group in the form of RFC 7643 4.2. */
async function shown(request: DirectoryRequest, group: DirectoryGroupRow): Promise<JsonObject> {
  const { scope, query, base } = request;
  const { id, displayName, externalId, attributes } = group;
  const members = isShown(query, 'members') ? await membersOf(scope, id) : [];
  return {
    schemas: [GROUP_SCHEMA],
    id,
    ...attributes,
    displayName,
    ...(externalId === null ? {} : { externalId }),
    members: members.map((value) => ({ value, type: 'User', $ref: `${base}/Users/${value}` })),
    meta: metaOf('Group', `${base}/Groups/${id}`, group),
  };
}

async function read(
  request: DirectoryRequest,
  id = request.id,
  status = 200,
): Promise<DirectoryReply> {
  const { ctx, directory } = request.scope;
  const [group] = await directoryGroups.find(ctx.store, directory.id, { id });
  if (!group) throw unknownResource(id);
  const location = `${request.base}/Groups/${id}`;
  const body = projected(request.query, await shown(request, group));
  return { status, headers: { location }, body };
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
