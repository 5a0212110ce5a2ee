import type { AccessModel } from './access-model.js';
import { changedRows } from './changed-rows.js';
import type { ChangedRows } from './changed-rows.js';
import { ModelOverlay } from './model-overlay.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import type { WhatIfChange } from './what-if-change.js';

/** Two states of a network with equal ordinals for entities in both, and their changed rows. */
export interface TwoStates {
  readonly before: AccessModel;
  readonly after: AccessModel;
  readonly changed: ChangedRows;
}

/** @throws ApiError NOT_FOUND on an update of an entity that does not exist */
export function* statesAfter(
  before: AccessModel,
  changes: Iterable<WhatIfChange>,
): Sliced<TwoStates> {
  const after = new ModelOverlay(before);
  yield* eachSliced(changes, 64, (change) => {
    after.apply(change);
  });
  const changed = yield* changedRows(before, after, (kind) => after.replaced(kind));
  return { before, after, changed };
}
