import { byteSorted } from '../base/byte-order.js';
import type { JsonObject } from '../base/row.js';

/** What one member of an entity was, and what it has become; null where there was nothing. */
export interface ChangedValue {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** They change with every write, and the change itself says as much. */
const STAMPS = new Set(['revision', 'updatedAt']);

/** Field by field, in the order of their names, what differs between two logged states. */
export function changedFields(before: JsonObject | null, after: JsonObject | null): ChangedValue[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return byteSorted([...names].filter((name) => !STAMPS.has(name))).flatMap((name) => {
    const [was, is] = [before?.[name] ?? null, after?.[name] ?? null];
    // Both come from the database, which orders the members of objects.
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ name, before: was, after: is }];
  });
}
