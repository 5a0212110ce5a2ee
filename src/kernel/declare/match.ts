import { isObject } from '../../base/row.js';
import { and, column, isOneOf, sql, type Sql } from '../../base/sql.js';
import type { Attribute } from './attribute.js';
import { columnOf, type Resource } from './resource.js';
import { scoped } from './symbols.js';

/** A condition on the ids of a table with this alias. */
export const isAmong = (alias: string, ids: readonly string[]): Sql =>
  isOneOf(column(alias, 'id'), ids);

/** The condition that attributes have these values (`MatchOf`), on rows of the resource alone. */
export const matches = (resource: Resource, alias: string, match: object): Sql =>
  scoped(
    resource,
    alias,
    and(...Object.entries(match).map(([name, value]) => hasValue(resource, alias, name, value))),
  );

function hasValue(resource: Resource, alias: string, name: string, value: unknown): Sql {
  const of = column(alias, columnOf(storedAttribute(resource, name)));
  if (Array.isArray(value)) return sql`${of} = any(${value}::text[])`;
  if (isObject(value) && 'has' in value) return sql`${value.has}::text = any(${of})`;
  if (isObject(value) && 'hasSome' in value) return sql`${of} && ${value.hasSome}::text[]`;
  return value === null ? sql`${of} is null` : sql`${of} = ${value}`;
}

/** The attribute with this name, which has a column. */
export function storedAttribute(resource: Resource, name: string): Attribute {
  const attribute = resource.attributes.get(name);
  if (!attribute) throw new Error(`${resource.name} has no attribute ${name}`);
  return attribute;
}
