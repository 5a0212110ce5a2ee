import type { RequestContext } from '../kernel/request/context.js';
import type { Transaction } from '../kernel/request/store-port.js';
import { currentRow, deleteIn, originOf, patchIn } from '../kernel/write/write.js';
import {
  barStrangers,
  countFailedAttempt,
  resetAllAttempts,
  resetFailedAttempts,
} from './authenticator-table.js';
import { isDisabled } from './disabled-identity.js';
import type { AuthPolicySettings } from './rules/index.js';

/*
 * Failures in a row, as the auth policy limits them: in the database, so that neither a restart nor
 * another controller forgives. Where the owner of a password has logged in from is told apart from
 * elsewhere: strangers bar strangers, and cannot disable the identity of an administrator.
 */

const MINUTE = 60_000;
const FOR_GOOD = new Date('9999-12-31T00:00:00Z');

/** Whose failures are counted. */
export interface PasswordOwner {
  readonly id: string;
  readonly identityId: string;
  /** From elsewhere than where it was logged in from; nowhere is elsewhere while there is no such place. */
  readonly isStranger: boolean;
}

type LockoutRules = Pick<
  AuthPolicySettings['primary']['updb'],
  'maxAttempts' | 'lockoutDurationMinutes'
>;

/** Too many in a row lock out. */
export async function countFailure(
  ctx: RequestContext,
  owner: PasswordOwner,
  { maxAttempts, lockoutDurationMinutes }: LockoutRules,
): Promise<void> {
  if (maxAttempts === 0) return;
  const attempts = await countFailedAttempt(ctx.store, owner);
  // An authenticator that was deleted meanwhile counts nothing, and locks nobody out.
  if (attempts === undefined || attempts < maxAttempts) return;
  const now = ctx.now();
  const until =
    lockoutDurationMinutes > 0 ? new Date(now.getTime() + lockoutDurationMinutes * MINUTE) : null;
  if (owner.isStranger) await barStrangers(ctx.store, owner.id, until ?? FOR_GOOD);
  else await disable(ctx, owner.identityId, now, until);
  await forgetFailures(ctx, owner);
}

/** Failures count in a row only. */
export const forgetFailures = (ctx: RequestContext, owner: PasswordOwner): Promise<unknown> =>
  resetFailedAttempts(ctx.store, owner);

/** Whoever enables an identity lets everybody try again. */
export const forgiveAll = (tx: Transaction, identityId: string): Promise<unknown> =>
  resetAllAttempts(tx, identityId);

/** Disables the identity and ends its sessions, unless it was disabled meanwhile. */
async function disable(
  ctx: RequestContext,
  id: string,
  now: Date,
  until: Date | null,
): Promise<void> {
  const identities = ctx.catalog.resources.Identity;
  const sessions = ctx.catalog.resources.ApiSession;
  // Not the doing of a session that came with the attempt, which may be over.
  await ctx.store.write({ ...originOf(ctx), apiSessionId: null }, async (tx) => {
    const current = await currentRow(tx, identities, id);
    if (isDisabled(current, now)) return;
    await patchIn(tx, identities, current, { disabledAt: now, disabledUntil: until });
    await deleteIn(ctx, tx, sessions, await tx.find(sessions, { identityId: id }));
  });
}
