import type { JsonObject } from '../../base/row.js';
import { placeOf, placeText } from './fault.js';
import type { Operation } from './planning.js';

/** A change of an import, as lists of changes have it. */
export interface PlannedChange {
  readonly operation: 'create' | 'update';
  /** The singular field of the graph. */
  readonly type: string;
  readonly id: string;
  readonly name: string;
  /** The present revision; null for a new entity. */
  readonly revision: number | null;
  /** All members of a new entity; of another one those that differ. */
  readonly input: JsonObject;
}

export interface PlannedChanges {
  readonly changes: readonly PlannedChange[];
  /** What else the import writes, in one line each: lists of changes can not contain it. */
  readonly unlisted: readonly string[];
}

/**
 * Gives the operations of an import as a list of changes, in their order. A list may name what it
 * creates later, so a later operation of an entity is part of the first one.
 */
export function plannedChanges(operations: readonly Operation[]): PlannedChanges {
  const changes = new Map<string, PlannedChange>();
  const unlisted: string[] = [];
  for (const operation of operations) {
    const { entry, input, state } = operation;
    const { options } = entry.section.resource;
    const place = placeText(placeOf(entry)) ?? '';
    if (options.isDrafted !== true) {
      unlisted.push(`${place}: lists of changes do not contain ${entry.section.name}`);
      continue;
    }
    if (state) unlisted.push(`${place}: lists of changes do not disable or enable identities`);
    if (!input) continue;
    const change = changeOf(operation, input);
    const key = `${change.type} ${change.id}`;
    const first = changes.get(key);
    changes.set(key, first ? { ...first, input: { ...first.input, ...change.input } } : change);
  }
  return { changes: [...changes.values()], unlisted };
}

function changeOf(
  { entry: { section, name }, verb, id, changed, revision }: Operation,
  input: JsonObject,
): PlannedChange {
  const type = section.resource.single;
  const differing = Object.entries(input).filter(([member]) => changed.includes(member));
  return {
    operation: verb === 'create' ? 'create' : 'update',
    type,
    id,
    name,
    revision: revision ?? null,
    input: Object.fromEntries(differing),
  };
}
