import type { RequestContext } from '../kernel/context.js';
import { failure } from '../kernel/errors.js';
import type { Transaction } from '../kernel/store-port.js';

/**
 * Whoever may manage identities may not manage administrators, nor what they enroll with: it would
 * be a way to become one.
 */
export async function refuseAdministrator(
  ctx: RequestContext,
  tx: Transaction,
  identityId: unknown,
): Promise<void> {
  if (ctx.caller?.isAdmin !== false || typeof identityId !== 'string') return;
  const [identity] = await tx.find(ctx.catalog.get('Identity'), { id: identityId });
  if (identity?.isAdmin === true) throw failure('UNAUTHORIZED');
}
