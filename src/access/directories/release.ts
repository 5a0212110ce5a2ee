import { roleAssignments } from '../../data/rows/role-assignment/index.js';
import { sourceOf } from '../../data/rows/directory/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { unassignIn } from '../assignments/index.js';

/** Takes away what the groups of a directory give an identity. */
export async function releaseUserIn(
  ctx: RequestContext,
  tx: Transaction,
  { directoryId, identityId }: { readonly directoryId: string; readonly identityId: string },
): Promise<void> {
  const identities = await tx.lock(ctx.catalog.resources.Identity, [identityId]);
  await unassignIn(ctx, tx, { source: sourceOf(directoryId) }, identities);
}

/** Takes the role attribute of a group away from all its members. */
export async function releaseGroupIn(
  ctx: RequestContext,
  tx: Transaction,
  { directoryId, roleAttribute }: { readonly directoryId: string; readonly roleAttribute: string },
): Promise<void> {
  const attribute = { source: sourceOf(directoryId), roleAttribute };
  const ids = await roleAssignments.holdersOf(tx, attribute);
  await unassignIn(ctx, tx, attribute, await tx.lock(ctx.catalog.resources.Identity, ids));
}
