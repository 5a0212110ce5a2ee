import type { Attribute } from './attribute.js';
import type { Catalog } from './catalog.js';
import type { Resource } from './resource.js';

/** An attribute of some resource that names entities of another one. */
export interface Dependent {
  readonly resource: Resource;
  readonly attribute: Attribute;
  readonly kind: 'cascade' | 'restrict' | 'ids' | 'roles';
}

/** The attributes that refer to entities of `target`; those that refuse a deletion come first. */
export function dependentsOf(catalog: Catalog, target: Resource): Dependent[] {
  const dependents: Dependent[] = [];
  for (const resource of catalog.stored()) {
    for (const attribute of resource.attributes.values()) {
      const kind = dependencyKind(attribute, target.name);
      if (kind) dependents.push({ resource, attribute, kind });
    }
  }
  return dependents.sort((a, b) => Number(b.kind === 'restrict') - Number(a.kind === 'restrict'));
}

function dependencyKind({ type }: Attribute, target: string): Dependent['kind'] | undefined {
  if (type.kind === 'reference' && type.target === target) {
    return type.onDelete === 'keep' ? undefined : type.onDelete;
  }
  if (type.kind === 'references' && type.target === target) return 'ids';
  if (type.kind === 'roles' && type.target === target) return 'roles';
  return undefined;
}
