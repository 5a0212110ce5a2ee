import { signerAuthenticator } from '../../data/rows/api-session/index.js';
import type { KnownSigner } from '../../data/rows/external-jwt-signer/index.js';
import type { LoginRefusal } from '../../data/rows/login/index.js';
import { wwwAuthenticate, type ExternalJwtFailure } from './ext-jwt/index.js';
import { RefusedLogin, type KnownLogin } from './refused-login.js';

/** The part of a failure that the client sees, and why the token is no valid one. */
export type Failure = Pick<ExternalJwtFailure, 'error' | 'description'> &
  Partial<Pick<ExternalJwtFailure, 'reason'>>;

/** The facts of a refused login by a token: the signer that issued it, if there is one. */
export const loginBySigner = (signer: Pick<KnownSigner, 'id'> | undefined): KnownLogin =>
  signer ? { authenticatorId: signerAuthenticator(signer.id) } : {};

/** The refusal of a token, with a challenge that names the signers to ask. */
export function refusedJwt(
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

const INVALID: Failure = { error: 'invalid', description: 'token is invalid' };

/** The refusal of a valid token: its claim names no identity, or one that may not log in by the signer. */
export const refusedClaim = (
  signer: KnownSigner,
  refusal: LoginRefusal,
  known: Omit<KnownLogin, 'authenticatorId'> = {},
): RefusedLogin => refusedJwt(INVALID, [signer], refusal, { ...loginBySigner(signer), ...known });
