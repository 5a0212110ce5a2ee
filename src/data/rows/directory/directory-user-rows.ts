import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected, TableRow } from '../../prisma/models.js';
import { clock } from '../clock/index.js';

const USER = {
  ...{ id: true, createdAt: true, updatedAt: true, revision: true, identityId: true },
  ...{ userName: true, externalId: true, active: true, attributes: true },
} as const;

export type DirectoryUserRow = Selected<'DirectoryUser', typeof USER>;

/** The way in which users of a directory are chosen. */
export interface UserChoice {
  readonly id?: string | { readonly in: string[] };
  readonly userKey?: string;
  readonly externalId?: string;
}

const present = (directoryId: string, choice: UserChoice = {}) => ({
  directoryId,
  deletedAt: null,
  ...choice,
});

/** The users of a directory that its provider has not deleted, by their ids. */
export const find = (
  rows: Rows,
  directoryId: string,
  choice: UserChoice,
): Promise<DirectoryUserRow[]> =>
  rows.readModel((models) =>
    models.directoryUser.findMany({
      where: present(directoryId, choice),
      select: USER,
      orderBy: { id: 'asc' },
    }),
  );

/** A page of them. For a model with an offset, Prisma would make a new plan at each page. */
export async function page(
  rows: Rows,
  directoryId: string,
  { skip, take }: { readonly skip: number; readonly take: number },
): Promise<DirectoryUserRow[]> {
  const page = await rows.query(
    sql<{
      id: string;
    }>`select id from directory_user where directory_id = ${directoryId}::text and deleted_at is null
      order by id offset ${skip}::int limit ${take}::int`,
  );
  return find(rows, directoryId, { id: { in: page.map(({ id }) => id) } });
}

/** The users after one of them. */
export const after = (
  rows: Rows,
  directoryId: string,
  id: string,
  take: number,
): Promise<DirectoryUserRow[]> =>
  rows.readModel((models) =>
    models.directoryUser.findMany({
      where: { ...present(directoryId), id: { gt: id } },
      select: USER,
      orderBy: { id: 'asc' },
      take,
    }),
  );

/** The ids of the users after one of them, with those whom the provider has deleted. */
export const idsAfter = (
  rows: Rows,
  directoryId: string,
  id: string,
  take: number,
): Promise<{ id: string }[]> =>
  rows.readModel((models) =>
    models.directoryUser.findMany({
      where: { directoryId, id: { gt: id } },
      select: { id: true },
      orderBy: { id: 'asc' },
      take,
    }),
  );

export const count = (rows: Rows, directoryId: string): Promise<number> =>
  rows.readModel((models) => models.directoryUser.count({ where: present(directoryId) }));

/** Gives those of the ids that are users of a directory. A statement takes any number of ids. */
export async function among(
  rows: Rows,
  directoryId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const users = await rows.query(
    sql<{ id: string }>`select id from directory_user where directory_id = ${directoryId}::text
      and deleted_at is null and id = any(${[...ids]}::text[])`,
  );
  return new Set(users.map(({ id }) => id));
}

/** The ids of users whose time of grace is over, in their order. The grace is that of the directory. */
export const due = (
  rows: Rows,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<{ id: string }[]> =>
  rows.query(
    sql<{ id: string }>`select u.id from directory_user u join directory d on d.id = u.directory_id
      where u.id > ${after}::text and u.deleted_at + make_interval(mins => d.deletion_grace_minutes) <= ${clock.NOW}
      order by u.id limit ${limit}::int`,
  );

/** A group of a user. */
export type GroupOfUser = Pick<TableRow<'RoleAssignment'>, 'identityId'> &
  Pick<TableRow<'DirectoryGroup'>, 'id' | 'displayName'>;

/** The groups of users of a directory, in one statement for all of them. */
export const groupsOf = (
  rows: Rows,
  { directoryId, source }: { readonly directoryId: string; readonly source: string },
  identityIds: readonly string[],
): Promise<GroupOfUser[]> =>
  rows.query(
    sql<GroupOfUser>`select a.identity_id as "identityId", g.id, g.display_name as "displayName"
      from role_assignment a join directory_group g
        on g.directory_id = ${directoryId}::text and g.role_attribute = a.role_attribute
      where a.source = ${source}::text and a.identity_id = any(${[...identityIds]}::text[])
      order by a.identity_id, g.id`,
  );
