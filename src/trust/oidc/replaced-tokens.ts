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
export async function hasReplaced(ctx: RequestContext, claims: TokenClaims): Promise<boolean> {
  const { jti, apiSessionId, expiresAt } = claims;
  const used = { jti, apiSessionId, expiresAt, usedAt: ctx.now() };
  return isInGrace(ctx, claims, await usedRefreshTokens.use(ctx.store, used));
}

/** Whether a refresh token may be used without being replaced; false as above. */
export async function isCurrent(ctx: RequestContext, claims: TokenClaims): Promise<boolean> {
  const usedAt = await usedRefreshTokens.usedAt(ctx.store, claims.jti);
  return usedAt === undefined || isInGrace(ctx, claims, usedAt);
}

/** The same without an effect. */
export async function isReusable(ctx: RequestContext, { jti }: TokenClaims): Promise<boolean> {
  const usedAt = await usedRefreshTokens.usedAt(ctx.store, jti);
  return usedAt === undefined || isRecent(ctx, usedAt);
}

const isRecent = ({ now }: RequestContext, usedAt: Date): boolean =>
  now().getTime() - usedAt.getTime() <= REUSE_GRACE_MILLIS;

async function isInGrace(
  ctx: RequestContext,
  { apiSessionId }: TokenClaims,
  usedAt: Date,
): Promise<boolean> {
  if (isRecent(ctx, usedAt)) return true;
  await endOidcSession(ctx, apiSessionId);
  return false;
}
