import { byteSorted } from '../../base/byte-order.js';
import { isStorableText } from '../../base/storable.js';
import type { KnownSigner } from '../../data/rows/external-jwt-signer/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { claimTexts } from './rules/index.js';

/** The role attributes that a JWT of a signer gives its identity. */
export interface ClaimedAttributes {
  readonly signerId: string;
  readonly roleAttributes: readonly string[];
  /** How long they last after a login. */
  readonly minutes: number;
}

/** Gives an identity the role attributes of its JWT, and takes away those of earlier ones. */
export type RenewClaimedAttributes = (
  ctx: RequestContext,
  identityId: string,
  claimed: ClaimedAttributes,
) => Promise<void>;

/** People are in hundreds of groups at most; further ones are left out, in the order of their names. */
const MAX_ATTRIBUTES = 500;
const MAX_CHARACTERS = 255;

/** Undefined for a signer whose JWTs give no role attributes. */
export function claimedAttributes(
  { id, roleAttributeClaims, roleAttributePrefix: prefix, roleAttributeMinutes }: KnownSigner,
  claims: unknown,
): ClaimedAttributes | undefined {
  if (prefix === null) return undefined;
  const texts = roleAttributeClaims.flatMap((claim) => claimTexts(claims, claim)).filter(isUsable);
  return {
    signerId: id,
    roleAttributes: byteSorted(new Set(texts.map((text) => prefix + text))).slice(
      0,
      MAX_ATTRIBUTES,
    ),
    minutes: roleAttributeMinutes,
  };
}

const isUsable = (text: string): boolean =>
  text !== '' && text.length <= MAX_CHARACTERS && isStorableText(text);
