import { idsToActUpon, mayActUpon } from '../auth/index.js';
import { secretFrom } from '../kernel/declare/compute-from.js';
import type { RequestContext } from '../kernel/request/context.js';
import { may, permits } from '../kernel/declare/permissions.js';
import type { Action } from '../kernel/declare/verbs.js';
import { isObject } from '../base/row.js';

/*
 * Tokens are keys: who holds one logs in with it or joins by it. Administrators see all of them, others
 * only those that they could have made themselves.
 */

const mayOneOf = (
  { caller }: RequestContext,
  ...permissions: readonly (readonly [entity: string, action: Action])[]
): boolean => permissions.some(([entity, action]) => permits(caller, may(entity, action)));

/** A new identity can come with an enrollment. */
const mayInvite = (ctx: RequestContext): boolean =>
  mayOneOf(ctx, ['enrollment', 'create'], ['enrollment', 'update'], ['identity', 'create']);

/** A router comes with an enrollment, and gets a new one to begin anew. */
const mayEnrollRouters = (ctx: RequestContext): boolean =>
  mayOneOf(ctx, ['router', 'create'], ['router', 'update']);

/** The token of the session that asks, which has sent it. */
export const OWN_SESSION = secretFrom<'ApiSession'>()([], (rows, { caller }) =>
  rows.map(({ id }) => id === caller?.apiSessionId),
);

/** What belongs to the identity that asks. */
export const OWN_IDENTITY = secretFrom<'Session'>()(['identityId'], (rows, { caller }) =>
  rows.map(({ identityId }) => identityId === caller?.identityId),
);

/** What routers join with. */
export const ROUTER_ENROLLMENT = secretFrom<'EdgeRouter' | 'TransitRouter'>()([], (rows, ctx) => {
  const isShown = mayEnrollRouters(ctx);
  return rows.map(() => isShown);
});

/** What identities and routers join with; of identities that may do no more than the caller. */
export const ENROLLMENT_TOKEN = secretFrom<'Enrollment'>()(['identityId'], async (rows, ctx) => {
  const ids = rows.map(({ identityId }) => identityId);
  const invited = mayInvite(ctx)
    ? await idsToActUpon(
        ctx,
        ids.filter((id) => id !== null),
      )
    : new Set<string>();
  const areRoutersShown = mayEnrollRouters(ctx);
  return ids.map((id) => (id === null ? areRoutersShown : invited.has(id)));
});

/** By method. */
const withoutTokens = (enrollments: unknown): unknown =>
  Object.fromEntries(
    Object.entries(isObject(enrollments) ? enrollments : {}).map(([method, enrollment]) => [
      method,
      { ...(isObject(enrollment) ? enrollment : {}), token: '', jwt: '' },
    ]),
  );

/** The same, beside the identity. */
export const IDENTITY_ENROLLMENTS = secretFrom<'Identity'>()(
  ['isAdmin', 'permissions'],
  (rows, ctx) => {
    const isInviting = mayInvite(ctx);
    return rows.map((identity) => isInviting && mayActUpon(ctx, identity));
  },
  withoutTokens,
);
