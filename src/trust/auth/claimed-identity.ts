import { isStorableText } from '../../base/storable.js';
import { authPolicies } from '../../data/rows/auth-policy/index.js';
import type { ClaimRules } from '../../data/rows/external-jwt-signer/index.js';
import {
  claimedIdentities,
  identities,
  type ClaimedIdentity,
} from '../../data/rows/identity/index.js';
import type { LoginRefusal } from '../../data/rows/login/index.js';
import type { Rows } from '../../kernel/request/store-port.js';
import type { ClaimIssuer } from './claim-issuer.js';
import { vouchesFor } from './signers.js';

/** A claim that names the identity, with its issuer, who has proved it. */
export interface IssuedClaim {
  readonly issuer: ClaimIssuer;
  readonly claim: string;
}

const MAX_CLAIM_CHARACTERS = 255;

/** The auth policy of the identities that a signer or an authority creates. */
export const authPolicyOfCreated = ({ enrollAuthPolicyId }: ClaimRules): string =>
  enrollAuthPolicyId ?? 'default';

/**
 * Finds the identity that a claim names; undefined: there is none, and the first login may create it.
 * @throws RefusedLogin for an identity that may not log in by the issuer, and for a claim that names none
 */
export async function claimedIdentity(
  rows: Rows,
  issued: IssuedClaim,
  now: Date,
): Promise<ClaimedIdentity | undefined> {
  const { issuer, claim } = issued;
  const find = () => claimedIdentities.find(rows, issuer, claim, now);
  let identity = await find();
  if (!identity) {
    await refuseUnclaimed(rows, issued);
    if (await hasPlace(rows, issuer)) return undefined;
    // Another login may have just created it, at the last place.
    identity = await find();
    if (!identity) throw issuer.refused('TOO_MANY_IDENTITIES');
  }
  const refusal = refusalOf(identity, issuer);
  if (refusal === undefined) return identity;
  const { id: identityId, authPolicyId } = identity;
  throw issuer.refused(refusal, { identityId, authPolicyId });
}

/** Why an identity may not log in by an issuer; undefined if it may. */
function refusalOf(row: ClaimedIdentity, issuer: ClaimIssuer): LoginRefusal | undefined {
  if (row.isDisabled) return 'IDENTITY_DISABLED';
  const refusal = issuer.refusalOf(row);
  if (refusal !== undefined) return refusal;
  return vouchesFor(issuer.rules, row) ? undefined : 'UNTRUSTED_SIGNER';
}

/** Refuses a claim that no identity has, unless the first login may create one if there is a place. */
async function refuseUnclaimed(rows: Rows, { issuer, claim }: IssuedClaim): Promise<void> {
  // An identity that nearly has it would get a double, and its owner would not notice the mistake.
  const [identityId, ...others] = await claimedIdentities.findInOtherCase(rows, issuer, claim);
  if (identityId !== undefined) {
    throw issuer.refused('CLAIM_IN_OTHER_CASE', others.length === 0 ? { identityId } : {});
  }
  const { rules } = issuer;
  if (!rules.createsIdentities || !isUsableAsExternalId(claim)) {
    throw issuer.refused(issuer.unknownClaim);
  }
  const authPolicyId = authPolicyOfCreated(rules);
  const policy = await authPolicies.primaryOf(rows, authPolicyId);
  const refusal = policy ? issuer.refusalOf({ ...policy, creatorId: null }) : 'SIGNER_NOT_ALLOWED';
  if (refusal !== undefined) throw issuer.refused(refusal, { authPolicyId });
}

const hasPlace = async (rows: Rows, { creator, rules }: ClaimIssuer): Promise<boolean> =>
  (await identities.countCreatedBy(rows, creator)) < rules.maxCreatedIdentities;

const isUsableAsExternalId = (claim: string): boolean =>
  claim.trim() !== '' && claim.length <= MAX_CLAIM_CHARACTERS && isStorableText(claim);
