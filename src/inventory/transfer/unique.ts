import { holdersOf, type HolderRow } from '../../kernel/read/entity-table.js';
import { placeOf, placeText } from './fault.js';
import type { Planning, UniqueUse } from './planning.js';

const SLICE = 5_000;

/**
 * Refuses values that two entities of the document share, or that another entity of the network has
 * at present. A value that its entity gives up in the same import still counts, because the order of
 * the writes must not matter.
 */
export async function findDuplicates(planning: Planning): Promise<void> {
  const groups = new Map<string, UniqueUse[]>();
  for (const use of planning.uses) {
    const key = `${use.entry.section.name}.${use.attribute}`;
    const group = groups.get(key);
    if (group) group.push(use);
    else groups.set(key, [use]);
  }
  for (const group of groups.values()) {
    const firsts = withinDocument(planning, group);
    for (let from = 0; from < firsts.length; from += SLICE) {
      await withinNetwork(planning, firsts.slice(from, from + SLICE));
    }
  }
}

/** Gives the first use of each value, and reports repeated ones. */
function withinDocument({ faults }: Planning, uses: readonly UniqueUse[]): UniqueUse[] {
  const firsts = new Map<string, UniqueUse>();
  for (const use of uses) {
    const first = firsts.get(use.value);
    if (first) {
      const reason = `is the same as in ${placeText(placeOf(first.entry)) ?? ''}`;
      faults.add(placeOf(use.entry), use.member, reason);
    } else firsts.set(use.value, use);
  }
  return [...firsts.values()];
}

/** Reports values of other entities of the network; all uses concern one attribute. */
async function withinNetwork({ ctx, faults }: Planning, uses: readonly UniqueUse[]): Promise<void> {
  const holders = new Map<string, HolderRow>();
  const [first] = uses;
  if (!first) return;
  const { resource } = first.entry.section;
  const values = uses.map(({ value }) => value);
  for (const row of await holdersOf(ctx.store, resource, first.attribute, values)) {
    holders.set(row.value, row);
  }
  for (const use of uses) {
    const holder = holders.get(use.value);
    if (!holder || holder.id === use.id) continue;
    const reason = `is already that of the ${resource.label} ${JSON.stringify(holder.name)}`;
    faults.add(placeOf(use.entry), use.member, reason);
  }
}
