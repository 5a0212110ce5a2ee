import {
  atMostCharacters,
  atMostEntries,
  boolean,
  filledText,
  listOf,
  orElse,
  ruled,
  schemaOf,
  type ValueOfSchema,
} from '../../../base/typed-schema.js';

/* Rules by which claims of a token give rights in the management of the network. */

const MAX_RULES = 20;
const MAX_VALUES = 100;
const MAX_PERMISSIONS = 200;
const MAX_CHARACTERS = 1_000;

const RULE = schemaOf({
  claim: atMostCharacters(MAX_CHARACTERS, filledText()),
  values: atMostEntries(MAX_VALUES, listOf(atMostCharacters(MAX_CHARACTERS, filledText()))),
  isAdmin: orElse(boolean(), false),
  permissions: orElse(atMostEntries(MAX_PERMISSIONS, listOf(filledText())), []),
});

/** A rule: a token whose claim has one of the values gives the rights. */
export type AdminClaim = ValueOfSchema<typeof RULE>;

function ruleFault({ values, isAdmin, permissions }: AdminClaim): string | undefined {
  if (values.length === 0) return 'must have values';
  const givesNothing = !isAdmin && permissions.length === 0;
  return givesNothing ? 'must give isAdmin or permissions' : undefined;
}

/** The rules of a signer, as administrators write them. */
export const adminClaims = () =>
  orElse(atMostEntries(MAX_RULES, listOf(ruled(RULE, ruleFault))), []);
