import { snakeCase } from '../base/names.js';
import type { Relation } from '../kernel/declare/resource.js';
import { attributeOf, type ResourceName } from '../kernel/declare/rows.js';
import { textsOf } from '../base/row.js';
import { column, sql } from '../base/sql.js';
import { isAmong } from '../kernel/declare/match.js';

/** Relates a parent to the rows of another resource that reference it. */
export const childrenOf = (
  name: string,
  target: ResourceName,
  attribute: string,
  description: string,
  path?: string | false,
): Relation => ({
  name,
  target,
  description,
  ...(path === undefined ? {} : { path }),
  scope: (parent) => ({
    predicate: (alias) => sql`${column(alias, snakeCase(attribute))} = ${parent.id}::text`,
  }),
  link: (outer, inner) => sql`${column(inner, snakeCase(attribute))} = ${column(outer, 'id')}`,
});

/** Relates a parent to the entities whose ids it lists. */
export const elementsOf = (
  name: string,
  target: ResourceName,
  attribute: string,
  description: string,
  path?: string,
): Relation => ({
  name,
  target,
  description,
  ...(path === undefined ? {} : { path }),
  needs: [attribute],
  scope: (parent) => ({
    predicate: (alias) => isAmong(alias, textsOf(attributeOf(parent, attribute))),
    total: () => textsOf(attributeOf(parent, attribute)).length,
  }),
  link: (outer, inner) => sql`${column(inner, 'id')} = any(${column(outer, snakeCase(attribute))})`,
});

/** Relates a parent to the entities that list its id. */
export const listersOf = (
  name: string,
  target: ResourceName,
  attribute: string,
  description: string,
): Relation => ({
  name,
  target,
  description,
  scope: (parent) => ({
    predicate: (alias) => sql`${column(alias, snakeCase(attribute))} @> ${[parent.id]}::text[]`,
  }),
  link: (outer, inner) =>
    sql`${column(inner, snakeCase(attribute))} @> array[${column(outer, 'id')}]`,
});
