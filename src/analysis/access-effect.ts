import { accessDelta } from './access-delta.js';
import type { AccessModel } from './access-model.js';
import type { AccessQuery } from './access-selection.js';
import { simulateAccess } from './simulation.js';
import type { Sliced } from './slices.js';
import { rowChange } from './what-if-change.js';
import type { WhatIfChange } from './what-if-change.js';

/** How many pairs of an identity and a service changes give access to, and take it from. */
export interface AccessEffect {
  readonly gained: number;
  readonly lost: number;
}

/**
 * The effect of changes made together.
 * @param among The only pairs that can differ, where that is known.
 * @throws ApiError NOT_FOUND on an update of what is not there
 */
export function* accessEffect(
  model: AccessModel,
  changes: readonly WhatIfChange[],
  among?: AccessQuery,
): Sliced<AccessEffect> {
  const [first, ...more] = changes;
  if (!first) return { gained: 0, lost: 0 };
  const around = among ?? (more.length === 0 ? pairsOf(first) : undefined);
  const { gained, lost } = around
    ? yield* accessDelta(model, rowChange(model, first), around, 0)
    : yield* simulateAccess(model, changes);
  return { gained: gained.totalCount, lost: lost.totalCount };
}

/** A change of one end alters the pairs of that end alone. */
function pairsOf({ kind, id }: WhatIfChange): AccessQuery | undefined {
  if (kind === 'identity') return { identities: [id] };
  return kind === 'service' ? { services: [id] } : undefined;
}
