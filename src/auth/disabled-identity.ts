import type { RowOf } from '../kernel/declare/rows.js';

/** Since when an identity is disabled and until when, as its row says. */
export type DisabledState = Pick<RowOf<'Identity'>, 'disabledAt' | 'disabledUntil'>;

/** An identity is disabled until it is enabled again, or until a time that was set. */
export const isDisabled = (
  { disabledAt = null, disabledUntil = null }: Partial<DisabledState>,
  now: Date,
): boolean => disabledAt !== null && (disabledUntil === null || disabledUntil > now);
