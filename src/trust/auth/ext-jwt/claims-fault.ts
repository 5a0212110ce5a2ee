import type { JWTPayload } from 'jose';
import type { TokenFault } from '../../../data/rows/login/index.js';

/** The time of a check, and how far the clock of the signer may be off. */
interface CheckedAt {
  readonly now: Date;
  readonly leewayMs: number;
}

/**
 * The first fault of the claims that decide whether a token counts: `aud`, `exp`, `nbf` and `iat`
 * (RFC 7519 4.1). Without an audience no token counts.
 */
export function claimsFault(
  claims: JWTPayload,
  audience: string | null,
  checkedAt: CheckedAt,
): TokenFault | undefined {
  if (audience === null || audience === '' || !namesAudience(claims.aud, audience))
    return 'WRONG_AUDIENCE';
  return timeFault(claims, checkedAt);
}

function timeFault(
  { exp, nbf, iat }: JWTPayload,
  { now, leewayMs }: CheckedAt,
): TokenFault | undefined {
  if (exp === undefined) return 'MISSING_EXPIRY';
  if (![exp, nbf, iat].every(isTimeOrAbsent)) return 'INVALID_TIME';
  const seconds = Math.floor(now.getTime() / 1000);
  const leeway = leewayMs / 1000;
  if (nbf !== undefined && nbf > seconds + leeway) return 'TOKEN_NOT_YET_VALID';
  if (iat !== undefined && iat > seconds + leeway) return 'TOKEN_OF_THE_FUTURE';
  return exp <= seconds - leeway ? 'EXPIRED_TOKEN' : undefined;
}

const namesAudience = (aud: unknown, audience: string): boolean =>
  Array.isArray(aud) ? aud.includes(audience) : aud === audience;

/** The library does not check the types of claims. */
const isTimeOrAbsent = (value: unknown): boolean => value === undefined || Number.isFinite(value);
