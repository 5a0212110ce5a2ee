import type { RowOf } from '../../kernel/declare/rows.js';

/** The times from and until which an identity is disabled. */
export type DisabledState = Pick<RowOf<'Identity'>, 'disabledAt' | 'disabledUntil'>;

/** Whether an identity is disabled: until it is enabled again, or until `disabledUntil`. */
export const isDisabled = (
  { disabledAt = null, disabledUntil = null }: Partial<DisabledState>,
  now: Date,
): boolean => disabledAt !== null && (disabledUntil === null || disabledUntil > now);
