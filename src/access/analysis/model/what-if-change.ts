import { notFound } from '../../../base/errors.js';
import { byteSorted } from '../../../base/byte-order.js';
import {
  dormant,
  isInForce,
  isPolicyKind,
  withAttributes,
  writtenAttributes,
} from '../../../kernel/policy/index.js';
import type {
  AnyPolicyValue,
  EntityKind,
  EntityValue,
  IndexedPolicy,
  PolicyChange,
  PolicyKind,
  Semantic,
  ServicePolicyType,
} from '../../../kernel/policy/index.js';
import { roleTexts, sidesOf, writtenRolesOn } from './access-model.js';
import type { AccessModel } from './access-model.js';

type WithoutRevision<C> = C extends unknown ? Omit<C, 'revision'> : never;

/** A whole row, which is created or replaces the existing one; null deletes it. */
export type RowChange = WithoutRevision<PolicyChange>;

/** The members that are present replace those of the row; the others stay. */
export type RowUpdate =
  | {
      readonly kind: EntityKind;
      readonly id: string;
      /** The attributes that are written on it; it keeps those of its role assignments. */
      readonly update: { readonly attributes?: readonly string[] };
    }
  | { readonly kind: PolicyKind; readonly id: string; readonly update: PolicyUpdate };

interface PolicyUpdate {
  readonly semantic?: Semantic;
  readonly type?: ServicePolicyType;
  readonly roles?: AnyPolicyValue['roles'];
}

export type WhatIfChange = RowChange | RowUpdate;

/**
 * Gives the whole row after a change.
 * @throws ApiError NOT_FOUND when there is nothing to update
 */
export function rowChange(model: AccessModel, change: WhatIfChange): RowChange {
  if (!('update' in change)) return change;
  const { kind, id, update } = change;
  const { value } = heldRow(model, kind, id);
  if (!value) throw notFound(kind, id);
  if ('attributes' in value) {
    const { attributes = writtenAttributes(value) } = update as { attributes?: readonly string[] };
    const { assigned = [] } = value.onceApproved ?? value;
    const changed = withAttributes({ id, ...value }, byteSorted(attributes), assigned);
    return entityRow(kind as EntityKind, id, changed);
  }
  return { kind, id, value: updatedPolicy(value, update as PolicyUpdate) } as RowChange;
}

/** An update does not bring a policy into force. */
function updatedPolicy(value: PolicyRow, { roles = {}, ...others }: PolicyUpdate): object {
  const { dormantRoles } = value;
  const written = { ...(dormantRoles ?? value.roles), ...roles };
  return { ...value, ...others, ...(dormantRoles ? dormant(written) : { roles: written }) };
}

type PolicyRow = Omit<AnyPolicyValue, 'id'>;

/** Gives the change that restores a row of the model. */
export const heldRow = (
  model: AccessModel,
  kind: EntityKind | PolicyKind,
  id: string,
): RowChange =>
  isPolicyKind(kind)
    ? policyRow(kind, id, model.policy(kind, id))
    : entityRow(kind, id, model.entity(kind, id));

export const entityRow = (
  kind: EntityKind,
  id: string,
  entity: EntityValue | undefined,
): RowChange => {
  if (!entity) return { kind, id, value: null };
  const { attributes, assigned, onceApproved } = entity;
  const value = {
    attributes,
    ...(assigned && { assigned }),
    ...(onceApproved && { onceApproved }),
  };
  return { kind, id, value };
};

export function policyRow(
  kind: PolicyKind,
  id: string,
  policy: IndexedPolicy | undefined,
): RowChange {
  if (!policy) return { kind, id, value: null };
  const { semantic, type, endsByItself } = policy;
  const written = Object.fromEntries(
    sidesOf(kind).map((side) => [side, roleTexts(writtenRolesOn(policy, side))]),
  );
  const value = {
    semantic,
    ...(type && { type }),
    ...(isInForce(policy) ? { roles: written } : dormant(written)),
    ...(endsByItself && { endsByItself }),
  };
  return { kind, id, value } as RowChange;
}

export const deletion = (kind: EntityKind | PolicyKind, id: string): RowChange => ({
  kind,
  id,
  value: null,
});
