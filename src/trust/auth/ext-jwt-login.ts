import type { RequestContext } from '../../kernel/request/context.js';
import { signerAsIssuer, type ClaimIssuer } from './claim-issuer.js';
import { claimedAttributes } from './claimed-attributes.js';
import { claimedIdentity } from './claimed-identity.js';
import { createAtFirstLogin } from './first-login.js';
import { grantedRights } from './granted-rights.js';
import type { JwksKeys } from './ext-jwt/index.js';
import {
  verifyExternalJwt,
  type ExternalJwtFailure,
  type VerifiedExternalJwt,
} from './ext-jwt/index.js';
import { signerAuthenticator } from '../../data/rows/api-session/index.js';
import type { ClaimedIdentity } from '../../data/rows/identity/index.js';
import type { KnownSigner } from '../../data/rows/external-jwt-signer/index.js';
import type { ProvedIdentity } from './password-login.js';
import { RefusedLogin } from './refused-login.js';
import { loginBySigner, refusedJwt, type Failure } from './refused-jwt.js';
import type { ExternalSigners } from './signers.js';

interface JwtLoginDependencies {
  readonly signers: ExternalSigners;
  readonly keys: JwksKeys;
}

/** A bearer token that passes, with the identity that it names. */
export interface JudgedJwt extends VerifiedExternalJwt<KnownSigner> {
  /** The signer. */
  readonly issuer: ClaimIssuer;
  /** Undefined: the login creates it. */
  readonly identity: ClaimedIdentity | undefined;
}

/**
 * The identity that a bearer token of an external signer proves. A first login may create it.
 * @throws ApiError UNAUTHORIZED, with a challenge that names the signers to ask
 */
export async function loginByExternalJwt(
  ctx: RequestContext,
  dependencies: JwtLoginDependencies,
): Promise<ProvedIdentity> {
  const { identity, ...verified } = await judgeExternalJwt(ctx, dependencies);
  return provedBy(verified, identity ?? (await createAtFirstLogin(ctx, verified)));
}

/** Judges the bearer tokens of a request as a login does; nothing is written. @throws as a login */
export async function judgeExternalJwt(
  ctx: RequestContext,
  { signers, keys }: JwtLoginDependencies,
): Promise<JudgedJwt> {
  const allSigners = await signers.current();
  if (!allSigners.some((signer) => signer.enabled)) {
    throw new RefusedLogin('NO_SIGNER', {}, 'UNAUTHORIZED');
  }
  const verified = await verifiedAmong(ctx, allSigners, keys);
  if (verified.ok) {
    const { signer, claim } = verified;
    const issuer = signerAsIssuer(signer);
    const identity = await claimedIdentity(ctx.store, { issuer, claim }, ctx.now());
    return { ...verified, issuer, identity };
  }
  const { reason, signer } = verified;
  const candidates = allSigners.filter(({ enabled }) => enabled);
  throw refusedJwt(verified, candidates, reason, loginBySigner(signer));
}

/** The first bearer token of a request that a signer vouches for, or the closest failure. */
export async function verifiedAmong(
  { credentials: { bearers }, now }: RequestContext,
  signers: readonly KnownSigner[],
  keys: JwksKeys,
): Promise<VerifiedExternalJwt<KnownSigner> | ExternalJwtFailure<KnownSigner>> {
  const verify = (token?: string) => verifyExternalJwt(token, signers, { keys, clock: now });
  const failures: ExternalJwtFailure<KnownSigner>[] = [];
  for (const token of bearers) {
    const verified = await verify(token);
    if (verified.ok) return verified;
    failures.push(verified);
  }
  return closest(failures) ?? verify();
}

const CLOSENESS: readonly Failure['error'][] = ['missing', 'invalid', 'expired'];

/** The failure of the token that came closest to a success; the client gets this one. */
export const closest = <F extends Failure>(failures: readonly F[]): F | undefined =>
  [...failures].sort((a, b) => CLOSENESS.indexOf(b.error) - CLOSENESS.indexOf(a.error))[0];

function provedBy(
  { signer, issuer, claims }: Pick<JudgedJwt, 'signer' | 'issuer' | 'claims'>,
  { id: identityId, authPolicyId, secondary }: ClaimedIdentity,
): ProvedIdentity {
  const claimed = claimedAttributes(issuer, claims);
  const granted = grantedRights(signer, claims);
  return {
    ...{ identityId, authenticatorId: signerAuthenticator(signer.id) },
    authPolicy: { id: authPolicyId, secondary },
    ...(claimed ? { claimed } : {}),
    ...(granted ? { granted } : {}),
  };
}
