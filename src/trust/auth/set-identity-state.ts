import type { RowOf } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { patchIn } from '../../kernel/write/write.js';
import { resetAllFailures } from './lockout.js';
import { endSessionsOfIdentity } from './revocations.js';

/** Whether an identity may log in: from when and until when it may not. */
export type IdentityState = Pick<RowOf<'Identity'>, 'disabledAt' | 'disabledUntil'>;

/** Disables an identity that is locked and ends its API sessions, or lets it log in again. */
export async function setIdentityStateIn(
  ctx: RequestContext,
  tx: Transaction,
  current: RowOf<'Identity'>,
  state: IdentityState,
): Promise<void> {
  await patchIn(tx, ctx.catalog.resources.Identity, current, state);
  if (state.disabledAt === null) await resetAllFailures(tx, current.id);
  else await endSessionsOfIdentity(ctx, tx, current.id);
}
