import type { MembershipSide, RoleHolder } from './roles.js';

/**
 * The union of many policy sides in its smallest form: an entity is in it when everybody is, or
 * its id is listed, or it holds one of `anyOf`, or it holds every attribute of a list of `allOf`.
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

/** Drops each list whose holders are all in the union already: through `anyOf` or a shorter list. */
function withoutImplied(
  lists: readonly (readonly string[])[],
  anyOf: ReadonlySet<string>,
): (readonly string[])[] {
  // A list that implies another one is no longer than it, and its first entry occurs in it.
  const keptByFirst = new Map<string | undefined, (readonly string[])[]>();
  for (const list of lists.toSorted((a, b) => a.length - b.length)) {
    const wanted = new Set(list);
    const isImpliedBy = (kept: readonly string[]): boolean => kept.every((a) => wanted.has(a));
    const isImplied = list.some((a) => anyOf.has(a) || keptByFirst.get(a)?.some(isImpliedBy));
    if (isImplied) continue;
    const bucket = keptByFirst.get(list[0]);
    if (bucket) bucket.push(list);
    else keptByFirst.set(list[0], [list]);
  }
  return [...keptByFirst.values()].flat();
}

export function mergedContains(merged: MergedSides, entity: RoleHolder): boolean {
  return (
    merged.all ||
    merged.ids.has(entity.id) ||
    entity.attributes.some((attribute) => merged.anyOf.has(attribute)) ||
    merged.allOf.some((list) => list.every((attribute) => entity.attributes.includes(attribute)))
  );
}
