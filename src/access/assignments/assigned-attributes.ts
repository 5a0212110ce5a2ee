import { isDeepStrictEqual } from 'node:util';
import { together } from '../../base/together.js';
import { roleAssignments } from '../../data/rows/role-assignment/index.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { patchIn } from '../../kernel/write/write.js';

type State = RowOf<'RoleAssignment'>['state'];
type Period = Pick<RowOf<'RoleAssignment'>, 'activeFrom' | 'activeUntil'>;

/** The state of a role assignment at a time of the database. */
export function stateAt(now: Date, { activeFrom, activeUntil }: Period): State {
  if (activeUntil !== null && activeUntil <= now) return 'ENDED';
  return activeFrom <= now ? 'ACTIVE' : 'PENDING';
}

/**
 * Gives these identities the role attributes of their active assignments. The caller has locked them, so that no other
 * transaction changes their assignments meanwhile.
 */
export async function storeAssignedAttributes(
  tx: Transaction,
  { resources: { Identity } }: Catalog,
  identities: readonly RowOf<'Identity'>[],
): Promise<void> {
  const ids = identities.map(({ id }) => id);
  const attributesOf = await roleAssignments.activeAttributes(tx, ids);
  await together(
    identities.map(async (identity) => {
      const assignedRoleAttributes = [...(attributesOf.get(identity.id) ?? [])];
      if (isDeepStrictEqual(identity.assignedRoleAttributes, assignedRoleAttributes)) return;
      await patchIn(tx, Identity, identity, { assignedRoleAttributes });
    }),
  );
}
