import { z } from 'zod';
import { failure } from '../../base/errors.js';
import { parseJson } from '../../base/json-text.js';
import type { Subscription } from './event-subscription.js';
import { fault, SUBSCRIPTION, subscriptionOf, type Refuse } from './subscription-options.js';

/** More than all types by all their names. */
const MAX_SUBSCRIPTIONS = 64;

const NO_OBJECT = { error: fault('is not an object') };

const REQUEST = z.object(
  {
    format: z.literal('json', { error: fault('is not json') }),
    subscriptions: z
      .array(
        // The public client writes null where it has no options.
        z.object(
          { type: z.unknown().optional(), options: z.looseObject({}, NO_OBJECT).nullish() },
          NO_OBJECT,
        ),
        { error: fault('is not a list') },
      )
      .max(MAX_SUBSCRIPTIONS, `has more than ${String(MAX_SUBSCRIPTIONS)} entries`),
  },
  { error: 'the body is not an object' },
);

const refuse: Refuse = (place, wrong) =>
  failure('COULD_NOT_VALIDATE', [place.map(String).join('.'), wrong].join(' ').trim());

/**
 * Reads the request of a client that watches events: `{"format":"json","subscriptions":[{"type":
 * "apiSession","options":{…}}]}`.
 * @throws ApiError with the place and the fault
 */
export function readStreamRequest(
  body: string,
  onUnknownType: (name: string) => void,
): Subscription[] {
  const { subscriptions } = validated(REQUEST, parseJson(body), []);
  return subscriptions.flatMap(({ type, options }, i) => {
    const place = ['subscriptions', i];
    const subscription = validated(SUBSCRIPTION, { ...options, type }, place);
    return subscriptionOf(place, subscription, { refuse, onUnknownType });
  });
}

function validated<T>(schema: z.ZodType<T>, value: unknown, place: readonly PropertyKey[]): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw refuse([...place, ...(issue?.path ?? [])], issue?.message ?? 'is wrong');
}
