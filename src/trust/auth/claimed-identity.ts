import { isStorableText } from '../../base/storable.js';
import { authPolicies } from '../../data/rows/auth-policy/index.js';
import type { KnownSigner } from '../../data/rows/external-jwt-signer/index.js';
import {
  claimedIdentities,
  identities,
  type ClaimedIdentity,
} from '../../data/rows/identity/index.js';
import type { LoginRefusal } from '../../data/rows/login/index.js';
import type { Rows } from '../../kernel/request/store-port.js';
import { refusedClaim } from './refused-jwt.js';
import { allowsSigner } from './rules/index.js';
import { vouchesFor } from './signers.js';

/** The signer of a valid token, and its claim that names the identity. */
export interface SignedClaim {
  readonly signer: KnownSigner;
  readonly claim: string;
}

const MAX_CLAIM_CHARACTERS = 255;

/** The auth policy of the identities that a signer creates. */
export const authPolicyOfCreated = ({ enrollAuthPolicyId }: KnownSigner): string =>
  enrollAuthPolicyId ?? 'default';

/**
 * Finds the identity that a claim names; undefined: there is none, and the first login may create it.
 * @throws RefusedLogin for an identity that may not log in by the signer, and for a claim that names none
 */
export async function claimedIdentity(
  rows: Rows,
  { signer, claim }: SignedClaim,
  now: Date,
): Promise<ClaimedIdentity | undefined> {
  const identity = await claimedIdentities.find(rows, signer, claim, now);
  if (!identity) {
    await refuseUnclaimed(rows, { signer, claim });
    return undefined;
  }
  const refusal = refusalOf(identity, signer);
  if (refusal === undefined) return identity;
  const { id: identityId, authPolicyId } = identity;
  throw refusedClaim(signer, refusal, { identityId, authPolicyId });
}

/** Why an identity may not log in by a signer; undefined if it may. */
function refusalOf(row: ClaimedIdentity, signer: KnownSigner): LoginRefusal | undefined {
  if (row.isDisabled) return 'IDENTITY_DISABLED';
  if (!allowsSigner(row.primary.extJwt, signer.id) || isOfAnother(row, signer)) {
    return 'SIGNER_NOT_ALLOWED';
  }
  return vouchesFor(signer, row) ? undefined : 'UNTRUSTED_SIGNER';
}

/**
 * Two issuers may use the same text for two persons. So another signer confirms a created identity only if the auth
 * policy names it; one that names none means all signers for other identities.
 */
const isOfAnother = (
  { createdBySignerId, primary }: ClaimedIdentity,
  { id }: KnownSigner,
): boolean =>
  createdBySignerId !== null &&
  createdBySignerId !== id &&
  !primary.extJwt.allowedSigners.includes(id);

/** Refuses a claim that no identity has, unless the first login may create one. */
async function refuseUnclaimed(rows: Rows, { signer, claim }: SignedClaim): Promise<void> {
  // An identity that nearly has it would get a double, and its owner would not notice the mistake.
  const [identityId, ...others] = await claimedIdentities.findInOtherCase(rows, signer, claim);
  if (identityId !== undefined) {
    const onlyIdentity = others.length === 0 ? { identityId } : {};
    throw refusedClaim(signer, 'CLAIM_IN_OTHER_CASE', onlyIdentity);
  }
  if (!signer.createsIdentities || !isUsableAsExternalId(claim)) {
    throw refusedClaim(signer, 'UNKNOWN_CLAIM');
  }
  const authPolicyId = authPolicyOfCreated(signer);
  const policy = await authPolicies.primaryOf(rows, authPolicyId);
  if (!policy || !allowsSigner(policy.primary.extJwt, signer.id)) {
    throw refusedClaim(signer, 'SIGNER_NOT_ALLOWED', { authPolicyId });
  }
  if ((await identities.countCreatedBy(rows, signer.id)) >= signer.maxCreatedIdentities) {
    throw refusedClaim(signer, 'TOO_MANY_IDENTITIES');
  }
}

const isUsableAsExternalId = (claim: string): boolean =>
  claim.trim() !== '' && claim.length <= MAX_CLAIM_CHARACTERS && isStorableText(claim);
