import { byteSorted } from '../../base/byte-order.js';
import { isStorableText } from '../../base/storable.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { ClaimIssuer } from './claim-issuer.js';
import { claimTexts } from './rules/index.js';

/** The role attributes that the claims of a login give its identity. */
export interface ClaimedAttributes {
  /** The source of their role assignments. */
  readonly source: string;
  /** Names the login in the change log. */
  readonly loginTitle: string;
  readonly roleAttributes: readonly string[];
  /** How long they last after a login. */
  readonly minutes: number;
}

/** Gives an identity the role attributes of its claims, and takes away those of earlier ones. */
export type RenewClaimedAttributes = (
  ctx: RequestContext,
  identityId: string,
  claimed: ClaimedAttributes,
) => Promise<void>;

/** People are in hundreds of groups at most; further ones are left out, in the order of their names. */
const MAX_ATTRIBUTES = 500;
const MAX_CHARACTERS = 255;

/** Undefined for a signer or an authority whose claims give no role attributes. */
export function claimedAttributes(
  { rules, source, loginTitle }: ClaimIssuer,
  claims: unknown,
): ClaimedAttributes | undefined {
  const { roleAttributeClaims, roleAttributePrefix: prefix, roleAttributeMinutes } = rules;
  if (prefix === null) return undefined;
  const texts = roleAttributeClaims.flatMap((claim) => claimTexts(claims, claim)).filter(isUsable);
  return {
    ...{ source, loginTitle },
    roleAttributes: byteSorted(new Set(texts.map((text) => prefix + text))).slice(
      0,
      MAX_ATTRIBUTES,
    ),
    minutes: roleAttributeMinutes,
  };
}

const isUsable = (text: string): boolean =>
  text !== '' && text.length <= MAX_CHARACTERS && isStorableText(text);
