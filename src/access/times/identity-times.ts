import type { RowOf } from '../../kernel/declare/rows.js';
import { checkedTimes } from './check-times.js';
import { forceAt } from './force-at.js';

/** The times of an identity, which has no weekly windows. */
export type IdentityTimes = Pick<RowOf<'Identity'>, 'validFrom' | 'validUntil'>;

/** Whether an identity is outside its times, and when this changes by itself. */
export type TimedState = Pick<RowOf<'Identity'>, 'isOutsideTimes' | 'nextChangeAt'>;

const WITHOUT_WINDOWS = { weeklyWindows: [], timeZone: null } as const;

/** @throws ApiError COULD_NOT_VALIDATE on `validUntil` */
export const checkIdentityTimes = ({ validFrom, validUntil }: IdentityTimes): void =>
  void checkedTimes({ validFrom, validUntil, ...WITHOUT_WINDOWS });

/** Each boundary is the first moment of what follows. */
export function timedStateAt({ validFrom, validUntil }: IdentityTimes, now: Date): TimedState {
  const { isInForce, nextChangeAt } = forceAt({ validFrom, validUntil, ...WITHOUT_WINDOWS }, now);
  return { isOutsideTimes: !isInForce, nextChangeAt };
}
