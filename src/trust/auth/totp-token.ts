import { randomUUID } from 'node:crypto';
import { ApiError, failure } from '../../base/errors.js';
import type { Caller, RequestContext } from '../../kernel/request/context.js';
import { signJwt } from '../pki/index.js';
import { mfaDependencies, proveTotp } from './mfa-enrollment.js';
import { observedCode } from './login-attempt.js';

/** A proof that a session gave a one-time code. */
export interface TotpToken {
  /** A JWT, which clients send to routers that judge the posture themselves. */
  readonly token: string;
  readonly issuedAt: Date;
}

/** Distinguishes these tokens from those of sessions. */
const TOTP_KIND = 't';

/**
 * Proves a one-time code, and gives a token that says so. Routers read the time of the proof from it, so it
 * does not expire. Other sessions prove their codes to the controller, which tells the routers.
 */
export async function issueTotpToken(
  ctx: RequestContext,
  caller: Caller,
  code: string,
): Promise<TotpToken> {
  const { accessToken } = caller;
  if (!accessToken) throw failure('INVALID_BACKING_TOKEN_TYPE');
  const prove = () => proveTotp(ctx, caller, code, mfaDependencies(ctx));
  await observedCode(ctx, caller, prove).catch(refuseCode);
  const { sessionTokens, tokenKeys } = ctx.modules;
  const issuedAt = ctx.now();
  const token = signJwt(tokenKeys.signer(), {
    iss: sessionTokens.issuer,
    sub: caller.identityId,
    aud: [accessToken.clientId],
    iat: Math.floor(issuedAt.getTime() / 1000),
    jti: randomUUID(),
    z_asid: caller.apiSessionId,
    z_t: TOTP_KIND,
  });
  return { token, issuedAt };
}

/** Clients that log in over OpenID Connect take 401 for the end of the session. */
function refuseCode(error: unknown): never {
  const isWrongCode = error instanceof ApiError && error.code === 'MFA_INVALID_TOKEN';
  throw isWrongCode ? new ApiError(error.code, error.detail, { status: 400 }) : error;
}
