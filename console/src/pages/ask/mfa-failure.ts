import { texts } from '../../texts.js';
import type { Explanation } from '../../parts/access/pair.js';

type Verdict = Explanation['paths'][number]['postureChecks'][number]['verdicts'][number];
export type Failure = NonNullable<Verdict['failure']>;

/** The state of the device and the wanted one, in words. */
interface ComparedWords {
  readonly found: string;
  readonly wanted: string;
}

/**
 * Of a check for the second factor. Its values say of both events whether they are in the way, and
 * what is expected says whether the check asks after them.
 */
export function wordsOfMfa({
  actualValue,
  expectedValue,
  criteria,
}: Failure): ComparedWords | undefined {
  if (!criteria) return undefined;
  const { found, wanted } = texts.ask.mfa;
  const asks = (event: Event): boolean => isTrue(expectedValue, event);
  const isMissing = (event: Event): boolean => asks(event) && !isTrue(actualValue, event);
  const { timeoutSeconds } = criteria;
  return {
    found: isTrue(actualValue, 'passedMfa')
      ? joined(
          found.given,
          isTrue(actualValue, 'timedOut') && found.timedOut,
          isMissing('passedOnWake') && found.notAfterWake,
          isMissing('passedOnUnlock') && found.notAfterUnlock,
        )
      : found.notGiven,
    wanted: joined(
      wanted.given,
      timeoutSeconds > 0 && wanted.notOlder(timeoutSeconds),
      asks('passedOnWake') && wanted.afterWake,
      asks('passedOnUnlock') && wanted.afterUnlock,
    ),
  };
}

type Event = 'passedOnWake' | 'passedOnUnlock';

const isTrue = (values: unknown, member: string): boolean =>
  typeof values === 'object' && values !== null && Reflect.get(values, member) === true;

const joined = (...parts: readonly (string | false)[]): string =>
  parts.filter((part) => part !== false).join(', ');
