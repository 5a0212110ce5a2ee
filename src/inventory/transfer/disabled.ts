import type { JsonObject } from '../../base/row.js';
import { readerOf } from '../../base/schema-reader.js';
import { anything, boolean, isSent, orElse, ruled, schemaOf } from '../../base/typed-schema.js';
import { isSwitchedOff, type DisabledState } from '../../trust/auth/index.js';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

const timeOf = (value: unknown): Date =>
  new Date(typeof value === 'string' && TIME.test(value) ? value : NaN);

const timeFault = (value: unknown): string | undefined =>
  Number.isNaN(timeOf(value).getTime()) ? 'must be a time such as 2030-01-31T12:00:00Z' : undefined;

const readDisabled = readerOf(
  schemaOf({
    disabledUntil: orElse(ruled(anything(), timeFault), null),
    disabled: boolean(),
  }),
);

/** A new identity has no state yet. */
type CurrentState = Partial<DisabledState>;

interface DisabledMembers {
  readonly disabled: boolean;
  readonly disabledUntil?: string;
}

/** Gives `disabled` and its end, as documents describe them. */
export function disabledMembers(state: CurrentState, now: Date): DisabledMembers {
  if (!isSwitchedOff(state, now)) return { disabled: false };
  const { disabledUntil } = state;
  return disabledUntil
    ? { disabled: true, disabledUntil: disabledUntil.toISOString() }
    : { disabled: true };
}

/** Gives the change for the state in a document; undefined when nothing changes. */
export function disabledChange(
  data: Readonly<JsonObject>,
  current: CurrentState,
  now: Date,
): DisabledState | undefined {
  if (!isSent(data.disabled)) return undefined;
  const { disabled, disabledUntil } = readDisabled(data);
  const until = isSent(disabledUntil) ? timeOf(disabledUntil) : undefined;
  if (!disabled) {
    return isSwitchedOff(current, now) ? { disabledAt: null, disabledUntil: null } : undefined;
  }
  if (until && until <= now) return undefined;
  return isDisabledUntil(current, until, now)
    ? undefined
    : { disabledAt: now, disabledUntil: until ?? null };
}

const isDisabledUntil = (state: CurrentState, until: Date | undefined, now: Date): boolean =>
  isSwitchedOff(state, now) && state.disabledUntil?.getTime() === until?.getTime();
