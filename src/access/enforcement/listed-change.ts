import { isDeepStrictEqual } from 'node:util';
import { lowerFirst } from '../../base/names.js';
import type { JsonObject } from '../../base/row.js';
import { indexedValue, type ModelChange } from '../../kernel/policy/index.js';
import type { Change } from '../../kernel/request/store-port.js';

/** Gives both states of a change, if lists of services depend on it. */
export function listedChange({ resource, id, before, after }: Change): ModelChange | undefined {
  const kind = lowerFirst(resource);
  if (!LISTED_BY.has(kind)) return undefined;
  const valueOf = (state: JsonObject | null): object | null =>
    state && { id, ...indexedValue(kind as ModelChange['kind'], state) };
  const [earlier, later] = [valueOf(before), valueOf(after)];
  if (!SHOWN_IN_LISTS.has(kind) && isDeepStrictEqual(earlier, later)) return undefined;
  return { kind, before: earlier, after: later } as ModelChange;
}

/** Kinds whose every member may be in lists. Of the others, lists depend on memberships alone. */
const SHOWN_IN_LISTS = new Set<string>(['service', 'postureCheck'] satisfies ModelChange['kind'][]);

const LISTED_BY = new Set<string>([
  'identity',
  'service',
  'postureCheck',
  'servicePolicy',
] satisfies ModelChange['kind'][]);
