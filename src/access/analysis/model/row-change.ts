import { lowerFirst } from '../../../base/names.js';
import type { Change } from '../../../kernel/request/store-port.js';
import { indexedValue, isIndexed } from '../../../kernel/policy/index.js';
import type { RowChange } from './what-if-change.js';

/** Reduces a change to the attributes of an entity or a policy that decide access. */
export function rowChangeOf({
  resource,
  id,
  after,
}: Pick<Change, 'resource' | 'id' | 'after'>): RowChange | undefined {
  const kind = lowerFirst(resource);
  if (!isIndexed(kind)) return undefined;
  return { kind, id, value: after && indexedValue(kind, after) } as RowChange;
}
