import type { RequestContext } from '../../kernel/request/context.js';
import { originOf, patchIn } from '../../kernel/write/write.js';
import {
  certificateAuthorities,
  type LoginAuthority,
} from '../../data/rows/certificate-authority/index.js';
import { INTERNAL } from '../../data/rows/api-session/index.js';
import { loginCertificates, type LoginCertificate } from '../../data/rows/authenticator/index.js';
import { claimedIdentities } from '../../data/rows/identity/index.js';
import type { KeyMaterial } from '../pki/index.js';
import {
  verifyClientChain,
  type ThirdPartyAuthority,
  type RefusedClient,
  type VerifiedClient,
} from './certificate/index.js';
import type { LoginRefusal } from '../../data/rows/login/index.js';
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
  const { proof, authorities } = await verifiedClient(ctx, own);
  const row = await identityOf(ctx, proof, authorities);
  if (!row) throw new RefusedLogin('UNKNOWN_CERTIFICATE');
  const refusal = refusalOf(row, proof);
  const { identityId, authenticatorId, authPolicyId } = row;
  if (refusal !== undefined) {
    throw new RefusedLogin(refusal, { identityId, authenticatorId, authPolicyId });
  }
  if (row.lastAuthResolvedToRoot === !proof.resolvedToRoot) {
    await recordChain(ctx, authenticatorId, proof.resolvedToRoot);
  }
  return {
    identityId,
    authenticatorId,
    authPolicy: { id: authPolicyId, secondary: row.secondary },
    isCertExtendable: row.isIssuedByNetwork,
    improperClientCertChain: proof.improperClientCertChain,
    certificateFingerprint: proof.fingerprint,
    ...(proof.authority.kind === 'thirdParty' ? { caId: proof.authority.id } : {}),
  };
}

interface TrustedClient {
  readonly proof: VerifiedClient;
  /** Those of others, if they were asked. */
  readonly authorities: readonly LoginAuthority[];
}

/** Verifies the chain of the connection. The authorities of others are read if this network has not certified it. */
async function verifiedClient(
  ctx: RequestContext,
  own: Pick<KeyMaterial, 'authorities' | 'endedSigners'>,
): Promise<TrustedClient> {
  const presented = ctx.credentials.clientChain();
  if (presented.length === 0) throw new RefusedLogin('NO_CERTIFICATE');
  const chain = { presented, own, now: ctx.now() };
  const ofNetwork = verifyClientChain({ ...chain, thirdParty: [] });
  if (ofNetwork.verified) return { proof: ofNetwork, authorities: [] };
  const authorities = await certificateAuthorities.ofLogins(ctx.store);
  const proof = verifyClientChain({ ...chain, thirdParty: authorities.map(thirdPartyOf) });
  if (proof.verified) return { proof, authorities };
  throw new RefusedLogin(UNVERIFIED[proof.reason]);
}

const BY_EXTERNAL_ID = { useExternalId: true };

/** The identity of a certificate; one with an external id has no authenticator. */
type CertifiedIdentity = Omit<LoginCertificate, 'lastAuthResolvedToRoot'> &
  Partial<Pick<LoginCertificate, 'lastAuthResolvedToRoot'>>;

/** Finds the identity by the external id of a third-party authority, else by the leaf. */
async function identityOf(
  ctx: RequestContext,
  { authority, fingerprint }: VerifiedClient,
  authorities: readonly LoginAuthority[],
): Promise<CertifiedIdentity | undefined> {
  const ofLeaf = () => loginCertificates.find(ctx.store, fingerprint, ctx.now());
  if (authority.kind === 'own' || authority.externalId === undefined) return ofLeaf();
  const named = await claimedIdentities.find(
    ctx.store,
    BY_EXTERNAL_ID,
    authority.externalId,
    ctx.now(),
  );
  const row = authorities.find(({ id }) => id === authority.id);
  // Each new X509-SVID has another fingerprint: its name alone counts.
  if (!named) return row?.bundleEndpoint ? undefined : ofLeaf();
  if (!vouchesFor({ trustedForManagement: row?.trustedForManagement === true }, named)) {
    return undefined;
  }
  return { ...named, identityId: named.id, authenticatorId: INTERNAL, isIssuedByNetwork: false };
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
  { isDisabled, primary }: CertifiedIdentity,
  { isCurrent, authority }: VerifiedClient,
): LoginRefusal | undefined {
  if (isDisabled) return 'IDENTITY_DISABLED';
  if (!primary.cert.allowed) return 'CERTIFICATE_NOT_ALLOWED';
  // The short life of an X509-SVID takes the place of its revocation.
  const isSvid = authority.kind === 'thirdParty' && authority.isSvid === true;
  return isCurrent || (primary.cert.allowExpiredCerts && !isSvid)
    ? undefined
    : 'CERTIFICATE_NOT_CURRENT';
}

const UNVERIFIED: Readonly<Record<RefusedClient['reason'], LoginRefusal>> = {
  'no certificate': 'NO_CERTIFICATE',
  'unreadable certificate': 'UNREADABLE_CERTIFICATE',
  'untrusted certificate': 'UNTRUSTED_CERTIFICATE',
};

const thirdPartyOf = ({
  bundleEndpoint,
  bundleRoots,
  ...authority
}: LoginAuthority): ThirdPartyAuthority => ({
  ...authority,
  ...(bundleEndpoint ? { certPem: bundleRoots ?? '' } : {}),
  trustDomain: bundleEndpoint?.trustDomain ?? null,
});
