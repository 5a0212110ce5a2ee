import { invalidField } from '../../../base/errors.js';
import {
  atMostCharacters,
  atMostEntries,
  boolean,
  filledText,
  integer,
  listOf,
  orElse,
  orNull,
  ruled,
  schemaOf,
  type ValueOfSchema,
} from '../../../base/typed-schema.js';
import { claimConditions } from './claim-conditions.js';
import { settingsReader } from './settings-reader.js';
import { pathTemplateFault } from './svid-claims.js';

/* The rules on claims, which signers and authorities of trust domains have alike. */

/** Null and blank text are the same: nothing is set. */
export const clearable = (rule: (text: string) => string | undefined = () => undefined) =>
  orNull(ruled(filledText(), rule), 'any');

export const between =
  (least: number, most: number) =>
  (value: number): string | undefined =>
    value >= least && value <= most
      ? undefined
      : `must be between ${String(least)} and ${String(most)}`;

const WEEK_MINUTES = 10_080;
const MAX_MINUTES = 525_600;

const MAX_IDENTITIES = 1_000_000;

/** Members of the settings of signers and of authorities. */
export const CLAIM_RULES = {
  conditions: claimConditions(),
  roleAttributeClaims: orElse(atMostEntries(20, listOf(filledText())), []),
  roleAttributePrefix: clearable(),
  roleAttributeMinutes: orElse(ruled(integer(), between(1, MAX_MINUTES)), WEEK_MINUTES),
  createsIdentities: orElse(boolean(), false),
  maxCreatedIdentities: orElse(ruled(integer(), between(1, MAX_IDENTITIES)), 1_000),
  enrollAuthPolicyId: clearable(),
  enrollNameClaimsSelector: clearable(),
} as const;

/** @throws ApiError COULD_NOT_VALIDATE */
export function checkRoleAttributes({
  roleAttributeClaims,
  roleAttributePrefix,
}: Pick<AuthorityRules, 'roleAttributeClaims' | 'roleAttributePrefix'>): void {
  if (roleAttributeClaims.length > 0 && roleAttributePrefix === null) {
    throw invalidField('roleAttributePrefix', 'is required with roleAttributeClaims', null);
  }
}

const MAX_TEMPLATE_CHARACTERS = 2_048;

const AUTHORITY = schemaOf({
  ...CLAIM_RULES,
  svidPathTemplate: orNull(
    ruled(atMostCharacters(MAX_TEMPLATE_CHARACTERS, filledText()), pathTemplateFault),
    'any',
  ),
});

/** The rules of an authority on the claims of its X509-SVIDs. */
export type AuthorityRules = ValueOfSchema<typeof AUTHORITY>;

const readRules = settingsReader(AUTHORITY);

/**
 * Checks the rules of an authority on claims and gives them with defaults; with `current`, absent ones stay.
 * @throws ApiError COULD_NOT_VALIDATE
 */
export function checkAuthorityRules(body: unknown, current?: object): AuthorityRules {
  const rules = readRules(body, current && { ...current });
  checkRoleAttributes(rules);
  return rules;
}
