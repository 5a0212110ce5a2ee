import type { Catalog } from './catalog.js';
import type { Resource } from './resource.js';
import type { Action } from './verbs.js';

/** Entity of the permission list -> the actions on it that can be given one by one. */
export type Grantable = ReadonlyMap<string, readonly Action[]>;

const ALL_ACTIONS: readonly Action[] = ['read', 'create', 'update', 'delete'];

const grantableByCatalog = new WeakMap<Catalog, Grantable>();

/** The permissions that an identity can be given: those of all resources except `admin`. */
export function grantableIn(catalog: Catalog): Grantable {
  const grantable = grantableByCatalog.get(catalog) ?? grantableOf(catalog.all());
  grantableByCatalog.set(catalog, grantable);
  return grantable;
}

function grantableOf(resources: Iterable<Resource>): Grantable {
  const grantable = new Map<string, readonly Action[]>();
  for (const { options } of resources) {
    const { permission, grants = ALL_ACTIONS } = options;
    if (permission === 'admin') continue;
    const all = new Set([...(grantable.get(permission) ?? []), ...grants]);
    grantable.set(
      permission,
      ALL_ACTIONS.filter((action) => all.has(action)),
    );
  }
  return grantable;
}
