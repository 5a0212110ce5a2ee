import { and, column, join, or, raw, sql, type Sql } from '../../../base/sql.js';
import type { Catalog } from '../../../kernel/declare/catalog.js';
import type { ResourceName } from '../../../kernel/declare/rows.js';
import type { Rows } from '../../../kernel/request/store-port.js';

/*
 * Rows of any table that belong to entities that do not exist. Statements, not models: the integrity check
 * names the table.
 */

/** A table without a resource of its own, with the entities that its rows belong to. */
export interface SideTable {
  readonly name: string;
  readonly label: string;
  /** Column -> resource; the first ones are the key. */
  readonly owners: Readonly<Record<string, ResourceName>>;
  readonly key: readonly string[];
}

/** An entity that a row belongs to, and whether it is missing. */
interface Owner {
  readonly column: string;
  readonly resource: ResourceName;
  readonly id: string;
  readonly isMissing: boolean;
}

/** A row with a missing owner; its owners are in the order of the declaration. */
export type Orphan = { owners: readonly Owner[] };

export const idIn = ({ owners }: Orphan, name: string): string =>
  owners.find(({ column: at }) => at === name)?.id ?? '';

/** Gives the next rows by key that belong to a missing entity. */
export function next(
  rows: Rows,
  catalog: Catalog,
  { name, owners, key }: SideTable,
  { after, limit }: { readonly after: Orphan | undefined; readonly limit: number },
): Promise<Orphan[]> {
  const ownerChecks = Object.entries(owners).map(([at, target]) => ownerCheck(catalog, at, target));
  const list = (fragments: readonly Sql[]): Sql => join(fragments, ', ');
  const keys = list(key.map((at) => column('t', at)));
  const last = list(key.map((at) => sql`${after ? idIn(after, at) : ''}::text`));
  const where = and(
    sql`(${keys}) > (${last})`,
    or(...ownerChecks.map(({ isMissing }) => isMissing)),
  );
  const ownerList = list(ownerChecks.map(({ owner }) => owner));
  return rows.query(
    sql<Orphan>`select json_build_array(${ownerList}) as owners from ${raw(`"${name}"`)} "t" where ${where} order by ${keys} limit ${raw(String(limit))}`,
  );
}

function ownerCheck(
  catalog: Catalog,
  at: string,
  target: ResourceName,
): { readonly owner: Sql; readonly isMissing: Sql } {
  const { table } = catalog.resources[target];
  const id = column('t', at);
  const isMissing = sql`not exists (select from ${raw(`"${table}"`)} "o" where "o"."id" = ${id})`;
  const owner = sql`json_build_object('column', ${at}::text, 'resource', ${target}::text, 'id', ${id}, 'isMissing', ${isMissing})`;
  return { owner, isMissing };
}

export const remove = (tx: Rows, { name, key }: SideTable, orphan: Orphan): Promise<unknown> => {
  const equal = key.map((at) => sql`${raw(`"${at}"`)} = ${idIn(orphan, at)}::text`);
  return tx.query(sql`delete from ${raw(`"${name}"`)} where ${and(...equal)} returning 1 as one`);
};
