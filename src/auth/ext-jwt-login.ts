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

interface Parts {
  readonly signers: ExternalSigners;
  readonly keys: JwksKeys;
}

const INVALID = { error: 'invalid', description: 'token is invalid' } as const;

/** Sessions of a JWT login name the signer in place of an authenticator. */
export const signerAuthenticator = (signerId: string): string => `extJwtId:${signerId}`;

/**
 * The identity that a bearer token of an external signer proves.
 * @throws ApiError UNAUTHORIZED, with a challenge that names the signers to ask
 */
export async function loginByExternalJwt(
  ctx: RequestContext,
  { signers, keys }: Parts,
): Promise<ProvedIdentity> {
  const known = await signers.current();
  if (!known.some((signer) => signer.enabled)) throw failure('UNAUTHORIZED');
  const { bearers } = ctx.credentials;
  const failures: Failure[] = [];
  for (const token of bearers.length > 0 ? bearers : [undefined]) {
    const verified = await verifyExternalJwt(token, known, { keys, clock: ctx.now });
    if (verified.ok) return identityOf(ctx, verified);
    failures.push(verified);
  }
  throw refused(
    closest(failures),
    known.filter(({ enabled }) => enabled),
  );
}

export type Failure = Pick<ExternalJwtFailure, 'error' | 'description'>;

const CLOSENESS: readonly Failure['error'][] = ['missing', 'invalid', 'expired'];

/** Of the faults of several tokens, that of the one that came closest: it tells what to say. */
export const closest = (failures: readonly Failure[]): Failure =>
  [...failures].sort((a, b) => CLOSENESS.indexOf(b.error) - CLOSENESS.indexOf(a.error))[0] ??
  INVALID;

function refused(fault: Failure, candidates: readonly KnownSigner[]): ApiError {
  const error = failure('UNAUTHORIZED');
  const challenge = wwwAuthenticate('primary', fault, candidates);
  if (challenge !== undefined) error.challenge = challenge;
  return error;
}

async function identityOf(
  ctx: RequestContext,
  { signer, claim }: VerifiedExternalJwt<KnownSigner>,
): Promise<ProvedIdentity> {
  // PostgreSQL stores no NUL in texts, and takes none in questions.
  if (claim.includes('\0')) throw refused(INVALID, [signer]);
  const row = await findClaimedIdentity(ctx.store, signer, claim, ctx.now());
  if (!row || row.disabled || !allowsSigner(row.primary.extJwt, signer.id)) {
    throw refused(INVALID, [signer]);
  }
  if (!vouchesFor(signer, row)) throw refused(INVALID, [signer]);
  return {
    identityId: row.id,
    authenticatorId: signerAuthenticator(signer.id),
    secondary: row.secondary,
  };
}
