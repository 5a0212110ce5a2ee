import { z } from 'zod';
import { goDuration } from '../presence/index.js';
import { typeByName, type EventType, type NamedType } from './event-types.js';
import { metricPattern } from './metrics-events.js';
import { DEFAULT_INTERVAL_MILLIS, type Subscription } from './event-subscription.js';
import { DEFAULT_USAGE_VERSION, type UsageVersion } from './usage-events.js';

/** A week; timers take 24 days at most. */
const MAX_INTERVAL_MILLIS = 604_800_000;

/** The values of `include` by type; other types accept any. */
const KINDS: Partial<Record<EventType, readonly string[]>> = {
  apiSession: ['created', 'deleted'],
  authentication: ['success', 'fail'],
  circuit: ['created', 'pathUpdated', 'deleted', 'failed'],
  session: ['created', 'deleted'],
  usage: ['ingress.rx', 'ingress.tx', 'egress.rx', 'egress.tx', 'fabric.rx', 'fabric.tx'],
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
  if (millis !== undefined && millis >= 1000 && millis <= MAX_INTERVAL_MILLIS) return millis;
  context.addIssue({ code: 'custom', message: `"${value}" is not a duration from 1s to 168h` });
  return z.NEVER;
});

const USAGE_VERSIONS: ReadonlyMap<string, UsageVersion> = new Map([
  ['2', 2],
  ['3', 3],
]);
/** Longer patterns are not written by hand. */
const MAX_PATTERN_LENGTH = 1_000;
const pattern = text()
  .max(MAX_PATTERN_LENGTH, `is longer than ${String(MAX_PATTERN_LENGTH)} characters`)
  .transform((value, context) => {
    if (value === '') return undefined;
    try {
      metricPattern(value);
      return value;
    } catch {
      context.addIssue({ code: 'custom', message: `"${value}" is not a regular expression` });
      return z.NEVER;
    }
  });
/** A subscription as clients and files write it. */
export const SUBSCRIPTION = z.object(
  {
    type: text(),
    include: names.optional(),
    propagateAlways: flag.optional(),
    interval: interval.optional(),
    version: z.union([z.number(), z.string()], { error: 'is no number' }).optional(),
    sourceFilter: pattern.optional(),
    metricFilter: pattern.optional(),
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

type Options = Omit<z.infer<typeof SUBSCRIPTION>, 'type'>;

/** Gives the subscription; none for a type that does not exist. */
export function subscriptionOf(
  place: readonly PropertyKey[],
  { type: name, ...options }: z.infer<typeof SUBSCRIPTION>,
  { refuse, onUnknownType }: SubscriptionReading,
): Subscription[] {
  const named = typeByName(name);
  if (!named) {
    onUnknownType(name);
    return [];
  }
  const { include, version } = options;
  const kinds = KINDS[named.type];
  const unknown = include?.find((kind) => kinds?.includes(kind) === false);
  if (unknown !== undefined) {
    const allowedKinds = kinds?.join(', ') ?? '';
    throw refuse([...place, 'include'], `"${unknown}" is none of ${allowedKinds}`);
  }
  if (named.type === 'usage' && version !== undefined && !USAGE_VERSIONS.has(String(version))) {
    throw refuse([...place, 'version'], `${String(version)} is neither 2 nor 3`);
  }
  return [subscriptionTo(named, options)];
}

/** Makes a subscription with valid options. */
export function subscriptionTo(named: NamedType, options: Options = {}): Subscription {
  const { include, propagateAlways = false, interval: millis } = options;
  // An empty list is no restriction.
  const wanted = include === undefined || include.length === 0 ? undefined : new Set(include);
  return {
    ...named,
    include: wanted,
    propagateAlways,
    intervalMillis: millis ?? DEFAULT_INTERVAL_MILLIS,
    ...ofNumbers(named.type, options, wanted),
  };
}

/** The options for events with numbers; `include` names counters there. */
function ofNumbers(
  type: EventType,
  { version = '', sourceFilter, metricFilter }: Options,
  counters: ReadonlySet<string> | undefined,
): Partial<Subscription> | undefined {
  if (type === 'usage') {
    const usageVersion = USAGE_VERSIONS.get(String(version)) ?? DEFAULT_USAGE_VERSION;
    return { include: undefined, usageVersion, counters };
  }
  if (type !== 'metrics') return undefined;
  return {
    include: undefined,
    ...(sourceFilter !== undefined && { sourceFilter }),
    ...(metricFilter !== undefined && { metricFilter }),
  };
}
