import type { JsonObject } from '../../src/base/row.js';
import type { Catalog } from '../../src/kernel/declare/catalog.js';
import type { Resource } from '../../src/kernel/declare/resource.js';
import type { Link } from '../../src/kernel/declare/rest.js';
import type { Schema } from '../../src/kernel/declare/rest-schema.js';
import { entitySchema } from './openapi-schema.js';
import { entityView, type EntityNode } from './view.js';

/** Differences of a body from that of the resource. */
export interface BodyChanges {
  /** The name of its schema. */
  readonly title?: string;
  /** Further members, with their schemas. */
  readonly added?: Readonly<Record<string, Schema>>;
  /** Names of members to leave out. */
  readonly without?: readonly string[];
  /** Links that replace those of the resource. */
  readonly links?: Readonly<Record<string, Link>>;
}

export interface EntityBody {
  readonly view: (node: EntityNode) => JsonObject;
  readonly schema: Schema;
}

export function entityBody(
  resource: Resource,
  catalog: Catalog,
  { title, added = {}, without = [], links }: BodyChanges = {},
): EntityBody {
  const view = entityView(resource, catalog);
  const schema = entitySchema(resource, catalog);
  const names = Object.keys(added);
  const isIncluded = (name: string): boolean => !without.includes(name);
  return {
    view: (node) => {
      const body = view(node);
      for (const name of names) body[name] = node[name];
      const included = without.length === 0 ? body : pick(body, isIncluded);
      if (links) included._links = links;
      return included;
    },
    schema: {
      ...schema,
      ...(title === undefined ? {} : { title }),
      required: [...schema.required, ...names].filter(isIncluded),
      properties: pick({ ...schema.properties, ...added }, isIncluded),
    },
  };
}

const pick = (members: JsonObject, isIncluded: (name: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([name]) => isIncluded(name)));
