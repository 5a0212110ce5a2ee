import type { RequestContext } from '../kernel/request/context.js';
import { failure } from '../base/errors.js';
import { originOf, patchIn } from '../kernel/write/write.js';
import type { KeyMaterial } from '../pki/index.js';
import {
  verifyClientChain,
  type ThirdPartyAuthority,
  type VerifiedClient,
} from './certificate/index.js';
import { loginAuthorities, type LoginAuthorityRow } from './certificate-authority-table.js';
import {
  findIdentityByExternalId,
  findIdentityByFingerprint,
  type CertifiedIdentityRow,
} from './identity-table.js';
import type { ProvedIdentity } from './password-login.js';
import type { AuthPolicySettings } from './rules/index.js';
import { vouchesFor } from './signers.js';

/** The identity that a certificate login proves, with facts for the session. */
export interface ProvedByCertificate extends ProvedIdentity {
  readonly isCertExtendable: boolean;
  readonly improperClientCertChain: boolean;
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
  if (presented.length === 0) throw failure('INVALID_AUTH');
  const authorities = await loginAuthorities(ctx.store);
  const proof = verifyClientChain({
    presented,
    own,
    thirdParty: authorities.map(thirdPartyOf),
    now: ctx.now(),
  });
  if (!proof.verified) throw failure('INVALID_AUTH');
  const row = await identityOf(ctx, proof, authorities);
  if (!row || row.disabled || !allows(row.primary, proof)) throw failure('INVALID_AUTH');
  if (row.resolved_to_root === !proof.resolvedToRoot) {
    await recordChain(ctx, row.authenticator_id, proof.resolvedToRoot);
  }
  return {
    identityId: row.identity_id,
    authenticatorId: row.authenticator_id,
    secondary: row.secondary,
    isCertExtendable: row.is_issued_by_network,
    improperClientCertChain: proof.improperClientCertChain,
    ...(proof.authority.kind === 'thirdParty' ? { caId: proof.authority.id } : {}),
  };
}

/** Finds the identity by the external id of a third-party authority, else by the leaf. */
async function identityOf(
  ctx: RequestContext,
  { authority, fingerprint }: VerifiedClient,
  authorities: readonly LoginAuthorityRow[],
): Promise<CertifiedIdentityRow | undefined> {
  const ofLeaf = () => findIdentityByFingerprint(ctx.store, fingerprint, ctx.now());
  if (authority.kind === 'own' || authority.externalId === undefined) return ofLeaf();
  const named = await findIdentityByExternalId(ctx.store, authority.externalId, ctx.now());
  if (!named) return ofLeaf();
  const trustedForManagement = authorities.some(
    ({ id, trusted_for_management: isTrusted }) => id === authority.id && isTrusted,
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
    await tx.lock(authenticators, [id]);
    const [current] = await tx.find(authenticators, { id });
    if (current) await patchIn(tx, authenticators, current, { lastAuthResolvedToRoot });
  });
}

const allows = (
  { cert: { allowed, allowExpiredCerts } }: AuthPolicySettings['primary'],
  { isCurrent }: VerifiedClient,
): boolean => allowed && (isCurrent || allowExpiredCerts);

const thirdPartyOf = (row: LoginAuthorityRow): ThirdPartyAuthority => ({
  id: row.id,
  certPem: row.cert_pem,
  isVerified: true,
  isAuthEnabled: true,
  externalIdClaim: row.external_id_claim,
});
