import type { RequestContext } from '../../kernel/request/context.js';
import { claimedAttributes } from './claimed-attributes.js';
import { grantedRights } from './granted-rights.js';
import type { JwksKeys } from './ext-jwt/index.js';
import {
  verifyExternalJwt,
  wwwAuthenticate,
  type ExternalJwtFailure,
  type VerifiedExternalJwt,
} from './ext-jwt/index.js';
import { signerAuthenticator } from '../../data/rows/api-session/index.js';
import { claimedIdentities, type ClaimedIdentity } from '../../data/rows/identity/index.js';
import type { KnownSigner } from '../../data/rows/external-jwt-signer/index.js';
import type { LoginRefusal } from '../../data/rows/login/index.js';
import type { ProvedIdentity } from './password-login.js';
import { RefusedLogin, type KnownLogin } from './refused-login.js';
import { allowsSigner } from './rules/index.js';
import { vouchesFor, type ExternalSigners } from './signers.js';

interface JwtLoginDependencies {
  readonly signers: ExternalSigners;
  readonly keys: JwksKeys;
}

const INVALID: Failure = { error: 'invalid', description: 'token is invalid' };

/** The facts of a refused login by a token: the signer that issued it, if there is one. */
export const loginBySigner = (signer: Pick<KnownSigner, 'id'> | undefined): KnownLogin =>
  signer ? { authenticatorId: signerAuthenticator(signer.id) } : {};

/**
 * The identity that a bearer token of an external signer proves. @throws ApiError UNAUTHORIZED,
 * with a challenge that names the signers to ask
 */
export async function loginByExternalJwt(
  ctx: RequestContext,
  { signers, keys }: JwtLoginDependencies,
): Promise<ProvedIdentity> {
  const allSigners = await signers.current();
  if (!allSigners.some((signer) => signer.enabled)) {
    throw new RefusedLogin('NO_SIGNER', {}, 'UNAUTHORIZED');
  }
  const verified = await verifiedAmong(ctx, allSigners, keys);
  if (verified.ok) return identityOf(ctx, verified);
  const { reason, signer } = verified;
  const candidates = allSigners.filter(({ enabled }) => enabled);
  throw refused(verified, candidates, reason, loginBySigner(signer));
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

/** The part of a failure that the client sees, and why the token is no valid one. */
export type Failure = Pick<ExternalJwtFailure, 'error' | 'description'> &
  Partial<Pick<ExternalJwtFailure, 'reason'>>;

const CLOSENESS: readonly Failure['error'][] = ['missing', 'invalid', 'expired'];

/** The failure of the token that came closest to a success; the client gets this one. */
export const closest = <F extends Failure>(failures: readonly F[]): F | undefined =>
  [...failures].sort((a, b) => CLOSENESS.indexOf(b.error) - CLOSENESS.indexOf(a.error))[0];

function refused(
  failure: Failure,
  candidates: readonly KnownSigner[],
  refusal: LoginRefusal,
  known: KnownLogin,
): RefusedLogin {
  const error = new RefusedLogin(refusal, known, 'UNAUTHORIZED');
  const challenge = wwwAuthenticate('primary', failure, candidates);
  if (challenge !== undefined) error.challenge = challenge;
  return error;
}

async function identityOf(
  ctx: RequestContext,
  { signer, claim, claims }: VerifiedExternalJwt<KnownSigner>,
): Promise<ProvedIdentity> {
  const authenticatorId = signerAuthenticator(signer.id);
  const row = await claimedIdentities.find(ctx.store, signer, claim, ctx.now());
  if (!row) throw await unknownClaim(ctx, signer, claim);
  const { id: identityId, authPolicyId, secondary } = row;
  const refusal = refusalOf(row, signer);
  if (refusal !== undefined) {
    throw refused(INVALID, [signer], refusal, { identityId, authenticatorId, authPolicyId });
  }
  const claimed = claimedAttributes(signer, claims);
  const authPolicy = { id: authPolicyId, secondary };
  const granted = grantedRights(signer, claims);
  return {
    ...{ identityId, authenticatorId, authPolicy },
    ...(claimed ? { claimed } : {}),
    ...(granted ? { granted } : {}),
  };
}

/** The refusal of a claim that no identity has, which names an identity that nearly has it. */
async function unknownClaim(
  { store }: RequestContext,
  signer: KnownSigner,
  claim: string,
): Promise<RefusedLogin> {
  const authenticatorId = signerAuthenticator(signer.id);
  const similar = await claimedIdentities.findInOtherCase(store, signer, claim);
  const [identityId, ...others] = similar;
  if (identityId === undefined)
    return refused(INVALID, [signer], 'UNKNOWN_CLAIM', { authenticatorId });
  const onlyIdentity = others.length === 0 ? { identityId } : {};
  return refused(INVALID, [signer], 'CLAIM_IN_OTHER_CASE', { authenticatorId, ...onlyIdentity });
}

/** Why an identity may not log in by a signer; undefined if it may. */
function refusalOf(row: ClaimedIdentity, signer: KnownSigner): LoginRefusal | undefined {
  if (row.isDisabled) return 'IDENTITY_DISABLED';
  if (!allowsSigner(row.primary.extJwt, signer.id)) {
    return 'SIGNER_NOT_ALLOWED';
  }
  return vouchesFor(signer, row) ? undefined : 'UNTRUSTED_SIGNER';
}
