import { getArgumentValues, type GraphQLObjectType, type GraphQLResolveInfo } from 'graphql';
import { isStored, type Attribute } from '../declare/attribute.js';
import type { Catalog } from '../declare/catalog.js';
import { columnOf, shapingArguments, type Edge, type Resource } from '../declare/resource.js';
import type { JsonObject } from '../../base/row.js';
import { isBareReference, type Requested } from './selection.js';
import { column, flat, join, raw, sql, type Sql } from '../../base/sql.js';
import { merged } from '../../base/merged.js';

/** The select list that a document needs from one resource, and its computed attributes. */
export interface Columns {
  /** Equal keys mean the same values of each row, so that such reads can share a statement. */
  readonly key: string;
  readonly list: (alias: string) => Sql;
  readonly computed: readonly Attribute[];
  /** For computed attributes with arguments: each set of arguments in the document. */
  readonly variants?: ReadonlyMap<string, readonly Variant[]>;
  /** Attributes that some readers of the row may not see. */
  readonly secret: readonly Attribute[];
}

/** The arguments with which a document asks for a computed attribute. */
export interface Variant {
  /** The member of the row that holds the value. */
  readonly key: string;
  readonly options: JsonObject;
}

/** Gives the variant of an attribute with these arguments; null counts as absent. */
export function variantOf(attribute: string, args: JsonObject): Variant {
  const presentArguments = Object.entries(args).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  const options = Object.fromEntries(presentArguments.sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    key: presentArguments.length === 0 ? attribute : attribute + JSON.stringify(options),
    options,
  };
}

type Item = readonly [name: string, expression: (alias: string) => Sql];

/** Columns by selection and resource: the selection of a `node` query can serve several resources. */
const columnsCache = new WeakMap<Requested, Map<Resource, Columns>>();

/**
 * Gives the columns of a selection: columns, attributes computed by SQL, references with their
 * names.
 */
export function columnsFor(
  resource: Resource,
  selection: Requested,
  catalog: Catalog,
  info: DocumentInfo,
): Columns {
  const columns = fixedColumns(resource, selection, catalog, info);
  const withArguments = columns.computed.filter(
    ({ name }) => shapingArguments(resource, name).length > 0,
  );
  if (withArguments.length === 0) return columns;
  const variants = new Map(
    withArguments.map(({ name }) => [name, variantsOf(resource, name, selection, info)]),
  );
  const keys = [...variants.values()].flatMap((each) => each.map(({ key }) => key));
  return merged(columns, { key: `${columns.key};${keys.join(',')}`, variants });
}

type DocumentInfo = Pick<GraphQLResolveInfo, 'fragments' | 'schema' | 'variableValues'>;

function variantsOf(
  resource: Resource,
  attribute: string,
  { nodes }: Requested,
  { schema, variableValues }: DocumentInfo,
): readonly Variant[] {
  const field = (schema.getType(resource.name) as GraphQLObjectType).getFields()[attribute];
  if (!field) return [];
  const variants = (nodes.get(attribute) ?? []).map((node) =>
    variantOf(attribute, getArgumentValues(field, node, variableValues)),
  );
  return [...new Map(variants.map((variant) => [variant.key, variant])).values()];
}

/** The columns that do not depend on variables. */
function fixedColumns(
  resource: Resource,
  selection: Requested,
  catalog: Catalog,
  info: Pick<GraphQLResolveInfo, 'fragments'>,
): Columns {
  const byResource = columnsCache.get(selection) ?? new Map<Resource, Columns>();
  columnsCache.set(selection, byResource);
  const cachedColumns = byResource.get(resource);
  if (cachedColumns) return cachedColumns;
  const names = new Set<string>(['id']);
  const edges: Edge[] = [];
  for (const [name, below] of selection.fields) {
    const edge = resource.edges.get(name);
    if (edge && isBareReference(info, below)) edges.push(edge);
    else if (edge) names.add(edge.attribute);
    else names.add(name);
    for (const need of resource.relations.get(name)?.needs ?? []) names.add(need);
  }
  const columns = columnsOf(resource, names, edges, catalog);
  byResource.set(resource, columns);
  return columns;
}

/** The select list of attributes by name; other names are ignored. */
export function columnsOf(
  resource: Resource,
  names: Iterable<string>,
  edges: readonly Edge[],
  catalog: Catalog,
): Columns {
  const attributesByName = new Map<string, Attribute>();
  const addAttribute = (name: string): void => {
    const attribute = resource.attributes.get(name);
    if (!attribute || attributesByName.has(name)) return;
    // Attributes are computed in this order, each after those that it needs.
    attribute.compute?.needs.forEach(addAttribute);
    attributesByName.set(name, attribute);
    attribute.secret?.needs.forEach(addAttribute);
  };
  for (const name of names) addAttribute(name);
  const attributes = [...attributesByName.values()];
  const items: Item[] = [
    ...attributes.filter((a) => !a.compute).map((a): Item => [a.name, expressionOf(a)]),
    ...edges.map((e): Item => [e.name, bareReference(e, resource, catalog)]),
  ];
  const computed = attributes.filter((a) => a.compute);
  const lists = new Map<string, Sql>();
  return {
    key: `${resource.name}:${items.map(([name]) => name).join(',')};${computed.map(({ name }) => name).join(',')}`,
    list: (alias) => {
      const cachedList = lists.get(alias) ?? flat(selectList(items, alias));
      lists.set(alias, cachedList);
      return cachedList;
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

/**
 * Selects `{id, name}` of the target together with the row: no extra statement and no permission
 * check.
 */
function bareReference(edge: Edge, resource: Resource, catalog: Catalog): (alias: string) => Sql {
  const target = catalog.get(edge.target);
  const attribute = resource.attributes.get(edge.attribute);
  if (!attribute) throw new Error(`${resource.name} has no attribute ${edge.attribute}`);
  const key = columnOf(attribute);
  const nameMember = target.attributes.has('name') ? raw(`, 'name', "r"."name"`) : raw('');
  return (alias) =>
    sql`(select json_build_object('id', "r"."id"${nameMember}) from ${raw(`"${target.table}"`)} "r" where "r"."id" = ${column(alias, key)})`;
}
