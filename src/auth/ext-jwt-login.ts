import type { RequestContext } from '../kernel/request/context.js';
import type { JwksKeys } from './ext-jwt/index.js';
import {
  verifyExternalJwt,
  wwwAuthenticate,
  type ExternalJwtFailure,
  type VerifiedExternalJwt,
} from './ext-jwt/index.js';
import type { KnownSigner } from './external-jwt-signer-table.js';
import { findClaimedIdentity, type PolicedIdentityRow } from './identity-table.js';
import type { LoginRefusal } from './login-refusal.js';
import type { ProvedIdentity } from './password-login.js';
import { RefusedLogin, type KnownLogin } from './refused-login.js';
import { allowsSigner } from './rules/index.js';
import { vouchesFor, type ExternalSigners } from './signers.js';

interface JwtLoginDependencies {
  readonly signers: ExternalSigners;
  readonly keys: JwksKeys;
}

const INVALID = { error: 'invalid', description: 'token is invalid' } as const;

const BY_SIGNER = 'extJwtId:';

/** The authenticator id of sessions from a JWT login, which names the signer. */
export const signerAuthenticator = (signerId: string): string => `${BY_SIGNER}${signerId}`;

/** The signer that such an authenticator id names; empty for others. */
export const signerOf = (authenticatorId: string): string =>
  authenticatorId.startsWith(BY_SIGNER) ? authenticatorId.slice(BY_SIGNER.length) : '';

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
  const { bearers } = ctx.credentials;
  const failures: Failure[] = [];
  for (const token of bearers.length > 0 ? bearers : [undefined]) {
    const verified = await verifyExternalJwt(token, allSigners, { keys, clock: ctx.now });
    if (verified.ok) return identityOf(ctx, verified);
    failures.push(verified);
  }
  throw refused(
    closest(failures),
    allSigners.filter(({ enabled }) => enabled),
  );
}

export type Failure = Pick<ExternalJwtFailure, 'error' | 'description'>;

const CLOSENESS: readonly Failure['error'][] = ['missing', 'invalid', 'expired'];

/** The failure of the token that came closest to a success; the client gets this one. */
export const closest = (failures: readonly Failure[]): Failure =>
  [...failures].sort((a, b) => CLOSENESS.indexOf(b.error) - CLOSENESS.indexOf(a.error))[0] ??
  INVALID;

const FAULTS: Readonly<Record<Failure['error'], LoginRefusal>> = {
  missing: 'MISSING_TOKEN',
  invalid: 'INVALID_TOKEN',
  expired: 'EXPIRED_TOKEN',
};

function refused(
  fault: Failure,
  candidates: readonly KnownSigner[],
  {
    refusal: why = FAULTS[fault.error],
    ...known
  }: KnownLogin & { readonly refusal?: LoginRefusal } = {},
): RefusedLogin {
  const error = new RefusedLogin(why, known, 'UNAUTHORIZED');
  const challenge = wwwAuthenticate('primary', fault, candidates);
  if (challenge !== undefined) error.challenge = challenge;
  return error;
}

async function identityOf(
  ctx: RequestContext,
  { signer, claim }: VerifiedExternalJwt<KnownSigner>,
): Promise<ProvedIdentity> {
  const authenticatorId = signerAuthenticator(signer.id);
  const row = await findClaimedIdentity(ctx.store, signer, claim, ctx.now());
  if (!row) throw refused(INVALID, [signer], { refusal: 'UNKNOWN_CLAIM', authenticatorId });
  const { id: identityId, auth_policy_id: authPolicyId, secondary } = row;
  const refusal = refusalOf(row, signer);
  if (refusal !== undefined) {
    throw refused(INVALID, [signer], { refusal, identityId, authenticatorId, authPolicyId });
  }
  return { identityId, authenticatorId, authPolicy: { id: authPolicyId, secondary } };
}

/** Why an identity may not log in by a signer; undefined if it may. */
function refusalOf(row: PolicedIdentityRow, signer: KnownSigner): LoginRefusal | undefined {
  if (row.disabled) return 'IDENTITY_DISABLED';
  if (!allowsSigner(row.primary.extJwt, signer.id)) {
    return 'SIGNER_NOT_ALLOWED';
  }
  return vouchesFor(signer, row) ? undefined : 'UNTRUSTED_SIGNER';
}
