import type { RequestContext } from '../kernel/request/context.js';
import { failure, type ApiError } from '../base/errors.js';
import type { JwksKeys } from './ext-jwt/index.js';
import {
  verifyExternalJwt,
  wwwAuthenticate,
  type ExternalJwtFailure,
  type VerifiedExternalJwt,
} from './ext-jwt/index.js';
import type { KnownSigner } from './external-jwt-signer-table.js';
import { findClaimedIdentity } from './identity-table.js';
import type { ProvedIdentity } from './password-login.js';
import { allowsSigner } from './rules/index.js';
import { vouchesFor, type ExternalSigners } from './signers.js';

interface JwtLoginDependencies {
  readonly signers: ExternalSigners;
  readonly keys: JwksKeys;
}

const INVALID = { error: 'invalid', description: 'token is invalid' } as const;

/** The authenticator id of sessions from a JWT login, which names the signer. */
export const signerAuthenticator = (signerId: string): string => `extJwtId:${signerId}`;

/**
 * The identity that a bearer token of an external signer proves. @throws ApiError UNAUTHORIZED,
 * with a challenge that names the signers to ask
 */
export async function loginByExternalJwt(
  ctx: RequestContext,
  { signers, keys }: JwtLoginDependencies,
): Promise<ProvedIdentity> {
  const allSigners = await signers.current();
  if (!allSigners.some((signer) => signer.enabled)) throw failure('UNAUTHORIZED');
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

function refusal(fault: Failure, candidates: readonly KnownSigner[]): ApiError {
  const error = failure('UNAUTHORIZED');
  const challenge = wwwAuthenticate('primary', fault, candidates);
  if (challenge !== undefined) error.challenge = challenge;
  return error;
}

async function identityOf(
  ctx: RequestContext,
  { signer, claim }: VerifiedExternalJwt<KnownSigner>,
): Promise<ProvedIdentity> {
  // PostgreSQL refuses NUL in texts and in parameters.
  if (claim.includes('\0')) throw refusal(INVALID, [signer]);
  const row = await findClaimedIdentity(ctx.store, signer, claim, ctx.now());
  if (!row || row.disabled || !allowsSigner(row.primary.extJwt, signer.id)) {
    throw refusal(INVALID, [signer]);
  }
  if (!vouchesFor(signer, row)) throw refusal(INVALID, [signer]);
  return {
    identityId: row.id,
    authenticatorId: signerAuthenticator(signer.id),
    secondary: row.secondary,
  };
}
