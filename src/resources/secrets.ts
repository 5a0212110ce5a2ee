import { idsToActUpon, mayActUpon } from '../trust/auth/index.js';
import { secretFrom } from '../kernel/declare/compute-from.js';
import type { RequestContext } from '../kernel/request/context.js';
import { may, permits } from '../kernel/declare/permissions.js';
import type { Action } from '../kernel/declare/verbs.js';
import { isObject } from '../base/row.js';

/*
 * Tokens are keys: a client with a token can log in or enroll. Administrators see all tokens, others
 * only tokens that they could have created themselves.
 */

const mayOneOf = (
  { caller }: RequestContext,
  ...permissions: readonly (readonly [entity: string, action: Action])[]
): boolean => permissions.some(([entity, action]) => permits(caller, may(entity, action)));

/** Whether the caller can create enrollments: a new identity can come with one. */
const mayInvite = (ctx: RequestContext): boolean =>
  mayOneOf(ctx, ['enrollment', 'create'], ['enrollment', 'update'], ['identity', 'create']);

/** Whether the caller can create routers or re-enroll them: both give an enrollment. */
const mayEnrollRouters = (ctx: RequestContext): boolean =>
  mayOneOf(ctx, ['router', 'create'], ['router', 'update']);

/** Shows the token of the session of the request, which has sent it. */
export const OWN_SESSION = secretFrom<'ApiSession'>()([], (rows, { caller }) =>
  rows.map(({ id }) => id === caller?.apiSessionId),
);

/** Shows secrets of the caller's own identity. */
export const OWN_IDENTITY = secretFrom<'Session'>()(['identityId'], (rows, { caller }) =>
  rows.map(({ identityId }) => identityId === caller?.identityId),
);

/** Shows the enrollment tokens of routers. */
export const ROUTER_ENROLLMENT = secretFrom<'EdgeRouter' | 'TransitRouter'>()([], (rows, ctx) => {
  const isShown = mayEnrollRouters(ctx);
  return rows.map(() => isShown);
});

/** Shows enrollment tokens of routers, and of identities with no more rights than the caller. */
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
