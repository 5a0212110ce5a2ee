import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected, TableRow } from '../../prisma/models.js';

const GROUP = {
  ...{ id: true, createdAt: true, updatedAt: true, revision: true, displayName: true },
  ...{ roleAttribute: true, externalId: true, attributes: true },
} as const;

export type DirectoryGroupRow = Selected<'DirectoryGroup', typeof GROUP>;

/** The way in which groups of a directory are chosen. */
export interface GroupChoice {
  readonly id?: string | { readonly in: string[] };
  readonly displayName?: string;
  readonly externalId?: string;
}

/** The groups of a directory by their ids. */
export const find = (
  rows: Rows,
  directoryId: string,
  choice: GroupChoice,
): Promise<DirectoryGroupRow[]> =>
  rows.readModel((models) =>
    models.directoryGroup.findMany({
      where: { directoryId, ...choice },
      select: GROUP,
      orderBy: { id: 'asc' },
    }),
  );

/** A page of them. For a model with an offset, Prisma would make a new plan at each page. */
export async function page(
  rows: Rows,
  directoryId: string,
  { skip, take }: { readonly skip: number; readonly take: number },
): Promise<DirectoryGroupRow[]> {
  const page = await rows.query(
    sql<{ id: string }>`select id from directory_group where directory_id = ${directoryId}::text
      order by id offset ${skip}::int limit ${take}::int`,
  );
  return find(rows, directoryId, { id: { in: page.map(({ id }) => id) } });
}

/** The groups after one of them. */
export const after = (
  rows: Rows,
  directoryId: string,
  id: string,
  take: number,
): Promise<DirectoryGroupRow[]> =>
  rows.readModel((models) =>
    models.directoryGroup.findMany({
      where: { directoryId, id: { gt: id } },
      select: GROUP,
      orderBy: { id: 'asc' },
      take,
    }),
  );

export const count = (rows: Rows, directoryId: string): Promise<number> =>
  rows.readModel((models) => models.directoryGroup.count({ where: { directoryId } }));

/** A member of a group. */
export type MemberOfGroup = Pick<TableRow<'RoleAssignment'>, 'identityId'> & {
  readonly groupId: string;
};

/** The members of groups of a directory, in one statement for all of them. */
export const membersOf = (
  rows: Rows,
  { directoryId, source }: { readonly directoryId: string; readonly source: string },
  groupIds: readonly string[],
): Promise<MemberOfGroup[]> =>
  rows.query(
    sql<MemberOfGroup>`select g.id as "groupId", a.identity_id as "identityId"
      from directory_group g join role_assignment a
        on a.source = ${source}::text and a.role_attribute = g.role_attribute
      where g.directory_id = ${directoryId}::text and g.id = any(${[...groupIds]}::text[])
      order by g.id, a.identity_id`,
  );
