import { byteSorted } from '../../base/byte-order.js';
import type { JsonObject } from '../../base/row.js';

/** The values of one member before and after a change; null for no value. */
export interface ChangedValue {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** These change with every write, and the change itself has their values. */
const STAMPS = new Set(['revision', 'updatedAt']);

/** Gives the members that differ between two logged states, in the order of their names. */
export function changedFields(before: JsonObject | null, after: JsonObject | null): ChangedValue[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return byteSorted([...names].filter((name) => !STAMPS.has(name))).flatMap((name) => {
    const [valueBefore, valueAfter] = [before?.[name] ?? null, after?.[name] ?? null];
    // Both come from the database, which orders the members of objects.
    return JSON.stringify(valueBefore) === JSON.stringify(valueAfter)
      ? []
      : [{ name, before: valueBefore, after: valueAfter }];
  });
}
