import { invalidField } from '../../base/errors.js';
import { choiceAt, integerAt, isSent, objectAt } from '../../base/values.js';

const LOCATIONS = ['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL'] as const;
const MATCHERS = ['ALL', 'PREFIX', 'SUFFIX', 'SCHEME'] as const;
const PARSERS = ['NONE', 'SPLIT'] as const;

type Location = (typeof LOCATIONS)[number];
type Matcher = (typeof MATCHERS)[number];

/** How the external id of an identity is read from a certificate of a CA. */
export interface ExternalIdClaim {
  readonly location: Location;
  readonly matcher: Matcher;
  /** What the matcher looks for; not read by `ALL`. */
  readonly matcherCriteria: string;
  readonly parser: (typeof PARSERS)[number];
  /** The separator at which `SPLIT` splits. */
  readonly parserCriteria: string;
  /** Which of the values found is the id, from 0. */
  readonly index: number;
}

const ON_TEXT: readonly Matcher[] = ['ALL', 'PREFIX', 'SUFFIX'];

const MATCHERS_OF: Readonly<Record<Location, readonly Matcher[]>> = {
  COMMON_NAME: ON_TEXT,
  SAN_EMAIL: ON_TEXT,
  SAN_URI: ['ALL', 'SCHEME'],
};

const at = (member: keyof ExternalIdClaim): string => `externalIdClaim.${member}`;

/** A missing criterion is empty; one that is needed must not be. */
function criteriaAt(value: unknown, field: string, isNeeded: boolean): string {
  if (isSent(value) && typeof value !== 'string') throw invalidField(field, 'must be text', value);
  const criteria = typeof value === 'string' ? value : '';
  if (isNeeded && criteria === '') throw invalidField(field, 'is required', value ?? null);
  return criteria;
}

function indexAt(value: unknown, field: string): number {
  const index = isSent(value) ? integerAt(value, field) : 0;
  if (index < 0) throw invalidField(field, 'must not be negative', value);
  return index;
}

function claimOf(members: Record<string, unknown>): ExternalIdClaim {
  const location = choiceAt(LOCATIONS, members['location'], at('location'));
  const matcher = choiceAt(MATCHERS, members['matcher'], at('matcher'));
  const parser = choiceAt(PARSERS, members['parser'], at('parser'));
  const usable = MATCHERS_OF[location];
  if (!usable.includes(matcher)) {
    throw invalidField(
      at('matcher'),
      `must be one of ${usable.join(', ')} for ${location}`,
      matcher,
    );
  }
  return {
    location,
    matcher,
    matcherCriteria: criteriaAt(
      members['matcherCriteria'],
      at('matcherCriteria'),
      matcher !== 'ALL',
    ),
    parser,
    parserCriteria: criteriaAt(members['parserCriteria'], at('parserCriteria'), parser !== 'NONE'),
    index: indexAt(members['index'], at('index')),
  };
}

/** The claim of a whole body (create, replace): null or absent is none; 400 when it is unsound. */
export const checkExternalIdClaim = (claim: unknown): ExternalIdClaim | null =>
  isSent(claim) ? claimOf(objectAt(claim, 'externalIdClaim')) : null;

/**
 * The claim after a partial change; null clears it. Members that are null or absent stay as they are;
 * when nothing is left to change neither does the claim. The result has to be sound as a whole, else 400.
 */
export function mergeExternalIdClaim(
  current: ExternalIdClaim | null,
  patch: unknown,
): ExternalIdClaim | null {
  if (patch === undefined) return current;
  if (patch === null) return null;
  const changes = Object.entries(objectAt(patch, 'externalIdClaim')).filter(([, v]) => isSent(v));
  return changes.length === 0 ? current : claimOf({ ...current, ...Object.fromEntries(changes) });
}
