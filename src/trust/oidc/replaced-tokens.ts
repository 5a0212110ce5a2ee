import { usedRefreshTokens } from '../../data/rows/authorization/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { endOidcSession } from './end-session.js';
import type { TokenClaims } from './verify-token.js';

/** Several tabs or a lost answer may use a refresh token twice; later uses are those of a thief. */
const REUSE_GRACE_MILLIS = 60_000;

/**
 * Marks a refresh token as replaced; false if it was long ago. Then the session has ended, with all its
 * tokens.
 */
export async function hasReplaced(
  ctx: RequestContext,
  { jti, apiSessionId, expiresAt }: TokenClaims,
): Promise<boolean> {
  const millis = await usedRefreshTokens.use(ctx.store, { jti, apiSessionId, expiresAt });
  return isInGrace(ctx, apiSessionId, millis);
}

/** Whether a refresh token may be used without being replaced; false as above. */
export async function isCurrent(
  ctx: RequestContext,
  { jti, apiSessionId }: TokenClaims,
): Promise<boolean> {
  const millis = await usedRefreshTokens.millisSinceUse(ctx.store, jti);
  return millis === undefined || isInGrace(ctx, apiSessionId, millis);
}

/** The same without an effect. */
export async function isReusable(
  { store }: RequestContext,
  { jti }: TokenClaims,
): Promise<boolean> {
  const millis = await usedRefreshTokens.millisSinceUse(store, jti);
  return millis === undefined || isRecent(millis);
}

const isRecent = (millis: number): boolean => millis <= REUSE_GRACE_MILLIS;

async function isInGrace(
  ctx: RequestContext,
  apiSessionId: string,
  millis: number,
): Promise<boolean> {
  if (isRecent(millis)) return true;
  await endOidcSession(ctx, apiSessionId);
  return false;
}
