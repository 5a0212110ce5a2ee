import { and, column, join, raw, sql, TRUE, type Queryable, type Sql } from '../../base/sql.js';
import type { JsonObject } from '../../base/row.js';
import { isAmong, matches, storedAttribute } from '../declare/match.js';
import { columnOf, type Resource } from '../declare/resource.js';
import { scoped } from '../declare/symbols.js';

/*
 * Statements about the rows of any resource, with the table alias `e`. Not models: declarations give columns and
 * conditions as expressions of SQL.
 */

const E = 'e';

const tableOf = ({ table }: Resource): Sql => raw(`"${table}" "${E}"`);

type IdRow = { id: string };

/** The given ids that exist. */
export const existingIds = (
  store: Queryable,
  resource: Resource,
  ids: readonly string[],
): Promise<IdRow[]> => {
  const where = scoped(resource, E, isAmong(E, ids));
  return store.query(sql<IdRow>`select "e"."id" from ${tableOf(resource)} where ${where}`);
};

/** The next rows by id; `columns` is a select list. */
export const nextRows = <R>(
  store: Queryable,
  resource: Resource,
  columns: Sql,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<R[]> => {
  const where = scoped(resource, E, sql`"e"."id" > ${after}::text`);
  return store.query(
    sql<R>`select ${columns} from ${tableOf(resource)} where ${where} order by "e"."id" limit ${raw(String(limit))}`,
  );
};

/** The next rows in the order of these texts, the last of which is the id. */
export const nextRowsBy = <R>(
  store: Queryable,
  resource: Resource,
  columns: Sql,
  order: readonly string[],
  { after, limit }: { readonly after: readonly string[] | undefined; readonly limit: number },
): Promise<R[]> => {
  const keys = join(
    order.map((name) => column(E, columnOf(storedAttribute(resource, name)))),
    ', ',
  );
  const values = after?.map((value) => sql`${value}::text`);
  const following = values ? sql`(${keys}) > (${join(values, ', ')})` : TRUE;
  return store.query(
    sql<R>`select ${columns} from ${tableOf(resource)} where ${scoped(resource, E, following)} order by ${keys} limit ${raw(String(limit))}`,
  );
};

/** The rows whose attributes have these values; `columns` is a select list. */
export const matchingRows = <R>(
  store: Queryable,
  resource: Resource,
  columns: Sql,
  match: object,
): Promise<R[]> => {
  const where = matches(resource, E, match);
  return store.query(sql<R>`select ${columns} from ${tableOf(resource)} where ${where}`);
};

type NameRow = { readonly id: string; readonly name: string };

/** The names of entities, including those of other resources in the same table. */
export const namesById = (
  store: Queryable,
  resource: Resource,
  ids: readonly string[],
): Promise<NameRow[]> =>
  store.query(
    sql<NameRow>`select "e"."id", "e"."name" from ${tableOf(resource)} where ${isAmong(E, ids)}`,
  );

/** The next names in byte order, after a name when given, including those of other resources. */
export const nextNames = (
  store: Queryable,
  resource: Resource,
  after: string | undefined,
  limit: number,
): Promise<NameRow[]> => {
  const following = after === undefined ? TRUE : sql`"e"."name" > ${after}::text`;
  return store.query(
    sql<NameRow>`select "e"."id", "e"."name" from ${tableOf(resource)} where ${following} order by "e"."name" limit ${limit}::int`,
  );
};

/** An entity with one of the requested values. */
export type HolderRow = NameRow & { readonly value: string };

/** The entities with one of these values, including those of other resources in the same table. */
export const holdersOf = (
  store: Queryable,
  resource: Resource,
  attribute: string,
  values: readonly string[],
): Promise<HolderRow[]> => {
  const value = column(E, columnOf(storedAttribute(resource, attribute)));
  return store.query(
    sql<HolderRow>`select "e"."id", "e"."name", ${value} as value from ${tableOf(resource)} where ${value} = any(${values}::text[])`,
  );
};

/** Values by the names of their attributes, and the ids of the entities that share them. */
export type SharedValuesRow = { readonly ids: string[] };

/** The combinations of these attributes that several entities share. */
export const sharedValues = (
  store: Queryable,
  resource: Resource,
  names: readonly string[],
  limit: number,
): Promise<SharedValuesRow[]> => {
  const columns = names.map((name) => raw(`"${columnOf(storedAttribute(resource, name))}"`));
  const isSet = and(...columns.map((each) => sql`${each} is not null`));
  const list = join(columns, ', ');
  const named = join(
    columns.map((each, i) => sql`${each} as ${raw(`"${names[i] ?? ''}"`)}`),
    ', ',
  );
  return store.query(
    sql<SharedValuesRow>`select array_agg(id order by id) as ids, ${named} from ${raw(`"${resource.table}"`)} where ${isSet} group by ${list} having count(*) > 1 limit ${raw(String(limit))}`,
  );
};

/** An entity of one of several resources. */
export interface TypedRow {
  /** The name of its resource. */
  readonly type: string;
  readonly id: string;
  /** Values by the names of their attributes, as in JSON. */
  readonly values: JsonObject;
}

/** Some entities of one resource, with some of their attributes. */
export interface RowSelection {
  readonly resource: Resource;
  readonly attributes: readonly string[];
  readonly where: (alias: string) => Sql;
}

/** The selected entities of all these resources, in one statement. */
export function typedRows(selections: readonly RowSelection[]): Sql<TypedRow> {
  const branches = selections.map(({ resource, attributes, where }) => {
    const members = attributes.map(
      (name) => sql`${raw(`'${name}'`)}, ${column(E, columnOf(storedAttribute(resource, name)))}`,
    );
    return sql`select ${raw(`'${resource.name}'`)} as "type", "e"."id", json_build_object(${join(members, ', ')}) as "values" from ${tableOf(resource)} where ${scoped(resource, E, where(E))}`;
  });
  return sql<TypedRow>`${join(branches, ' union all ')}`;
}

type CountRow = { readonly list: string; readonly count: number };

/** How many entities each of the resources has, by the names of their lists. */
export const countEntities = (
  store: Queryable,
  resources: readonly Resource[],
): Promise<CountRow[]> => {
  const counts = resources.map(
    (each) =>
      sql`select ${each.list}::text as list, count(*)::int as count from ${tableOf(each)} where ${scoped(each, E, TRUE)}`,
  );
  return store.query(sql<CountRow>`${join(counts, ' union all ')}`);
};
