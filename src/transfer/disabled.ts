import { invalidField } from '../base/errors.js';
import { booleanAt, isSent } from '../base/values.js';
import type { JsonObject } from '../base/row.js';
import { isDisabled, type DisabledState } from '../auth/index.js';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** An identity that is not there yet is not disabled. */
type CurrentState = Partial<DisabledState>;

interface DisabledMembers {
  readonly disabled: boolean;
  readonly disabledUntil?: string;
}

/** `disabled`, and until when: how a document tells that an identity may not log in. */
export function disabledMembers(state: CurrentState, now: Date): DisabledMembers {
  if (!isDisabled(state, now)) return { disabled: false };
  const { disabledUntil } = state;
  return disabledUntil
    ? { disabled: true, disabledUntil: disabledUntil.toISOString() }
    : { disabled: true };
}

/** What has to change for an identity to be disabled or not as a document says; undefined: nothing. */
export function disabledChange(
  data: Readonly<JsonObject>,
  current: CurrentState,
  now: Date,
): DisabledState | undefined {
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

const isDisabledUntil = (state: CurrentState, until: Date | undefined, now: Date): boolean =>
  isDisabled(state, now) && state.disabledUntil?.getTime() === until?.getTime();

function untilOf(value: unknown): Date | undefined {
  if (value === undefined || value === null) return undefined;
  const time = new Date(typeof value === 'string' && TIME.test(value) ? value : NaN);
  if (!Number.isNaN(time.getTime())) return time;
  throw invalidField('disabledUntil', 'must be a time such as 2030-01-31T12:00:00Z', value);
}
