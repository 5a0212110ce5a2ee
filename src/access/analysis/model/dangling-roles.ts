import { isPolicyKind, POLICY_KINDS, selectedBy } from '../../../kernel/policy/index.js';
import type { EntityKind, PolicyKind, Side } from '../../../kernel/policy/index.js';
import { roleTexts, sidesOf, writtenRolesOn } from './access-model.js';
import type { AccessModel } from './access-model.js';
import { ModelOverlay } from './model-overlay.js';
import { rowChange } from './what-if-change.js';
import type { RowChange, WhatIfChange } from './what-if-change.js';

/**
 * Completes changes by the effect of the store: it removes the role `@id` of a deleted entity from
 * every policy. This matters when an id is created again, and to findings about roles.
 * @throws ApiError NOT_FOUND on an update of an entity that does not exist
 */
export function withoutDanglingRoles(
  model: AccessModel,
  changes: Iterable<WhatIfChange>,
): RowChange[] {
  const overlay = new ModelOverlay(model);
  const rowChanges: RowChange[] = [];
  const apply = (change: WhatIfChange): void => {
    const row = rowChange(overlay, change);
    overlay.apply(row);
    rowChanges.push(row);
  };
  for (const change of changes) {
    apply(change);
    if (isPolicyKind(change.kind) || !('value' in change) || change.value !== null) continue;
    for (const naming of policiesNaming(overlay, change.kind, change.id)) apply(naming);
  }
  return rowChanges;
}

function policiesNaming(model: AccessModel, kind: EntityKind, id: string): WhatIfChange[] {
  return POLICY_KINDS.flatMap((policyKind) =>
    sidesOf(policyKind)
      .filter((side) => selectedBy(policyKind, side) === kind)
      .flatMap((side) => withoutRole(model, policyKind, side, id)),
  );
}

function withoutRole(model: AccessModel, kind: PolicyKind, side: Side, id: string): WhatIfChange[] {
  return [...model.policies(kind)]
    .filter((policy) => writtenRolesOn(policy, side).ids.includes(id))
    .map((policy) => {
      const roles = roleTexts(writtenRolesOn(policy, side)).filter((role) => role !== `@${id}`);
      return { kind, id: policy.id, update: { roles: { [side]: roles } } };
    });
}
