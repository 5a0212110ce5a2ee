import { isShown, isStored, isWritable, type Attribute } from '../../kernel/declare/attribute.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import type { NestedReference, Resource } from '../../kernel/declare/resource.js';

/** A place in a document or a row that names other entities. */
export interface Reference {
  /** The path in the document, where `@name` names entities. */
  readonly written: readonly string[];
  /** The path in the stored row, with ids of entities. */
  readonly stored: readonly string[];
  /** `keys` means the keys of an object. */
  readonly form: 'one' | 'list' | 'roles' | 'keys';
  readonly target: string;
}

/** A section of a document, with its resource. */
export interface Section {
  readonly name: string;
  readonly resource: Resource;
  /** The members of an entity in documents: all writable ones, and no secrets. */
  readonly attributes: readonly Attribute[];
  readonly references: readonly Reference[];
  readonly fixed: readonly string[];
  readonly unique: readonly string[];
}

/** Gives the sections in the order of application: a section follows those that it names. */
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

/** References to built-in entities, such as types of identities, have the same ids in every network. */
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
