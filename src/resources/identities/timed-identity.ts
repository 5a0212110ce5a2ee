import { isDeepStrictEqual } from 'node:util';
import { checkIdentityTimes, timedStateAt, type IdentityTimes } from '../../access/times/index.js';
import { clock } from '../../data/rows/clock/index.js';
import type { Write } from '../../kernel/declare/resource.js';
import { setAttribute, type WrittenOf } from '../../kernel/declare/rows.js';
import { endSessionsOfIdentity } from '../../trust/auth/index.js';

const TIMES = ['validFrom', 'validUntil'] as const;

const timesOf = ({
  validFrom = null,
  validUntil = null,
}: WrittenOf<'Identity'>): IdentityTimes => ({
  validFrom,
  validUntil,
});

/** Checks written times, and stores whether the identity is outside them. */
export async function storeTimes({
  verb,
  tx,
  input,
  values,
  current,
}: Write<'Identity'>): Promise<void> {
  for (const name of TIMES) {
    // A client that does not know the times and writes an identity back does not mean to drop them.
    if (verb === 'replace' && input[name] === undefined) setAttribute(values, name, current[name]);
  }
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
