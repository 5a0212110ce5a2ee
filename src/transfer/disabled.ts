import { invalidField } from '../base/errors.js';
import { booleanAt, isSent } from '../base/values.js';
import type { Row } from '../base/row.js';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

const isDisabled = ({ disabledAt, disabledUntil }: Row, now: Date): boolean =>
  disabledAt instanceof Date && !(disabledUntil instanceof Date && disabledUntil <= now);

/** `disabled`, and until when: how a document tells that an identity may not log in. */
export function disabledMembers(row: Row, now: Date): Row {
  if (!isDisabled(row, now)) return { disabled: false };
  const { disabledUntil } = row;
  return disabledUntil instanceof Date
    ? { disabled: true, disabledUntil: disabledUntil.toISOString() }
    : { disabled: true };
}

/** What has to change for an identity to be disabled or not as a document says; undefined: nothing. */
export function disabledChange(data: Row, current: Row, now: Date): Row | undefined {
  if (!isSent(data.disabled)) return undefined;
  const until = untilOf(data.disabledUntil);
  if (!booleanAt(data.disabled, 'disabled')) {
    return isDisabled(current, now) ? { disabledAt: null, disabledUntil: null } : undefined;
  }
  if (until && until <= now) return undefined;
  return isDisabledUntil(current, until, now)
    ? undefined
    : { disabledAt: now, disabledUntil: until ?? null };
}

function isDisabledUntil(row: Row, until: Date | undefined, now: Date): boolean {
  const { disabledUntil } = row;
  const current = disabledUntil instanceof Date ? disabledUntil.getTime() : undefined;
  return isDisabled(row, now) && current === until?.getTime();
}

function untilOf(value: unknown): Date | undefined {
  if (value === undefined || value === null) return undefined;
  const time = new Date(typeof value === 'string' && TIME.test(value) ? value : NaN);
  if (!Number.isNaN(time.getTime())) return time;
  throw invalidField('disabledUntil', 'must be a time such as 2030-01-31T12:00:00Z', value);
}
