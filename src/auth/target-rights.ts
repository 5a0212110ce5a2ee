import { grantableIn } from '../kernel/declare/grantable.js';
import { rightsOfIdentities } from './identity-table.js';
import { exceeds, type Rights } from './rules/index.js';
import type { RequestContext } from '../kernel/request/context.js';
import { failure } from '../base/errors.js';
import type { Transaction } from '../kernel/request/store-port.js';

/*
 * A permission to manage identities, or what they log in with, does not reach identities that may do
 * more than the caller: it would be a way to become one of them.
 */

/** Whether the caller may act upon an identity with these rights; the controller itself may. */
export const mayActUpon = (
  { caller, catalog }: Pick<RequestContext, 'caller' | 'catalog'>,
  rights: Rights,
): boolean => caller === undefined || !exceeds(rights, caller, grantableIn(catalog));

/** @throws ApiError UNAUTHORIZED for an identity with more rights than the caller */
export function refuseHigherRights(ctx: RequestContext, identity: Rights): void {
  if (!mayActUpon(ctx, identity)) throw failure('UNAUTHORIZED');
}

/** The same by the id of the identity; one that does not exist is left to others to refuse. */
export async function refuseHigherRightsOf(
  ctx: RequestContext,
  tx: Transaction,
  identityId: string | null | undefined,
): Promise<void> {
  if (ctx.caller?.isAdmin !== false || !identityId) return;
  const [identity] = await tx.find(ctx.catalog.resources.Identity, { id: identityId });
  if (identity) refuseHigherRights(ctx, identity);
}

/** Of identities by id, those that the caller may act upon. */
export async function idsToActUpon(
  ctx: RequestContext,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await rightsOfIdentities(ctx.store, ids);
  const allowed = rows.filter((row) => mayActUpon(ctx, row));
  return new Set(allowed.map(({ id }) => id));
}
