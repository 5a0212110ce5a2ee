import { isDeepStrictEqual } from 'node:util';
import { checkIdentityTimes, timedStateAt, type IdentityTimes } from '../../access/times/index.js';
import { clock } from '../../data/rows/clock/index.js';
import type { Write } from '../../kernel/declare/resource.js';
import type { WrittenOf } from '../../kernel/declare/rows.js';
import { endSessionsOfIdentity } from '../../trust/auth/index.js';

const timesOf = ({
  validFrom = null,
  validUntil = null,
}: WrittenOf<'Identity'>): IdentityTimes => ({
  validFrom,
  validUntil,
});

/** Checks written times, and stores whether the identity is outside them. */
export async function storeTimes({ tx, values, current }: Write<'Identity'>): Promise<void> {
  const before = timesOf(current);
  const after = timesOf({ ...current, ...values });
  if (isDeepStrictEqual(after, before)) return;
  checkIdentityTimes(after);
  Object.assign(values, timedStateAt(after, await clock.now(tx)));
}

/** Ends the sessions of an identity that a write of its times has put outside of them. */
export async function endSessionsOutsideTimes({
  ctx,
  tx,
  id,
  values,
}: Write<'Identity'>): Promise<void> {
  if (values.isOutsideTimes === true) await endSessionsOfIdentity(ctx, tx, id);
}
