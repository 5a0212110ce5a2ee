import { GraphQLJSON } from 'graphql-scalars';
import { ArgsType, Field, InputType, Int, ObjectType, type ClassType } from 'type-graphql';
import { DateTime } from '../../base/date-time.js';
import type { FilterSymbol } from '../filter/index.js';
import {
  attributesOf,
  filterNamesOf,
  object,
  type Attribute,
  type AttributeType,
  type Shape,
} from '../declare/attribute.js';
import type { Catalog } from '../declare/catalog.js';
import { emptyClass, enumOf, outputType } from './graphql-types.js';
import { lowerFirst, nounWithArticle } from '../../base/names.js';
import { narrowingArguments, type Resource } from '../declare/resource.js';

/** Types that every list of the graph uses: page information, filters of each kind. */

const SORT_DIRECTION = enumOf(
  'SortDirection',
  { asc: 'The smallest first.', desc: 'The largest first.' },
  'The direction of an order.',
);

type Members = Record<
  string,
  readonly [
    type: () => unknown,
    description: string,
    nullable?: boolean,
    deprecationReason?: string | undefined,
  ]
>;

function declare(target: ClassType, members: Members, nullable: boolean): ClassType {
  for (const [name, [type, description, own, deprecationReason]] of Object.entries(members)) {
    const deprecation = deprecationReason === undefined ? {} : { deprecationReason };
    Field(type as () => typeof String, { description, nullable: own ?? nullable, ...deprecation })(
      target.prototype,
      name,
    );
  }
  return target;
}

function input(name: string, description: string, members: Members): ClassType {
  const target = emptyClass(name);
  InputType(name, { description })(target);
  return declare(target, members, true);
}

function output(name: string, description: string, members: Members): ClassType {
  const target = emptyClass(name);
  ObjectType(name, { description, simpleResolvers: true })(target);
  return declare(target, members, false);
}

const equality = (type: () => unknown): Members => ({
  eq: [type, 'Equal to.'],
  ne: [type, 'Not equal to; a missing value is unequal to any.'],
  in: [() => [type()], 'Equal to one of.'],
  notIn: [() => [type()], 'Equal to none of.'],
  isNull: [() => Boolean, 'Whether there is no value.'],
});

const comparisons = (type: () => unknown): Members => ({
  ...equality(type),
  lt: [type, 'Less than.'],
  lte: [type, 'At most.'],
  gt: [type, 'Greater than.'],
  gte: [type, 'At least.'],
});

const range = (type: () => unknown): Members => ({
  between: [() => [type()], 'Two values: at least the first, less than the second.'],
  notBetween: [() => [type()], 'The opposite of `between`.'],
});

const CONTAINS: Members = {
  contains: [() => String, 'Has this text in it.'],
  notContains: [() => String, 'Does not have this text in it.'],
  icontains: [() => String, 'Has this text in it, in upper or lower case.'],
  notIcontains: [() => String, 'Does not have this text in it, in upper or lower case.'],
};

const STRING_FILTER = input('StringFilter', 'Conditions on a text, compared by bytes.', {
  ...comparisons(() => String),
  ...CONTAINS,
});
const INT_FILTER = input('IntFilter', 'Conditions on a whole number.', {
  ...comparisons(() => Int),
  ...range(() => Int),
});
const BOOLEAN_FILTER = input('BooleanFilter', 'Conditions on a truth value.', {
  eq: [() => Boolean, 'Equal to.'],
  ne: [() => Boolean, 'Not equal to.'],
  isNull: [() => Boolean, 'Whether there is no value.'],
});
const TIME_FILTER = input('DateTimeFilter', 'Conditions on an instant.', {
  ...comparisons(() => DateTime),
  ...range(() => DateTime),
});
const SET_MEMBERS: Members = {
  anyOf: [() => STRING_FILTER, 'Some element matches.'],
  allOf: [() => STRING_FILTER, 'Every element matches; true of an empty set.'],
  noneOf: [() => STRING_FILTER, 'No element matches.'],
  count: [() => INT_FILTER, 'The number of elements matches.'],
  isEmpty: [() => Boolean, 'Whether the set is empty.'],
};
const SET_FILTER = input('StringSetFilter', 'Conditions on a set of texts.', SET_MEMBERS);
const MAP_FILTER = input(
  'MapEntryFilter',
  'Conditions on one member of a free map such as `tags`.',
  {
    key: [() => String, 'The member; dots lead into nested maps.', false],
    ...comparisons(() => GraphQLJSON),
    ...range(() => GraphQLJSON),
    ...CONTAINS,
  },
);

const PAGE_INFO = output('PageInfo', 'The position of a page in its list.', {
  hasNextPage: [() => Boolean, 'Whether more nodes follow.'],
  hasPreviousPage: [() => Boolean, 'Whether nodes come before.'],
  startCursor: [() => String, 'Cursor of the first node.', true],
  endCursor: [() => String, 'Cursor of the last node.', true],
});
export const PAGINATION = output(
  'Pagination',
  'The effective paging, in the terms of the REST interface.',
  {
    limit: [() => Int, 'Largest number of rows; null when unlimited.', true],
    offset: [() => Int, 'Number of rows skipped before the first.'],
    totalCount: [() => Int, 'Rows that match, on all pages together.'],
  },
);

/** The types that one resource adds for its lists. */
export interface ListTypes {
  readonly connection: ClassType;
  readonly args: ClassType;
  readonly where: ClassType;
}

const built = new Map<string, ListTypes>();

export function listTypes(resource: Resource, catalog: Catalog): ListTypes {
  const existing = built.get(resource.name);
  if (existing) return existing;
  const where = emptyClass(`${resource.name}Where`);
  const types: ListTypes = {
    connection: connectionType(resource.name, () => resource.shape),
    where,
    args: argsClass(resource, where, catalog),
  };
  built.set(resource.name, types);
  whereClass(where, resource, catalog);
  return types;
}

/** Makes the connection type of a list; `others` are further members, or replace usual ones. */
export function connectionType(
  name: string,
  shape: () => unknown,
  others: Members = {},
): ClassType {
  const edge = output(`${name}Edge`, `One ${name} of a list.`, {
    cursor: [() => String, 'Its position, for `after` and `before`.'],
    node: [shape, 'The entity itself.'],
  });
  return output(`${name}Connection`, `A page of a list of ${name}.`, {
    nodes: [() => [shape()], 'The entities of this page.'],
    edges: [() => [edge], 'The entities with their cursors.'],
    pageInfo: [() => PAGE_INFO, 'The position of the page in the list.'],
    totalCount: [() => Int, 'Exact number of matches on all pages together.'],
    pagination: [() => PAGINATION, 'The effective limit and offset with the total.'],
    ...others,
  });
}

/** Makes the connection type of a declared answer. */
export const connectionOf = (shape: Shape, name = shape.name): ClassType =>
  connectionType(name, outputType(object(() => shape)));

/** `primary.cert.allowed` is `primary__cert__allowed` where GraphQL wants a name. */
const graphName = (symbol: string): string => symbol.replaceAll('.', '__');

function argsClass(resource: Resource, where: ClassType, catalog: Catalog): ClassType {
  const symbols = catalog.symbols(resource);
  const sortable = symbols.names().filter((n) => {
    const symbol = symbols.get(n);
    return (symbol?.shape === 'value' || symbol?.shape === 'map') && symbol.sortable !== false;
  });
  const field = enumOf(
    `${resource.name}OrderField`,
    Object.fromEntries(sortable.map((name) => [graphName(name), meaningOf(resource, name)])),
    'The fields by which a list can be ordered.',
    Object.fromEntries(
      sortable.flatMap((name) => {
        const by = symbols.get(name)?.replacedBy;
        return by === undefined ? [] : [[graphName(name), `use \`${graphName(by)}\``]];
      }),
    ),
  );
  const order = input(`${resource.name}OrderBy`, 'One term of an order.', {
    field: [() => field, 'The field to order by.', false],
    key: [
      () => String,
      'The member to order by, of a field that is a map such as `tags`; dots lead into nested maps.',
    ],
    direction: [() => SORT_DIRECTION, 'Default `asc`.'],
  });
  const args = emptyClass(`${resource.name}ListArgs`);
  ArgsType()(args);
  return declare(
    args,
    {
      filter: [
        () => String,
        'Condition in the filter language of the REST interface; may hold `sort by`, `skip` and `limit` clauses.',
      ],
      where: [() => where, 'The same as typed input; both must hold when both are given.'],
      orderBy: [() => [order], 'Default: `id` ascending, by bytes; `id` always comes last.'],
      first: [() => Int, 'Page size from the start, 0 to 500, default 25.'],
      after: [() => String, 'Only nodes after this cursor.'],
      last: [() => Int, 'Page size from the end, 0 to 500.'],
      before: [() => String, 'Only nodes before this cursor.'],
      offset: [() => Int, 'Number of rows to skip.'],
      limit: [
        () => Int,
        'Page size by the rules of the REST interface: 0 is 10, above 500 is 500, -1 is unlimited as far as the list can be read at once.',
      ],
      sort: [() => String, 'Order in the words of the filter language: `name desc, createdAt`.'],
      ...Object.fromEntries(
        narrowingArguments(resource).map(
          ({ name, isList, description }): [string, Members[string]] => [
            name,
            [() => (isList ? [String] : String), description],
          ],
        ),
      ),
    },
    true,
  );
}

function meaningOf(resource: Resource, name: string): string {
  const [relation] = name.split('.');
  const counted = name.endsWith('.totalCount') ? resource.relations.get(relation ?? '') : undefined;
  if (counted) return `How many there are: ${lowerFirst(counted.description)}`;
  return attributeOf(resource, name)?.description ?? `By \`${name}\`.`;
}

/** The attribute of a filter name: `primary.cert.allowed` lies in nested objects. */
function attributeOf(resource: Resource, name: string): Attribute | undefined {
  const [first = '', ...rest] = name.split('.');
  const attributes = [...resource.attributes.values()];
  let attribute =
    attributes.find((a) => filterNamesOf(a).includes(first)) ?? resource.attributes.get(first);
  for (const member of rest) {
    const type = attribute?.type;
    attribute =
      type?.kind === 'object' ? attributesOf(type.of()).find((a) => a.name === member) : attribute;
  }
  return attribute;
}

function whereClass(target: ClassType, resource: Resource, catalog: Catalog): void {
  InputType(`${resource.name}Where`, {
    description: `Conditions on ${nounWithArticle(resource.name)}; all that are given must hold.`,
  })(target);
  const symbols = catalog.symbols(resource);
  const members: Members = {
    and: [() => [target], 'All of these hold.'],
    or: [() => [target], 'One of these holds.'],
    not: [() => target, 'This does not hold.'],
  };
  for (const name of symbols.names()) {
    const symbol = symbols.get(name);
    if (!symbol) continue;
    members[graphName(name)] = [
      filterType(symbol, resource, catalog),
      `Conditions on \`${name}\`.`,
      true,
      symbol.replacedBy === undefined ? undefined : `use \`${graphName(symbol.replacedBy)}\``,
    ];
  }
  declare(target, members, true);
}

const SHAPES: Partial<Record<FilterSymbol['shape'], () => unknown>> = {
  map: () => [MAP_FILTER],
  set: () => SET_FILTER,
};
const VALUES: Partial<Record<FilterSymbol['type'], () => unknown>> = {
  bool: () => BOOLEAN_FILTER,
  datetime: () => TIME_FILTER,
  int: () => INT_FILTER,
  float: () => INT_FILTER,
};

function filterType(symbol: FilterSymbol, resource: Resource, catalog: Catalog): () => unknown {
  if (symbol.shape === 'link') {
    const target = resource.relations.get(symbol.name)?.target ?? resource.name;
    const filter = linkFilter(catalog.get(target), catalog);
    return () => filter;
  }
  const { type, description } = attributeOf(resource, symbol.name) ?? {};
  if (type?.kind === 'enum') {
    const filter = enumFilter(type, description);
    return () => filter;
  }
  return SHAPES[symbol.shape] ?? VALUES[symbol.type] ?? (() => STRING_FILTER);
}

const enumFilters = new Map<string, ClassType>();

function enumFilter(
  type: Extract<AttributeType, { kind: 'enum' }>,
  description: string | undefined,
): ClassType {
  const existing = enumFilters.get(type.name);
  if (existing) return existing;
  const value = outputType(type, description);
  const filter = input(`${type.name}Filter`, `Conditions on a ${type.name}.`, equality(value));
  enumFilters.set(type.name, filter);
  return filter;
}

const links = new Map<string, ClassType>();

function linkFilter(target: Resource, catalog: Catalog): ClassType {
  const existing = links.get(target.name);
  if (existing) return existing;
  // Registered before its members, because links can lead back to it.
  const filter = emptyClass(`${target.name}LinkFilter`);
  links.set(target.name, filter);
  InputType(`${target.name}LinkFilter`, {
    description: `Conditions on a linked set of ${target.name}; the plain ones compare ids.`,
  })(filter);
  const { where } = listTypes(target, catalog);
  return declare(
    filter,
    {
      some: [() => where, 'Some linked entity matches.'],
      none: [() => where, 'No linked entity matches.'],
      ...SET_MEMBERS,
    },
    true,
  );
}
