import type { FilterSymbol, SymbolTable, SymbolType } from '../filter/index.js';
import { attributesOf, filterNamesOf, type Attribute, type AttributeType } from './attribute.js';
import { snakeCase } from '../../base/names.js';
import { columnOf, type Relation, type Resource } from './resource.js';
import { column, raw, sql, type Sql } from '../../base/sql.js';

const VALUE_TYPES: Partial<Record<AttributeType['kind'], SymbolType>> = {
  text: 'string',
  enum: 'string',
  reference: 'string',
  json: 'string',
  int: 'int',
  bool: 'bool',
  time: 'datetime',
};

/** Gives the target resources of relations. */
interface Targets {
  get(name: string): Resource;
  symbols(resource: Resource): SymbolTable;
}

/** The filter names of a resource: its filterable attributes, and its relations as linked sets. */
export function symbolsOf(resource: Resource, targets: Targets): SymbolTable {
  const symbols = new Map<string, FilterSymbol>();
  const add = (symbol: FilterSymbol): unknown => symbols.set(symbol.name, symbol);
  for (const attribute of resource.attributes.values()) {
    for (const symbol of attributeSymbols(attribute)) add(symbol);
  }
  for (const relation of resource.relations.values()) {
    const { link } = relation;
    if (link) add(linkSymbol(relation, link, targets));
    if (link && relation.sizes) add(sizeSymbol(relation));
  }
  return {
    entity: resource.label,
    // GraphQL names have no dots: `primary__cert__allowed` is `primary.cert.allowed`.
    get: (name) => symbols.get(name) ?? symbols.get(name.replaceAll('__', '.')),
    names: () => [...symbols.keys()],
  };
}

/**
 * The names in `meta.filterableFields`: documented attributes, and relations that are declared
 * filterable.
 */
export function filterableFields(resource: Resource, symbols: SymbolTable): string[] {
  return symbols.names().filter((name) => {
    if (symbols.get(name)?.isOfGraph) return false;
    const relation = resource.relations.get(name);
    return relation === undefined || resource.attributes.has(name) || relation.filterable === true;
  });
}

function attributeSymbols(a: Attribute): FilterSymbol[] {
  const expression = (alias: string): Sql => {
    if (typeof a.graphFilter === 'function') throw new Error(`${a.name} is filtered in a request`);
    return a.sql?.(alias) ?? column(alias, columnOf(a));
  };
  const symbols =
    a.type.kind === 'object' ? objectSymbols(a, expression) : namedSymbols(a, expression);
  return a.secret ? symbols.map((symbol) => ({ ...symbol, isSecret: true })) : symbols;
}

function objectSymbols(a: Attribute, expression: (alias: string) => Sql): FilterSymbol[] {
  if (!a.filter && !a.graphFilter) return [];
  const symbols = nestedSymbols(a.name, a, expression);
  return a.filter ? symbols : symbols.map((symbol) => ({ ...symbol, isOfGraph: true }));
}

/** The symbols of the documented names, and of the attribute's own name if it differs. */
function namedSymbols(a: Attribute, expression: (alias: string) => Sql): FilterSymbol[] {
  const names = filterNamesOf(a);
  const ownSymbol = symbolFor(a.name, a, expression);
  const documented = names.map((name) =>
    name === a.name ? ownSymbol : { ...symbolFor(name, a, expression), replacedBy: a.name },
  );
  if (names.includes(a.name)) return documented;
  const isUsable = names.length > 0 || a.graphFilter !== undefined;
  return isUsable ? [...documented, { ...ownSymbol, isOfGraph: true }] : [];
}

function symbolFor(name: string, a: Attribute, expression: (alias: string) => Sql): FilterSymbol {
  const nullable = a.nullable ?? false;
  switch (a.type.kind) {
    case 'set':
    case 'references':
    case 'roles':
      return { name, type: 'string', shape: 'set', sql: expression };
    case 'map':
      return { name, type: 'any', shape: 'map', sql: expression };
    case 'json':
      return {
        name,
        type: 'string',
        shape: 'value',
        nullable: true,
        sql: (alias) => sql`(${expression(alias)}::text collate "C")`,
      };
    default:
      return {
        name,
        type: VALUE_TYPES[a.type.kind] ?? 'any',
        shape: 'value',
        nullable,
        sql: expression,
        ...(a.storedNumbers && { numbers: a.storedNumbers }),
        ...(a.searchesOtherRows && { searchesOtherRows: true }),
      };
  }
}

/** `primary.updb.allowed`: members of a stored JSON object, typed by their own declarations. */
function nestedSymbols(
  path: string,
  a: Attribute,
  expression: (alias: string) => Sql,
): FilterSymbol[] {
  if (a.type.kind !== 'object') return [];
  return attributesOf(a.type.of()).flatMap((member) => {
    const name = `${path}.${member.name}`;
    if (member.type.kind === 'object') {
      return nestedSymbols(
        name,
        member,
        (alias) => sql`(${expression(alias)} -> ${raw(`'${member.name}'`)})`,
      );
    }
    if (member.filter !== true) return [];
    const textValue = (alias: string): Sql =>
      sql`(${expression(alias)} ->> ${raw(`'${member.name}'`)})`;
    return [
      symbolFor(name, { ...member, nullable: true }, (alias) => cast(member, textValue(alias))),
    ];
  });
}

function cast(a: Attribute, value: Sql): Sql {
  if (a.type.kind === 'bool') return sql`${value}::boolean`;
  if (a.type.kind === 'int') return sql`${value}::bigint`;
  return sql`(${value} collate "C")`;
}

/** The symbol `services.totalCount`, for lists of the graph only. */
const sizeSymbol = ({ name }: Relation): FilterSymbol => ({
  name: `${name}.totalCount`,
  type: 'int',
  shape: 'value',
  nullable: false,
  isOfGraph: true,
  sizeOf: name,
  sql: () => {
    throw new Error(`the size of ${name} is known in a request`);
  },
});

function linkSymbol(
  relation: Relation,
  link: (outer: string, inner: string) => Sql,
  targets: Targets,
): FilterSymbol {
  const target = targets.get(relation.target);
  return {
    name: relation.name,
    type: 'string',
    shape: 'link',
    sortable: false,
    link: {
      symbols: () => targets.symbols(target),
      rows: (outer, inner) => ({
        from: sql`${raw(`"${target.table}"`)} ${raw(`"${inner}"`)}`,
        where: scoped(target, inner, link(outer, inner)),
      }),
    },
  };
}

/** Adds the discriminator of resources that share a table. */
export function scoped(resource: Resource, alias: string, predicate: Sql): Sql {
  const fixed = Object.entries(resource.options.discriminator ?? {});
  return fixed.reduce(
    (all, [name, value]) =>
      sql`(${all} and ${column(alias, snakeCase(name))} = ${raw(String(value))})`,
    predicate,
  );
}
