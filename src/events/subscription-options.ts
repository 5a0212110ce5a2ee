import { z } from 'zod';
import { goDuration } from '../presence/index.js';
import { typeByName, type EventType } from './event-types.js';
import { DEFAULT_INTERVAL_MILLIS, type Subscription } from './subscription.js';

/** A week; timers take 24 days at most. */
const MOST_INTERVAL_MILLIS = 604_800_000;

/** The values of `include` by type; other types accept any. */
const KINDS: Partial<Record<EventType, readonly string[]>> = {
  apiSession: ['created', 'deleted'],
  authentication: ['success', 'fail'],
  circuit: ['created', 'pathUpdated', 'deleted', 'failed'],
  session: ['created', 'deleted'],
};

/** Says that a member is missing, or how it is wrong. */
export const fault = (wrong: string) => (issue: { readonly input?: unknown }) =>
  issue.input === undefined ? 'is missing' : wrong;

export const text = () => z.string({ error: fault('is not a text') });
const flag = z
  .union([z.boolean(), z.enum(['true', 'false'])], { error: 'is neither true nor false' })
  .transform((value) => value === true || value === 'true');
const names = z.union([text().transform((name) => [name]), z.array(text())], {
  error: 'is neither a text nor a list of texts',
});
const interval = text().transform((value, context) => {
  const millis = goDuration(value);
  if (millis !== undefined && millis >= 1000 && millis <= MOST_INTERVAL_MILLIS) return millis;
  context.addIssue({ code: 'custom', message: `"${value}" is not a duration from 1s to 168h` });
  return z.NEVER;
});

/** A subscription as clients and files write it. */
export const SUBSCRIPTION = z.object(
  {
    type: text(),
    include: names.optional(),
    propagateAlways: flag.optional(),
    interval: interval.optional(),
  },
  { error: fault('is not an object') },
);

/** Makes the error for a fault at a place. */
export type Refuse = (place: readonly PropertyKey[], wrong: string) => Error;

export interface SubscriptionReading {
  readonly refuse: Refuse;
  /** Called with names of types that do not exist: subscriptions to them are ignored. */
  readonly onUnknownType: (name: string) => void;
}

/** Gives the subscription; none for a type that does not exist. */
export function subscriptionOf(
  place: readonly PropertyKey[],
  { type: name, include, propagateAlways, interval: millis }: z.infer<typeof SUBSCRIPTION>,
  { refuse, onUnknownType }: SubscriptionReading,
): Subscription[] {
  const named = typeByName(name);
  if (!named) {
    onUnknownType(name);
    return [];
  }
  const kinds = KINDS[named.type];
  const unknown = include?.find((kind) => kinds?.includes(kind) === false);
  if (unknown !== undefined) {
    const allowedKinds = kinds?.join(', ') ?? '';
    throw refuse([...place, 'include'], `"${unknown}" is none of ${allowedKinds}`);
  }
  return [
    {
      ...named,
      // An empty list is no restriction.
      include: include === undefined || include.length === 0 ? undefined : new Set(include),
      propagateAlways: propagateAlways ?? false,
      intervalMillis: millis ?? DEFAULT_INTERVAL_MILLIS,
    },
  ];
}
