import {
  allUsers,
  changeUser,
  createUser,
  deleteUser,
  patched,
  patchOperations,
  scimForm,
  unknownResource,
  writtenUser,
} from '../../access/directories/index.js';
import { idOf, type JsonObject } from '../../base/row.js';
import {
  directoryUsers,
  type DirectoryUserRow,
  type GroupOfUser,
  type UserChoice,
} from '../../data/rows/directory/index.js';
import { listPage, projected, wantedBy, type IsWanted, type ListSource } from './list-page.js';
import type {
  DirectoryReply,
  DirectoryRequest,
  DirectoryRoute,
} from '../directories/directory-request.js';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

const source = (request: DirectoryRequest): ListSource<DirectoryUserRow> => {
  const { ctx, directory } = request.scope;
  const find = (choice: UserChoice): Promise<readonly DirectoryUserRow[]> =>
    directoryUsers.find(ctx.store, directory.id, choice);
  return {
    finders: {
      username: (value) => find({ userKey: value.toLowerCase() }),
      externalid: (externalId) => find({ externalId }),
      id: (id) => find({ id }),
    },
    count: () => directoryUsers.count(ctx.store, directory.id),
    page: (place) => directoryUsers.page(ctx.store, directory.id, place),
    all: () => allUsers(request.scope),
    shown: (users, isWanted) => shown(request, users, isWanted),
  };
};

/** A directory, and the source of its role assignments. */
export const ownerOf = ({ scope }: DirectoryRequest) => ({
  directoryId: scope.directory.id,
  source: scope.source,
});

/** Users in the form of RFC 7643 4.1. */
async function shown(
  request: DirectoryRequest,
  users: readonly DirectoryUserRow[],
  isWanted: IsWanted,
): Promise<JsonObject[]> {
  const { scope, base } = request;
  const groups = isWanted('groups')
    ? await directoryUsers.groupsOf(scope.ctx.store, ownerOf(request), users.map(idOf))
    : [];
  const groupsOfIdentity = new Map(
    users.map(({ identityId }) => [identityId, [] as GroupOfUser[]]),
  );
  for (const group of groups) groupsOfIdentity.get(group.identityId)?.push(group);
  return users.map((user) => ({
    schemas: schemasOf(user),
    id: user.id,
    ...scimForm(user),
    groups: (groupsOfIdentity.get(user.identityId) ?? []).map(({ id, displayName }) => ({
      value: id,
      display: displayName,
      $ref: `${base}/Groups/${id}`,
    })),
    meta: metaOf('User', `${base}/Users/${user.id}`, user),
  }));
}

const schemasOf = ({ attributes }: DirectoryUserRow): string[] => [
  USER_SCHEMA,
  ...Object.keys(attributes).filter((name) => name.toLowerCase().startsWith('urn:')),
];

export const metaOf = (
  resourceType: 'User' | 'Group',
  location: string,
  { createdAt, updatedAt }: Pick<DirectoryUserRow, 'createdAt' | 'updatedAt'>,
): JsonObject => ({
  resourceType,
  created: createdAt.toISOString(),
  lastModified: updatedAt.toISOString(),
  location,
});

async function read(
  request: DirectoryRequest,
  id = request.id,
  status = 200,
): Promise<DirectoryReply> {
  const { ctx, directory } = request.scope;
  const [user] = await directoryUsers.find(ctx.store, directory.id, { id });
  const [body] = user ? await shown(request, [user], wantedBy(request.query)) : [];
  if (!body) throw unknownResource(id);
  const location = `${request.base}/Users/${id}`;
  return { status, headers: { location }, body: projected(request.query, body) };
}

async function create(request: DirectoryRequest): Promise<DirectoryReply> {
  const id = await createUser(request.scope, writtenUser(request.body));
  return read(request, id, 201);
}

async function replace(request: DirectoryRequest): Promise<DirectoryReply> {
  await changeUser(request.scope, request.id, () => request.body);
  return read(request);
}

async function patch(request: DirectoryRequest): Promise<DirectoryReply> {
  const operations = patchOperations(request.body);
  await changeUser(request.scope, request.id, (current) => patched(current, operations));
  return read(request);
}

async function remove({ scope, id }: DirectoryRequest): Promise<DirectoryReply> {
  await deleteUser(scope, id);
  return { status: 204 };
}

export const USER_ROWS: readonly DirectoryRoute[] = [
  { method: 'GET', path: '/Users', serve: (request) => listPage(request, source(request)) },
  { method: 'POST', path: '/Users', serve: create },
  { method: 'GET', path: '/Users/{id}', serve: (request) => read(request) },
  { method: 'PUT', path: '/Users/{id}', serve: replace },
  { method: 'PATCH', path: '/Users/{id}', serve: patch },
  { method: 'DELETE', path: '/Users/{id}', serve: remove },
];
