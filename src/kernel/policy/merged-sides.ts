import type { MembershipSide, RoleHolder } from './roles.js';

/**
 * The union of policy sides in its smallest form. An entity is in it if `all` is set, its id is
 * listed, it has one attribute of `anyOf`, or it has every attribute of one list of `allOf`.
 */
export interface MergedSides {
  readonly all: boolean;
  readonly ids: ReadonlySet<string>;
  readonly anyOf: ReadonlySet<string>;
  readonly allOf: readonly (readonly string[])[];
}

const EVERYBODY_MERGED: MergedSides = { all: true, ids: new Set(), anyOf: new Set(), allOf: [] };

export function mergeSides(sides: Iterable<MembershipSide>): MergedSides {
  const ids = new Set<string>();
  const anyOf = new Set<string>();
  const lists: (readonly string[])[] = [];
  for (const { roles, semantic } of sides) {
    if (roles.all) return EVERYBODY_MERGED;
    for (const id of roles.ids) ids.add(id);
    if (semantic === 'AllOf' && roles.attributes.length > 1) lists.push(roles.attributes);
    else for (const attribute of roles.attributes) anyOf.add(attribute);
  }
  return { all: false, ids, anyOf, allOf: withoutImplied(lists, anyOf) };
}

/** Drops lists that `anyOf` or a shorter list already covers: `[a, b]` if `anyOf` has `a`. */
function withoutImplied(
  lists: readonly (readonly string[])[],
  anyOf: ReadonlySet<string>,
): (readonly string[])[] {
  // A list that covers another one is not longer, and the other list contains its first entry.
  const listsByFirst = new Map<string | undefined, (readonly string[])[]>();
  for (const list of lists.toSorted((a, b) => a.length - b.length)) {
    const attributes = new Set(list);
    const isImpliedBy = (shorter: readonly string[]): boolean =>
      shorter.every((a) => attributes.has(a));
    const isImplied = list.some((a) => anyOf.has(a) || listsByFirst.get(a)?.some(isImpliedBy));
    if (isImplied) continue;
    const bucket = listsByFirst.get(list[0]);
    if (bucket) bucket.push(list);
    else listsByFirst.set(list[0], [list]);
  }
  return [...listsByFirst.values()].flat();
}

export function mergedContains(merged: MergedSides, entity: RoleHolder): boolean {
  return (
    merged.all ||
    merged.ids.has(entity.id) ||
    entity.attributes.some((attribute) => merged.anyOf.has(attribute)) ||
    merged.allOf.some((list) => list.every((attribute) => entity.attributes.includes(attribute)))
  );
}
