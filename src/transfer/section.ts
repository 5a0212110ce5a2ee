import { isShown, isStored, isWritable, type Attribute } from '../kernel/declare/attribute.js';
import type { Catalog } from '../kernel/declare/catalog.js';
import type { NestedReference, Resource, UniqueValue } from '../kernel/declare/resource.js';

/** Where a document or a row names other entities, and how. */
export interface Reference {
  /** Path in the document; there `@name` stands for an entity. */
  readonly written: readonly string[];
  /** Path in the stored row; there ids stand for entities. */
  readonly stored: readonly string[];
  /** `keys`: the keys of an object. */
  readonly form: 'one' | 'list' | 'roles' | 'keys';
  readonly target: string;
}

/** One section of a document, over the resource that it holds. */
export interface Section {
  readonly name: string;
  readonly resource: Resource;
  /** What a document carries of an entity: all that can be written, and nothing secret. */
  readonly attributes: readonly Attribute[];
  readonly references: readonly Reference[];
  readonly fixed: readonly string[];
  readonly unique: readonly UniqueValue[];
}

/** The sections of a document in the order in which they are applied: what is named comes first. */
export function sectionsOf(catalog: Catalog): Section[] {
  const exported = [...catalog.all()].filter(isExported);
  const targets = new Set(exported.map(({ name }) => name));
  return exported.map((resource) => {
    const { nested = [], fixed = [], unique = [] } = resource.options.exported || {};
    const attributes = [...resource.attributes.values()].filter(isCarried);
    return {
      name: resource.list,
      resource,
      attributes,
      references: [
        ...attributes.flatMap((a) => referenceOf(resource, a, targets)),
        ...nested.map(nestedReference),
      ],
      fixed,
      unique,
    };
  });
}

const isExported = ({ options, verbs }: Resource): boolean =>
  options.exported !== false && verbs.has('create') && verbs.has('replace');

function nestedReference({ path, form, target }: NestedReference): Reference {
  const members = path.split('.');
  return { written: members, stored: members, form, target };
}

const isCarried = (a: Attribute): boolean => isStored(a) && isShown(a) && isWritable(a, 'create');

/** References to what documents do not carry (kinds of identities, say) are ids of every network. */
function referenceOf(
  resource: Resource,
  { name, type }: Attribute,
  targets: ReadonlySet<string>,
): Reference[] {
  if (!('target' in type) || !targets.has(type.target)) return [];
  const { target } = type;
  if (type.kind === 'references')
    return [{ written: [name], stored: [name], form: 'list', target }];
  if (type.kind === 'roles') return [{ written: [name], stored: [name], form: 'roles', target }];
  const edge = [...resource.edges.values()].find((e) => e.attribute === name)?.name ?? name;
  return [{ written: [edge], stored: [name], form: 'one', target }];
}
