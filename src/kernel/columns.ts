import type { GraphQLResolveInfo } from 'graphql';
import { isStored, type Attribute } from './attribute.js';
import type { Catalog } from './catalog.js';
import { columnOf, type Edge, type Resource } from './resource.js';
import { isBareReference, type Requested } from './selection.js';
import { column, flat, join, raw, sql, type Sql } from './sql.js';

/** The select list that a document needs from one resource, and what is computed after it. */
export interface Columns {
  /** Equal keys mean the same values of each row, so that such reads can share a statement. */
  readonly key: string;
  readonly list: (alias: string) => Sql;
  readonly computed: readonly Attribute[];
  /** Attributes that not everybody who sees the row may see. */
  readonly secret: readonly Attribute[];
}

type Item = readonly [name: string, expression: (alias: string) => Sql];

/** By resource as well: one selection of the query `node` is asked of several. */
const remembered = new WeakMap<Requested, Map<Resource, Columns>>();

/** Reads exactly what is selected: columns, SQL-computed attributes, references with their names. */
export function columnsFor(
  resource: Resource,
  asked: Requested,
  catalog: Catalog,
  info: Pick<GraphQLResolveInfo, 'fragments'>,
): Columns {
  const memory = remembered.get(asked) ?? new Map<Resource, Columns>();
  remembered.set(asked, memory);
  const known = memory.get(resource);
  if (known) return known;
  const names = new Set<string>(['id']);
  const edges: Edge[] = [];
  for (const [name, below] of asked.fields) {
    const edge = resource.edges.get(name);
    if (edge && isBareReference(info, below)) edges.push(edge);
    else if (edge) names.add(edge.attribute);
    else names.add(name);
    for (const need of resource.relations.get(name)?.needs ?? []) names.add(need);
  }
  const columns = columnsOf(resource, names, edges, catalog);
  memory.set(resource, columns);
  return columns;
}

/** The select list for attributes by name; names that are no attributes are left alone. */
export function columnsOf(
  resource: Resource,
  names: Iterable<string>,
  edges: readonly Edge[],
  catalog: Catalog,
): Columns {
  const wanted = new Map<string, Attribute>();
  const want = (name: string): void => {
    const attribute = resource.attributes.get(name);
    if (!attribute || wanted.has(name)) return;
    wanted.set(name, attribute);
    attribute.compute?.needs.forEach(want);
    attribute.secret?.needs.forEach(want);
  };
  for (const name of names) want(name);
  const attributes = [...wanted.values()];
  const items: Item[] = [
    ...attributes.filter((a) => !a.compute).map((a): Item => [a.name, expressionOf(a)]),
    ...edges.map((e): Item => [e.name, bareReference(e, resource, catalog)]),
  ];
  const computed = attributes.filter((a) => a.compute);
  const lists = new Map<string, Sql>();
  return {
    key: `${resource.name}:${items.map(([name]) => name).join(',')};${computed.map(({ name }) => name).join(',')}`,
    list: (alias) => {
      const known = lists.get(alias) ?? flat(selectList(items, alias));
      lists.set(alias, known);
      return known;
    },
    computed,
    secret: attributes.filter((a) => a.secret),
  };
}

const selectList = (items: readonly Item[], alias: string): Sql =>
  join(
    items.map(([name, expression]) => sql`${expression(alias)} as ${raw(`"${name}"`)}`),
    ', ',
  );

function expressionOf(a: Attribute): (alias: string) => Sql {
  const { sql: computed } = a;
  if (computed) return (alias) => computed(alias);
  if (!isStored(a)) throw new Error(`${a.name} has no expression`);
  return (alias) => column(alias, columnOf(a));
}

/** `{id, name}` of the target beside the row itself: no statement of its own, no permission asked. */
function bareReference(edge: Edge, resource: Resource, catalog: Catalog): (alias: string) => Sql {
  const target = catalog.get(edge.target);
  const attribute = resource.attributes.get(edge.attribute);
  if (!attribute) throw new Error(`${resource.name} has no attribute ${edge.attribute}`);
  const key = columnOf(attribute);
  const named = target.attributes.has('name') ? raw(`, 'name', "r"."name"`) : raw('');
  return (alias) =>
    sql`(select json_build_object('id', "r"."id"${named}) from ${raw(`"${target.table}"`)} "r" where "r"."id" = ${column(alias, key)})`;
}
