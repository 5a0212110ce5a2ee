import { endedSessions } from '../../data/rows/api-session/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { deleteIn } from '../../kernel/write/write.js';
import { includesRights } from './granted-rights.js';
import type { Rights } from './rules/index.js';

interface NewGrants {
  readonly identityId: string;
  readonly authenticatorId: string;
  readonly granted: Rights;
}

/** Ends the earlier API sessions of a login that have rights which its new token does not give any more. */
export async function endGreaterGrants(
  ctx: RequestContext,
  tx: Transaction,
  { granted, ...login }: NewGrants,
): Promise<void> {
  const earlier = await endedSessions.granted(tx, login);
  const greater = earlier.filter(
    ({ grantedAdmin: isAdmin, grantedPermissions: permissions }) =>
      !includesRights(granted, { isAdmin, permissions }),
  );
  const { ApiSession } = ctx.catalog.resources;
  const id = greater.map((session) => session.id);
  if (id.length > 0) await deleteIn(ctx, tx, ApiSession, await tx.find(ApiSession, { id }));
}
