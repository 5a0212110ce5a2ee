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
import { entityReference, link } from '../../src/kernel/declare/rest.js';
import { isObject, type Row } from '../../src/base/row.js';

/** Attributes that REST bodies show. */
export const restAttributes = (resource: Resource): Attribute[] =>
  [...resource.attributes.values()].filter((a) => isShown(a) && a.graphOnly !== true);

/** Attributes that REST bodies may hold. */
export const restInputs = (resource: Resource, verb: InputVerb): Attribute[] =>
  [...resource.attributes.values()].filter((a) => isWritable(a, verb) && a.graphOnly !== true);

export const restEdges = (resource: Resource): Edge[] =>
  [...resource.edges.values()].filter((e) => e.onRest);

/** What a document must select so that `entityView` can show the whole body. */
export function restSelection(
  resource: Resource,
  catalog: Catalog,
  { isList = false } = {},
): string {
  const attributes = restAttributes(resource).map(
    ({ name, type }) => name + (isList ? shaped(resource, name) : '') + nested(type),
  );
  const edges = restEdges(resource).map((e) => {
    const named = catalog.get(e.target).attributes.has('name');
    return `${e.name} { id${named ? ' name' : ''} }`;
  });
  return [...attributes, ...edges].join(' ');
}

/** In a list, the query shapes what some attributes show. */
function shaped(resource: Resource, attribute: string): string {
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

/** Turns what the graph gives into a REST body: links, entity references, no empty optional members. */
export function entityView(resource: Resource, catalog: Catalog): (row: Row) => Row {
  const { path, links = [], rest } = resource.options;
  const members = restAttributes(resource).map((a) => ({
    name: a.name,
    isOptional: a.omitEmpty === true,
    shaping: shapingOf(a),
  }));
  const edges = restEdges(resource).map((edge) => ({
    edge,
    collection: catalog.get(edge.target).options.path,
  }));
  return (row) => {
    const id = String(row.id);
    const self = `${path}/${id}`;
    const body: Row = { _links: linksOf(self, links, rest?.links?.(row)) };
    for (const { name, isOptional, shaping } of members) {
      const value = shaping ? shaping(row[name]) : row[name];
      if (!isOptional || !isEmpty(value)) body[name] = value;
    }
    for (const { edge, collection } of edges) {
      const target = row[edge.name];
      if (isObject(target)) {
        const name = typeof target.name === 'string' ? target.name : '';
        body[edge.name] = entityReference(collection, String(target.id), name);
      }
    }
    return body;
  };
}

function linksOf(
  self: string,
  names: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Record<string, { href: string }> {
  const all: Record<string, { href: string }> = { self: link(self) };
  for (const name of names) all[name] = link(`${self}/${name}`);
  for (const [name, path] of Object.entries(more)) all[name] = link(path);
  return all;
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

type Shaping = (value: unknown) => unknown;

/** Leaves out the optional members of nested objects that hold nothing. */
function shapingOf({ type, restShape }: Attribute): Shaping | undefined {
  if (restShape) return restShape.of as Shaping;
  if (type.kind !== 'object' && type.kind !== 'objects') return undefined;
  const members = attributesOf(type.of()).map((a) => ({
    name: a.restName ?? a.name,
    isOptional: a.omitEmpty === true,
    shaping: shapingOf(a) ?? asItIs,
  }));
  const shape: Shaping = (value) => {
    if (!isObject(value)) return value;
    const body: Row = {};
    for (const { name, isOptional, shaping } of members) {
      const inner = shaping(value[name]);
      if (!isOptional || !isEmpty(inner)) body[name] = inner;
    }
    return body;
  };
  if (type.kind === 'object') return shape;
  return (value) => (Array.isArray(value) ? value.map(shape) : value);
}

const asItIs: Shaping = (value) => value;
