import {
  attributesOf,
  isShown,
  isWritable,
  type Attribute,
  type AttributeType,
  type InputVerb,
} from '../../src/kernel/declare/attribute.js';
import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { shapingArguments, type Edge, type Resource } from '../../src/kernel/declare/resource.js';
import { entityReference, link, type Link } from '../../src/kernel/declare/rest.js';
import { isObject, type JsonObject } from '../../src/base/row.js';

/** Attributes that REST bodies show. */
export const restAttributes = (resource: Resource): Attribute[] =>
  [...resource.attributes.values()].filter((a) => isShown(a) && a.graphOnly !== true);

/** Attributes that REST bodies of writes may contain. */
export const restInputs = (resource: Resource, verb: InputVerb): Attribute[] =>
  [...resource.attributes.values()].filter((a) => isWritable(a, verb) && a.graphOnly !== true);

/** The name of a member of REST bodies. */
export const restName = (attribute: Attribute): string => attribute.restName ?? attribute.name;

export const restEdges = (resource: Resource): Edge[] =>
  [...resource.edges.values()].filter((e) => e.onRest);

/** The selection that `entityView` needs for the whole body. */
export function restSelection(
  resource: Resource,
  catalog: Catalog,
  { isList = false } = {},
): string {
  const attributes = restAttributes(resource).map(
    ({ name, type }) => name + (isList ? argumentsOf(resource, name) : '') + nested(type),
  );
  const edges = restEdges(resource).map((e) => {
    const hasName = catalog.get(e.target).attributes.has('name');
    return `${e.name} { id${hasName ? ' name' : ''} }`;
  });
  return [...attributes, ...edges].join(' ');
}

/** The selection of a page whose entities `entityView` shows. */
export const listSelection = (resource: Resource, catalog: Catalog): string =>
  `{ nodes { ${restSelection(resource, catalog, { isList: true })} } pagination { limit offset totalCount } }`;

/** The arguments of an attribute in a list, from the query. */
function argumentsOf(resource: Resource, attribute: string): string {
  const names = shapingArguments(resource, attribute).map(({ name }) => `${name}: $${name}`);
  return names.length === 0 ? '' : `(${names.join(', ')})`;
}

function nested(type: AttributeType): string {
  if (type.kind !== 'object' && type.kind !== 'objects') return '';
  const members = attributesOf(type.of()).map(
    (a) => (a.restName === undefined ? '' : `${a.restName}: `) + a.name + nested(a.type),
  );
  return ` { ${members.join(' ')} }`;
}

/** An entity from the graph, with the fields of `restSelection`. */
export type EntityNode = JsonObject & { readonly id: string };

/** The selected fields of an edge; some resources have no name. */
interface EdgeNode {
  readonly id: string;
  readonly name?: string;
}

/**
 * Converts an entity from the graph to a REST body: with links and entity references, without empty
 * optional members.
 */
export function entityView(resource: Resource, catalog: Catalog): (node: EntityNode) => JsonObject {
  const { path, links = [], rest } = resource.options;
  const members = restAttributes(resource).map((a) => ({
    attribute: a.name,
    name: restName(a),
    isOptional: a.omitEmpty === true,
    shaping: shapingOf(a),
  }));
  const edges = restEdges(resource).map((edge) => ({
    edge,
    collection: catalog.get(edge.target).options.path,
  }));
  const linksIn = (node: EntityNode): JsonObject => ({
    _links: linksOf(`${path}/${node.id}`, links, rest?.links?.(node)),
  });
  return (node) => {
    const body: JsonObject = rest?.noLinks ? {} : linksIn(node);
    for (const { attribute, name, isOptional, shaping } of members) {
      const value = shaping ? shaping(node[attribute]) : node[attribute];
      if (!isOptional || !isEmpty(value)) body[name] = value;
    }
    for (const { edge, collection } of edges) {
      // Null if it names no entity, or a deleted one.
      const target = node[edge.name] as EdgeNode | null | undefined;
      if (target) body[edge.name] = entityReference(collection, target.id, target.name ?? '');
    }
    return body;
  };
}

function linksOf(
  self: string,
  names: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Record<string, Link> {
  const all: Record<string, Link> = { self: link(self) };
  for (const name of names) all[name] = link(`${self}/${name}`);
  for (const [name, path] of Object.entries(more)) all[name] = link(path);
  return all;
}

/** Whether a body omits the value of an optional member. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

type Shaping = (value: unknown) => unknown;

/** Removes empty optional members of nested objects. */
function shapingOf({ type, restShape }: Attribute): Shaping | undefined {
  if (restShape) return restShape.of as Shaping;
  if (type.kind !== 'object' && type.kind !== 'objects') return undefined;
  const members = attributesOf(type.of()).map((a) => ({
    name: restName(a),
    isOptional: a.omitEmpty === true,
    shaping: shapingOf(a) ?? unchanged,
  }));
  const shape: Shaping = (value) => {
    if (!isObject(value)) return value;
    const body: JsonObject = {};
    for (const { name, isOptional, shaping } of members) {
      const inner = shaping(value[name]);
      if (!isOptional || !isEmpty(inner)) body[name] = inner;
    }
    return body;
  };
  if (type.kind === 'object') return shape;
  return (value) => (Array.isArray(value) ? value.map(shape) : value);
}

const unchanged: Shaping = (value) => value;
