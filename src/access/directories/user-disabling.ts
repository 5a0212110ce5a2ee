import { clock } from '../../data/rows/clock/index.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { currentRow, patchIn } from '../../kernel/write/write.js';
import { isSwitchedOff, setIdentityStateIn, type IdentityState } from '../../trust/auth/index.js';

/*
 * A directory and others may have disabled the same identity. The state of the identity is the longer one, and the user
 * of the directory remembers what the directory has done and what of others lies behind it. The clock of the database
 * decides what is over.
 */

/** The members of the user, as a write accepts them. */
export interface UserDisabling {
  readonly identityDisabledAt: string | null;
  readonly otherDisabledAt: string | null;
  readonly otherDisabledUntil: string | null;
}

const NO_OTHER = { otherDisabledAt: null, otherDisabledUntil: null };
export const NOT_DISABLED: UserDisabling = { identityDisabledAt: null, ...NO_OTHER };

const iso = (time: Date | null): string | null => time?.toISOString() ?? null;

type StoredDisabling = Pick<
  RowOf<'DirectoryUser'>,
  'identityDisabledAt' | 'otherDisabledAt' | 'otherDisabledUntil'
>;

export const disablingOf = (user: StoredDisabling): UserDisabling => ({
  identityDisabledAt: iso(user.identityDisabledAt),
  otherDisabledAt: iso(user.otherDisabledAt),
  otherDisabledUntil: iso(user.otherDisabledUntil),
});

/** An identity that is disabled without an end stays as it is, so that it stays disabled by whoever did it. */
export async function disableUserIn(
  ctx: RequestContext,
  tx: Transaction,
  identityId: string,
  before: UserDisabling,
): Promise<UserDisabling> {
  const identity = await currentRow(tx, ctx.catalog.resources.Identity, identityId);
  if (identity.disabledAt !== null && identity.disabledUntil === null) return before;
  const disabledAt = await clock.now(tx);
  await setIdentityStateIn(ctx, tx, identity, { disabledAt, disabledUntil: null });
  const other = isSwitchedOff(identity, disabledAt)
    ? {
        otherDisabledAt: iso(identity.disabledAt),
        otherDisabledUntil: iso(identity.disabledUntil),
      }
    : NO_OTHER;
  return { identityDisabledAt: iso(disabledAt), ...other };
}

/**
 * Ends what the directory did: an identity that somebody else has disabled for a time is disabled until the end of that.
 * One that somebody else has disabled without an end, or disabled again, stays as it is.
 */
export async function enableUserIn(
  ctx: RequestContext,
  tx: Transaction,
  user: RowOf<'DirectoryUser'>,
): Promise<UserDisabling> {
  const identity = await currentRow(tx, ctx.catalog.resources.Identity, user.identityId);
  if (isDisabledBy(user, identity)) {
    await setIdentityStateIn(ctx, tx, identity, otherStateOf(user, await clock.now(tx)));
  }
  return NOT_DISABLED;
}

const isDisabledBy = (
  { identityDisabledAt }: StoredDisabling,
  { disabledAt, disabledUntil }: IdentityState,
): boolean =>
  disabledAt !== null &&
  disabledUntil === null &&
  disabledAt.getTime() === identityDisabledAt?.getTime();

function otherStateOf(
  { otherDisabledAt, otherDisabledUntil }: StoredDisabling,
  now: Date,
): IdentityState {
  const other = { disabledAt: otherDisabledAt, disabledUntil: otherDisabledUntil };
  return isSwitchedOff(other, now) ? other : { disabledAt: null, disabledUntil: null };
}

/**
 * Stores with the user of a directory that somebody disables its identity for a time, while the directory has disabled it
 * without an end: the end of that time must not enable it. Gives false when no directory has disabled it.
 */
export async function disableBehindDirectoryIn(
  ctx: RequestContext,
  tx: Transaction,
  identity: RowOf<'Identity'>,
  { disabledAt, disabledUntil }: IdentityState,
): Promise<boolean> {
  if (disabledUntil === null || !isSwitchedOff(identity, await clock.now(tx))) return false;
  const { DirectoryUser } = ctx.catalog.resources;
  const user = await tx.lockRow(DirectoryUser, identity.id);
  if (!user || !isDisabledBy(user, identity)) return false;
  const other = { otherDisabledAt: disabledAt, otherDisabledUntil: disabledUntil };
  await patchIn(tx, DirectoryUser, user, other);
  return true;
}
