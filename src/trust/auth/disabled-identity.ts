import type { RowOf } from '../../kernel/declare/rows.js';

/** The times from and until which an identity is switched off. */
export type DisabledState = Pick<RowOf<'Identity'>, 'disabledAt' | 'disabledUntil'>;

/** Whether an identity is disabled: it is switched off, or outside its times. */
export const isDisabled = (
  { isOutsideTimes = false, ...state }: Partial<DisabledState & { isOutsideTimes: boolean }>,
  now: Date,
): boolean => isOutsideTimes || isSwitchedOff(state, now);

/**
 * Whether somebody or a lockout has disabled an identity: until it is enabled again, or until `disabledUntil`. Its times
 * have no part in this.
 */
export const isSwitchedOff = (
  { disabledAt = null, disabledUntil = null }: Partial<DisabledState>,
  now: Date,
): boolean => disabledAt !== null && (disabledUntil === null || disabledUntil > now);
