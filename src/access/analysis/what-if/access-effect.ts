import { accessDelta } from './access-delta.js';
import type { AccessModel } from '../model/access-model.js';
import type { AccessQuery } from '../pairs/access-selection.js';
import { simulateAccess } from './simulation.js';
import type { Sliced } from '../../../base/slices.js';
import { rowChange } from '../model/what-if-change.js';
import type { WhatIfChange } from '../model/what-if-change.js';

/** The numbers of pairs of an identity and a service that changes grant and withdraw. */
export interface AccessEffect {
  readonly gained: number;
  readonly lost: number;
}

/**
 * Gives the effect of several changes together.
 * @param among The only pairs that can differ, where the caller knows them.
 * @throws ApiError NOT_FOUND on an update of an entity that does not exist
 */
export function* accessEffect(
  model: AccessModel,
  changes: readonly WhatIfChange[],
  among?: AccessQuery,
): Sliced<AccessEffect> {
  const [first, ...others] = changes;
  if (!first) return { gained: 0, lost: 0 };
  const affectedPairs = among ?? (others.length === 0 ? pairsOf(first) : undefined);
  const { gained, lost } = affectedPairs
    ? yield* accessDelta(model, rowChange(model, first), affectedPairs, 0)
    : yield* simulateAccess(model, changes);
  return { gained: gained.totalCount, lost: lost.totalCount };
}

/** A change of one end alters the pairs of that end alone. */
function pairsOf({ kind, id }: WhatIfChange): AccessQuery | undefined {
  if (kind === 'identity') return { identities: [id] };
  return kind === 'service' ? { services: [id] } : undefined;
}
