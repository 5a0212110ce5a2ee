import { invalidField } from '../../../base/errors.js';
import { overlaid, readerOf } from '../../../base/schema-reader.js';
import {
  anyObject,
  anyText,
  choice,
  integer,
  isSent,
  orElse,
  ruled,
  schemaOf,
  type TypedSchema,
  type ValueOfSchema,
} from '../../../base/typed-schema.js';

const METHOD = schemaOf({
  location: choice(['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL']),
  matcher: choice(['ALL', 'PREFIX', 'SUFFIX', 'SCHEME']),
  parser: choice(['NONE', 'SPLIT']),
});

type Method = ValueOfSchema<typeof METHOD>;

const OPTIONAL_TEXT = orElse(anyText(), '');
const NEEDED_TEXT = anyText().min(1, 'is required');

const signFault = (index: number): string | undefined =>
  index < 0 ? 'must not be negative' : undefined;

const criteriaOf = (matching: TypedSchema<string>, parsing: TypedSchema<string>) =>
  schemaOf({
    /** The text that the matcher looks for. */
    matcherCriteria: matching,
    /** The separator at which `SPLIT` splits. */
    parserCriteria: parsing,
    /** The position of the id among the values of the certificate, from 0. */
    index: orElse(ruled(integer(), signFault), 0),
  });

/** How the external id of an identity is read from a certificate of a CA. */
export type ExternalIdClaim = Method & ValueOfSchema<ReturnType<typeof criteriaOf>>;

type Location = Method['location'];
type Matcher = Method['matcher'];

const ON_TEXT: readonly Matcher[] = ['ALL', 'PREFIX', 'SUFFIX'];

const MATCHERS_OF: Readonly<Record<Location, readonly Matcher[]>> = {
  COMMON_NAME: ON_TEXT,
  SAN_EMAIL: ON_TEXT,
  SAN_URI: ['ALL', 'SCHEME'],
};

const FIELD = 'externalIdClaim';

const readObject = readerOf(anyObject());
const readMethod = readerOf(METHOD);

/** `ALL` needs no text to look for. */
const readersForAll = {
  NONE: readerOf(criteriaOf(OPTIONAL_TEXT, OPTIONAL_TEXT)),
  SPLIT: readerOf(criteriaOf(OPTIONAL_TEXT, NEEDED_TEXT)),
};

const readersForMatch = {
  NONE: readerOf(criteriaOf(NEEDED_TEXT, OPTIONAL_TEXT)),
  SPLIT: readerOf(criteriaOf(NEEDED_TEXT, NEEDED_TEXT)),
};

/** Each part of a certificate has matchers of its own. */
function refuseUnusable({ location, matcher }: Method): void {
  const usable = MATCHERS_OF[location];
  if (usable.includes(matcher)) return;
  const reason = `must be one of ${usable.join(', ')} for ${location}`;
  throw invalidField(`${FIELD}.matcher`, reason, matcher);
}

function readClaim(claim: unknown): ExternalIdClaim {
  const method = readMethod(claim, FIELD);
  refuseUnusable(method);
  const readers = method.matcher === 'ALL' ? readersForAll : readersForMatch;
  return { ...method, ...readers[method.parser](claim, FIELD) };
}

/** The claim of a whole body (create, replace): null or absent is none; 400 when it is unsound. */
export const checkExternalIdClaim = (claim: unknown): ExternalIdClaim | null =>
  isSent(claim) ? readClaim(claim) : null;

/**
 * The claim after a partial change; null clears it. Members that are null or absent stay as they are;
 * without any other member the claim stays as it is. The result has to be sound as a whole, else 400.
 */
export function mergeExternalIdClaim(
  current: ExternalIdClaim | null,
  patch: unknown,
): ExternalIdClaim | null {
  if (patch === undefined) return current;
  if (patch === null) return null;
  const isEmpty = !Object.values(readObject(patch, FIELD)).some(isSent);
  return isEmpty ? current : readClaim(overlaid(current, patch));
}
