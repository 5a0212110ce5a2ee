import { isPending, PENDING, type MembershipSide, type RoleHolder } from './roles.js';

/**
 * The union of policy sides in its smallest form. An entity is in it if `all` is set, its id is
 * listed, it has one attribute of `anyOf`, or it has every attribute of one list of `allOf`. An
 * identity that is pending is in it by `pending` in `anyOf` alone.
 */
export interface MergedSides {
  readonly all: boolean;
  readonly ids: ReadonlySet<string>;
  readonly anyOf: ReadonlySet<string>;
  readonly allOf: readonly (readonly string[])[];
}

const EVERYBODY_MERGED: MergedSides = { all: true, ids: new Set(), anyOf: new Set(), allOf: [] };
const EVERYBODY_AND_PENDING: MergedSides = { ...EVERYBODY_MERGED, anyOf: new Set([PENDING]) };

export function mergeSides(sides: Iterable<MembershipSide>): MergedSides {
  const ids = new Set<string>();
  const anyOf = new Set<string>();
  const lists: (readonly string[])[] = [];
  let all = false;
  for (const { roles, semantic } of sides) {
    all ||= roles.all;
    for (const id of roles.ids) ids.add(id);
    if (semantic === 'AllOf' && roles.attributes.length > 1) lists.push(roles.attributes);
    else for (const attribute of roles.attributes) anyOf.add(attribute);
  }
  if (all) return anyOf.has(PENDING) ? EVERYBODY_AND_PENDING : EVERYBODY_MERGED;
  return { all, ids, anyOf, allOf: withoutImplied(lists, anyOf) };
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
    ((merged.all || merged.ids.has(entity.id)) && !isPending(entity)) ||
    entity.attributes.some((attribute) => merged.anyOf.has(attribute)) ||
    merged.allOf.some((list) => list.every((attribute) => entity.attributes.includes(attribute)))
  );
}
