import type { RequestContext } from '../kernel/request/context.js';
import { originOf, patchIn } from '../kernel/write/write.js';
import {
  certificateAuthorities,
  type LoginAuthority,
} from '../data/certificate-authority/index.js';
import type { KeyMaterial } from '../pki/index.js';
import {
  verifyClientChain,
  type ThirdPartyAuthority,
  type RefusedClient,
  type VerifiedClient,
} from './certificate/index.js';
import {
  findIdentityByExternalId,
  findIdentityByFingerprint,
  type CertifiedIdentityRow,
} from './identity-table.js';
import type { LoginRefusal } from '../data/login/index.js';
import type { ProvedIdentity } from './password-login.js';
import { RefusedLogin } from './refused-login.js';
import { vouchesFor } from './signers.js';

/** The identity that a certificate login proves, with facts for the session. */
export interface ProvedByCertificate extends ProvedIdentity {
  readonly isCertExtendable: boolean;
  readonly improperClientCertChain: boolean;
  readonly certificateFingerprint: string;
  /** Id of the third-party authority of the certificate. */
  readonly caId?: string;
}

/**
 * The identity that the client certificate of the connection proves.
 * @throws ApiError INVALID_AUTH, the same for every fault
 */
export async function loginByCertificate(
  ctx: RequestContext,
  own: Pick<KeyMaterial, 'authorities' | 'endedSigners'>,
): Promise<ProvedByCertificate> {
  const presented = ctx.credentials.clientChain();
  if (presented.length === 0) throw new RefusedLogin('NO_CERTIFICATE');
  const authorities = await certificateAuthorities.enabledForLogin(ctx.store);
  const proof = verifyClientChain({
    presented,
    own,
    thirdParty: authorities.map(thirdPartyOf),
    now: ctx.now(),
  });
  if (!proof.verified) throw new RefusedLogin(UNVERIFIED[proof.reason]);
  const row = await identityOf(ctx, proof, authorities);
  if (!row) throw new RefusedLogin('UNKNOWN_CERTIFICATE');
  const refusal = refusalOf(row, proof);
  const { identity_id: identityId, authenticator_id: authenticatorId } = row;
  const authPolicyId = row.auth_policy_id;
  if (refusal !== undefined) {
    throw new RefusedLogin(refusal, { identityId, authenticatorId, authPolicyId });
  }
  if (row.resolved_to_root === !proof.resolvedToRoot) {
    await recordChain(ctx, row.authenticator_id, proof.resolvedToRoot);
  }
  return {
    identityId,
    authenticatorId,
    authPolicy: { id: authPolicyId, secondary: row.secondary },
    isCertExtendable: row.is_issued_by_network,
    improperClientCertChain: proof.improperClientCertChain,
    certificateFingerprint: proof.fingerprint,
    ...(proof.authority.kind === 'thirdParty' ? { caId: proof.authority.id } : {}),
  };
}

/** Finds the identity by the external id of a third-party authority, else by the leaf. */
async function identityOf(
  ctx: RequestContext,
  { authority, fingerprint }: VerifiedClient,
  authorities: readonly LoginAuthority[],
): Promise<CertifiedIdentityRow | undefined> {
  const ofLeaf = () => findIdentityByFingerprint(ctx.store, fingerprint, ctx.now());
  if (authority.kind === 'own' || authority.externalId === undefined) return ofLeaf();
  const named = await findIdentityByExternalId(ctx.store, authority.externalId, ctx.now());
  if (!named) return ofLeaf();
  const trustedForManagement = authorities.some(
    (row) => row.id === authority.id && row.trustedForManagement,
  );
  return vouchesFor({ trustedForManagement }, named) ? named : undefined;
}

/**
 * Records whether the client sent its chain, for administrators. A deleted authenticator is
 * skipped.
 */
async function recordChain(
  ctx: RequestContext,
  id: string,
  lastAuthResolvedToRoot: boolean,
): Promise<void> {
  const authenticators = ctx.catalog.resources.Authenticator;
  await ctx.store.write(originOf(ctx), async (tx) => {
    const [current] = await tx.lock(authenticators, [id]);
    if (current) await patchIn(tx, authenticators, current, { lastAuthResolvedToRoot });
  });
}

/** Why an identity may not log in with its certificate; undefined if it may. */
function refusalOf(
  { disabled, primary }: CertifiedIdentityRow,
  { isCurrent }: VerifiedClient,
): LoginRefusal | undefined {
  if (disabled) return 'IDENTITY_DISABLED';
  if (!primary.cert.allowed) return 'CERTIFICATE_NOT_ALLOWED';
  return isCurrent || primary.cert.allowExpiredCerts ? undefined : 'CERTIFICATE_NOT_CURRENT';
}

const UNVERIFIED: Readonly<Record<RefusedClient['reason'], LoginRefusal>> = {
  'no certificate': 'NO_CERTIFICATE',
  'unreadable certificate': 'UNREADABLE_CERTIFICATE',
  'untrusted certificate': 'UNTRUSTED_CERTIFICATE',
};

const thirdPartyOf = ({ id, certPem, externalIdClaim }: LoginAuthority): ThirdPartyAuthority => ({
  ...{ id, certPem, externalIdClaim },
  isVerified: true,
  isAuthEnabled: true,
});
