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
    throw new RefusedLogin('no external signer is enabled', {}, 'UNAUTHORIZED');
  }
  const { bearers } = ctx.credentials;
  const failures: Failure[] = [];
  for (const token of bearers.length > 0 ? bearers : [undefined]) {
    const verified = await verifyExternalJwt(token, allSigners, { keys, clock: ctx.now });
    if (verified.ok) return identityOf(ctx, verified);
    failures.push(verified);
  }
  throw refusal(
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

function refusal(
  fault: Failure,
  candidates: readonly KnownSigner[],
  { reason = fault.description, ...known }: KnownLogin & { readonly reason?: string } = {},
): RefusedLogin {
  const error = new RefusedLogin(reason, known, 'UNAUTHORIZED');
  const challenge = wwwAuthenticate('primary', fault, candidates);
  if (challenge !== undefined) error.challenge = challenge;
  return error;
}

async function identityOf(
  ctx: RequestContext,
  { signer, claim }: VerifiedExternalJwt<KnownSigner>,
): Promise<ProvedIdentity> {
  const authenticatorId = signerAuthenticator(signer.id);
  // PostgreSQL refuses NUL in texts and in parameters.
  const row = claim.includes('\0')
    ? undefined
    : await findClaimedIdentity(ctx.store, signer, claim, ctx.now());
  if (!row)
    throw refusal(INVALID, [signer], { reason: 'no identity has the claim', authenticatorId });
  const { id: identityId, auth_policy_id: authPolicyId, secondary } = row;
  const reason = refusalReason(row, signer);
  if (reason !== undefined) {
    throw refusal(INVALID, [signer], { reason, identityId, authenticatorId, authPolicyId });
  }
  return { identityId, authenticatorId, authPolicy: { id: authPolicyId, secondary } };
}

/** Why an identity may not log in by a signer; undefined if it may. */
function refusalReason(row: PolicedIdentityRow, signer: KnownSigner): string | undefined {
  if (row.disabled) return 'the identity is disabled';
  if (!allowsSigner(row.primary.extJwt, signer.id)) {
    return 'the auth policy does not allow the signer';
  }
  return vouchesFor(signer, row) ? undefined : 'the signer is not trusted for this identity';
}
