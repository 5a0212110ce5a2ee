import type { RequestContext } from '../../kernel/request/context.js';
import { originOf, patchIn } from '../../kernel/write/write.js';
import {
  certificateAuthorities,
  type LoginAuthority,
} from '../../data/rows/certificate-authority/index.js';
import { INTERNAL } from '../../data/rows/api-session/index.js';
import { loginCertificates, type LoginCertificate } from '../../data/rows/authenticator/index.js';
import { claimedIdentities, type ClaimedIdentity } from '../../data/rows/identity/index.js';
import type { KeyMaterial } from '../pki/index.js';
import {
  verifyClientChain,
  type ThirdPartyAuthority,
  type RefusedClient,
  type VerifiedClient,
} from './certificate/index.js';
import { claimedAttributes } from './claimed-attributes.js';
import { createAtFirstLogin } from './first-login.js';
import type { LoginRefusal } from '../../data/rows/login/index.js';
import type { ProvedIdentity } from './password-login.js';
import { RefusedLogin } from './refused-login.js';
import { vouchesFor } from './signers.js';
import { judgeSvid, svidLoginOf, type SvidLogin } from './svid-login.js';

/** The identity that a certificate login proves, with facts for the session. */
export interface ProvedByCertificate extends ProvedIdentity {
  readonly isCertExtendable: boolean;
  readonly improperClientCertChain: boolean;
  readonly certificateFingerprint: string;
  /** Id of the third-party authority of the certificate. */
  readonly caId?: string;
}

/** A client certificate that passes, with the identity that it names. */
export interface JudgedCertificate {
  readonly proof: VerifiedClient;
  /** Undefined: the login creates it. */
  readonly identity: CertifiedIdentity | undefined;
  /** The claims of an X509-SVID. */
  readonly svid?: SvidLogin;
}

/**
 * The identity that the client certificate of the connection proves. A first login may create it.
 * @throws ApiError INVALID_AUTH, the same for every fault
 */
export async function loginByCertificate(
  ctx: RequestContext,
  own: OwnAuthorities,
): Promise<ProvedByCertificate> {
  const judged = await judgeClient(ctx, await verifiedClient(ctx, own));
  const { proof, svid } = judged;
  const row = judged.identity ?? (svid && certified(await createAtFirstLogin(ctx, svid)));
  if (!row) throw new RefusedLogin('UNKNOWN_CERTIFICATE');
  const { identityId, authenticatorId, authPolicyId } = row;
  if (row.lastAuthResolvedToRoot === !proof.resolvedToRoot) {
    await recordChain(ctx, authenticatorId, proof.resolvedToRoot);
  }
  const claimed = svid && claimedAttributes(svid.issuer, svid.claims);
  return {
    identityId,
    authenticatorId,
    authPolicy: { id: authPolicyId, secondary: row.secondary },
    isCertExtendable: row.isIssuedByNetwork,
    improperClientCertChain: proof.improperClientCertChain,
    certificateFingerprint: proof.fingerprint,
    ...(proof.authority.kind === 'thirdParty' ? { caId: proof.authority.id } : {}),
    ...(claimed ? { claimed } : {}),
  };
}

/** Judges a verified client certificate as a login does; nothing is written. @throws as a login */
export async function judgeClient(
  ctx: RequestContext,
  { proof, authorities }: TrustedClient,
): Promise<JudgedCertificate> {
  const svid = svidLoginOf(proof, authorities);
  if (svid) {
    const identity = await judgeSvid(ctx, svid);
    return { proof, svid, identity: identity && certified(identity) };
  }
  const row = await identityOf(ctx, proof, authorities);
  if (!row) throw new RefusedLogin('UNKNOWN_CERTIFICATE');
  const refusal = refusalOf(row, proof);
  if (refusal === undefined) return { proof, identity: row };
  const { identityId, authenticatorId, authPolicyId } = row;
  throw new RefusedLogin(refusal, { identityId, authenticatorId, authPolicyId });
}

type OwnAuthorities = Pick<KeyMaterial, 'authorities' | 'endedSigners'>;

export interface TrustedClient {
  readonly proof: VerifiedClient;
  /** Those of others, if they were asked. */
  readonly authorities: readonly LoginAuthority[];
}

/** Verifies the chain of the connection. The authorities of others are read if this network has not certified it. */
export async function verifiedClient(
  ctx: RequestContext,
  own: OwnAuthorities,
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
  if (!named) return ofLeaf();
  if (!vouchesFor({ trustedForManagement: row?.trustedForManagement === true }, named)) {
    return undefined;
  }
  return certified(named);
}

const certified = (identity: ClaimedIdentity): CertifiedIdentity => ({
  ...identity,
  identityId: identity.id,
  authenticatorId: INTERNAL,
  isIssuedByNetwork: false,
});

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
  { isCurrent }: VerifiedClient,
): LoginRefusal | undefined {
  if (isDisabled) return 'IDENTITY_DISABLED';
  if (!primary.cert.allowed) return 'CERTIFICATE_NOT_ALLOWED';
  return isCurrent || primary.cert.allowExpiredCerts ? undefined : 'CERTIFICATE_NOT_CURRENT';
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
