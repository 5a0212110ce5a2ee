import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { currentRow, originOf, patchIn } from '../../kernel/write/write.js';
import { passwords } from '../../data/rows/authenticator/index.js';
import { isSwitchedOff } from './disabled-identity.js';
import { endSessionsOfIdentity } from './revocations.js';
import type { AuthPolicySettings } from './rules/index.js';

/*
 * The limit of consecutive failures, from the auth policy. The database counts them, so that a
 * restart or another controller does not reset the count. Failures at unknown senders are counted
 * separately: they lock out unknown senders alone, and can not disable the identity of an
 * administrator.
 */

const MINUTE = 60_000;
const FOR_GOOD = new Date('9999-12-31T00:00:00Z');

/** The owner of a password, with the kind of sender. */
export interface PasswordOwner {
  readonly id: string;
  readonly identityId: string;
  /** The sender is unknown; false while the password has no known senders. */
  readonly isStranger: boolean;
}

type LockoutRules = Pick<
  AuthPolicySettings['primary']['updb'],
  'maxAttempts' | 'lockoutDurationMinutes'
>;

/** Counts a failure; locks out after too many consecutive ones. */
export async function countFailure(
  ctx: RequestContext,
  owner: PasswordOwner,
  { maxAttempts, lockoutDurationMinutes }: LockoutRules,
): Promise<void> {
  if (maxAttempts === 0) return;
  const attempts = await passwords.countFailure(ctx.store, owner);
  // The authenticator may be deleted meanwhile; then there is nothing to lock.
  if (attempts === undefined || attempts < maxAttempts) return;
  const now = ctx.now();
  const until =
    lockoutDurationMinutes > 0 ? new Date(now.getTime() + lockoutDurationMinutes * MINUTE) : null;
  if (owner.isStranger) await passwords.barStrangers(ctx.store, owner.id, until ?? FOR_GOOD);
  else await disable(ctx, owner.identityId, now, until);
  await resetFailures(ctx, owner);
}

/** Resets the count after a success, since only consecutive failures count. */
export const resetFailures = (ctx: RequestContext, owner: PasswordOwner): Promise<unknown> =>
  passwords.resetFailures(ctx.store, owner);

/** Resets all counts of an identity, when it is enabled again. */
export const resetAllFailures = (tx: Transaction, identityId: string): Promise<unknown> =>
  passwords.resetAllFailures(tx, identityId);

/** Disables the identity and ends its sessions, unless it was disabled meanwhile. */
async function disable(
  ctx: RequestContext,
  id: string,
  now: Date,
  until: Date | null,
): Promise<void> {
  const identities = ctx.catalog.resources.Identity;
  // Without the session of the request, which may have ended.
  await ctx.store.write({ ...originOf(ctx), apiSessionId: null }, async (tx) => {
    const current = await currentRow(tx, identities, id);
    if (isSwitchedOff(current, now)) return;
    await patchIn(tx, identities, current, { disabledAt: now, disabledUntil: until });
    await endSessionsOfIdentity(ctx, tx, id);
  });
}
