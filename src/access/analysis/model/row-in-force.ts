import { dormant } from '../../../kernel/policy/index.js';
import type { Force } from '../../times/index.js';
import type { AccessModel } from './access-model.js';
import { heldRow, type RowChange } from './what-if-change.js';

type ServicePolicyRow = Extract<RowChange, { readonly kind: 'servicePolicy' }>;

/** The row of a policy that is brought into force, or out of it; undefined if the model lacks it. */
export function rowInForce(
  model: AccessModel,
  id: string,
  { isInForce, nextChangeAt }: Force,
): RowChange | undefined {
  const row = heldRow(model, 'servicePolicy', id) as ServicePolicyRow;
  if (!row.value) return undefined;
  const { semantic, type, roles, dormantRoles = roles } = row.value;
  const value = isInForce
    ? { roles: dormantRoles, ...(nextChangeAt && { endsByItself: true }) }
    : dormant(dormantRoles);
  return { ...row, value: { semantic, type, ...value } } as ServicePolicyRow;
}
