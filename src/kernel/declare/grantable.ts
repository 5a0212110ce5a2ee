import type { Catalog } from './catalog.js';
import type { Action } from './permissions.js';

/** Entity of the permission list -> the actions on it that can be given one by one. */
export type Grantable = ReadonlyMap<string, readonly Action[]>;

const ALL_ACTIONS: readonly Action[] = ['read', 'create', 'update', 'delete'];

/** What those who manage identities can give away: what the resources ask for, but for administrators'. */
export function grantableIn(catalog: Catalog): Grantable {
  const grantable = new Map<string, readonly Action[]>();
  for (const { options } of catalog.all()) {
    const { permission, grants = ALL_ACTIONS } = options;
    if (permission === 'admin') continue;
    const known = grantable.get(permission) ?? [];
    const all = new Set([...known, ...grants]);
    grantable.set(
      permission,
      ALL_ACTIONS.filter((action) => all.has(action)),
    );
  }
  return grantable;
}
