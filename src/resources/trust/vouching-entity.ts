import { attribute, bool, int, objects, text, textSet } from '../../kernel/declare/attribute.js';
import { NamedEntity } from '../entity.js';
import { ClaimCondition } from './claim-condition.js';
import { MANAGEMENT_TRUST } from './management-trust.js';
import { NEW_IDENTITIES_ARE_PENDING } from './new-identities.js';

// Clients of the published interface write entities back without these members, and must not drop them.
const RULE = { keptByReplace: true } as const;

/** A signer or an authority, with its rules on the claims for which it vouches. */
export abstract class VouchingEntity extends NamedEntity {
  @attribute(objects(() => ClaimCondition), {
    description: 'Conditions on claims: a login that does not meet all of them is refused.',
    default: [],
    ...RULE,
  })
  conditions!: ClaimCondition[];

  @attribute(textSet(), {
    description:
      'Claims whose texts become role attributes of the identity at each login, with `roleAttributePrefix` before them: JSON pointers whose leading slash may be left out.',
    default: [],
    ...RULE,
  })
  roleAttributeClaims!: string[];

  @attribute(text({ min: 2, max: 33 }), {
    description:
      'The beginning of these role attributes, such as `idp:`; it ends with a colon. Nobody else writes role attributes of identities that begin so.',
    nullable: true,
    ...RULE,
  })
  roleAttributePrefix!: string | null;

  @attribute(int(), {
    description:
      'Minutes that these role attributes last after a login, and up to a tenth more; default: a week.',
    default: 10_080,
    column: { default: 10_080 },
    ...RULE,
  })
  roleAttributeMinutes!: number;

  @attribute(bool(), {
    description:
      'Whether the first login by a claim that names no identity creates one, with the claim as its external id, `enrollAuthPolicyId` and `enrollNameClaimsSelector`. A signer needs `useExternalId` for it.',
    default: false,
    ...RULE,
    graphFilter: true,
  })
  createsIdentities!: boolean;

  @attribute(bool(), NEW_IDENTITIES_ARE_PENDING)
  newIdentitiesArePending!: boolean;

  @attribute(int(), {
    description: 'The largest number of identities that exist by its first logins.',
    default: 1_000,
    column: { default: 1_000 },
    ...RULE,
  })
  maxCreatedIdentities!: number;

  @attribute(bool(), MANAGEMENT_TRUST)
  trustedForManagement!: boolean;
}
