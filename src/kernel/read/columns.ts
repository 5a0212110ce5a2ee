import { getArgumentValues, type GraphQLObjectType, type GraphQLResolveInfo } from 'graphql';
import { isStored, type Attribute } from '../declare/attribute.js';
import type { Catalog } from '../declare/catalog.js';
import { columnOf, shapingArguments, type Edge, type Resource } from '../declare/resource.js';
import type { JsonObject } from '../../base/row.js';
import { isBareReference, type Requested } from './selection.js';
import { column, flat, join, raw, sql, type Sql } from '../../base/sql.js';

/** The select list that a document needs from one resource, and what is computed after it. */
export interface Columns {
  /** Equal keys mean the same values of each row, so that such reads can share a statement. */
  readonly key: string;
  readonly list: (alias: string) => Sql;
  readonly computed: readonly Attribute[];
  /** Of computed attributes with arguments: each way in which the document asks for them. */
  readonly variants?: ReadonlyMap<string, readonly Variant[]>;
  /** Attributes that not everybody who sees the row may see. */
  readonly secret: readonly Attribute[];
}

/** The arguments with which a document asks for a computed attribute. */
export interface Variant {
  /** The member of the row that holds the value. */
  readonly key: string;
  readonly options: JsonObject;
}

/** Null counts as not given. */
export function variantOf(attribute: string, args: JsonObject): Variant {
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null);
  const options = Object.fromEntries(given.sort(([a], [b]) => (a < b ? -1 : 1)));
  return { key: given.length === 0 ? attribute : attribute + JSON.stringify(options), options };
}

type Item = readonly [name: string, expression: (alias: string) => Sql];

/** By resource as well: one selection of the query `node` is asked of several. */
const remembered = new WeakMap<Requested, Map<Resource, Columns>>();

/** Reads exactly what is selected: columns, SQL-computed attributes, references with their names. */
export function columnsFor(
  resource: Resource,
  asked: Requested,
  catalog: Catalog,
  info: Asking,
): Columns {
  const columns = fixedColumns(resource, asked, catalog, info);
  const shaped = columns.computed.filter(({ name }) => shapingArguments(resource, name).length > 0);
  if (shaped.length === 0) return columns;
  const variants = new Map(
    shaped.map(({ name }) => [name, variantsOf(resource, name, asked, info)]),
  );
  const keys = [...variants.values()].flatMap((each) => each.map(({ key }) => key));
  return { ...columns, key: `${columns.key};${keys.join(',')}`, variants };
}

type Asking = Pick<GraphQLResolveInfo, 'fragments' | 'schema' | 'variableValues'>;

function variantsOf(
  resource: Resource,
  attribute: string,
  { nodes }: Requested,
  { schema, variableValues }: Asking,
): readonly Variant[] {
  const field = (schema.getType(resource.name) as GraphQLObjectType).getFields()[attribute];
  if (!field) return [];
  const found = (nodes.get(attribute) ?? []).map((node) =>
    variantOf(attribute, getArgumentValues(field, node, variableValues)),
  );
  return [...new Map(found.map((variant) => [variant.key, variant])).values()];
}

/** What does not depend on variables. */
function fixedColumns(
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
