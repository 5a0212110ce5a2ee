import { grantableIn } from '../../kernel/declare/grantable.js';
import { identities } from '../../data/rows/identity/index.js';
import { exceeds, type Rights } from './rules/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { failure } from '../../base/errors.js';
import type { Transaction } from '../../kernel/request/store-port.js';

/*
 * A caller may not manage an identity with more rights than its own, or the identity's
 * authenticators: otherwise it could log in as that identity.
 */

/** Whether the caller may change an identity with these rights; the controller itself always may. */
export const mayActUpon = (
  { caller, catalog }: Pick<RequestContext, 'caller' | 'catalog'>,
  rights: Rights,
): boolean => caller === undefined || !exceeds(rights, caller, grantableIn(catalog));

/** @throws ApiError UNAUTHORIZED for an identity with more rights than the caller */
export function refuseHigherRights(ctx: RequestContext, identity: Rights): void {
  if (!mayActUpon(ctx, identity)) throw failure('UNAUTHORIZED');
}

/** The same check by id; an unknown identity is not refused here. */
export async function refuseHigherRightsOf(
  ctx: RequestContext,
  tx: Transaction,
  identityId: string | null | undefined,
): Promise<void> {
  if (ctx.caller?.isAdmin !== false || !identityId) return;
  const [identity] = await tx.find(ctx.catalog.resources.Identity, { id: identityId });
  if (identity) refuseHigherRights(ctx, identity);
}

/** The ids of the given identities that the caller may change. */
export async function idsToActUpon(
  ctx: RequestContext,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await identities.rightsOf(ctx.store, ids);
  const allowed = rows.filter((row) => mayActUpon(ctx, row));
  return new Set(allowed.map(({ id }) => id));
}
