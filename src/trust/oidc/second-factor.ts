import { secondFactors } from '../../data/rows/identity/index.js';
import { failure } from '../../base/errors.js';
import {
  confirmMfa,
  currentMfa,
  mfaDependencies,
  observedCode,
  proveMfa,
  removeMfa,
  startMfa,
  type MfaView,
} from '../auth/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { progressOf, provedLogin, requireProved, type LoginProgress } from './login-progress.js';

/** Proves the second factor of a login by a one-time code or a recovery code. */
export async function proveCode(
  ctx: RequestContext,
  id: string,
  code: string,
): Promise<LoginProgress> {
  const login = await requireProved(ctx, id);
  await observedCode(login.ctx, login.session, () =>
    proveMfa(login.ctx, login.session, code, mfaDependencies(ctx)),
  );
  return progressOf(await provedLogin(ctx, login.request));
}

/** Begins to set up a second factor within a login. @throws ApiError MFA_EXISTS */
export async function enroll(ctx: RequestContext, id: string): Promise<MfaView> {
  const { session, ctx: own } = await requireProved(ctx, id);
  const factor = await secondFactors.find(ctx.store, session.identityId);
  if (factor) throw failure('MFA_EXISTS');
  await startMfa(own, session, mfaDependencies(ctx));
  return currentMfa(own, session, mfaDependencies(ctx));
}

/** Removes the second factor within a login; a completed one needs a code. */
export async function unenroll(ctx: RequestContext, id: string, code: string): Promise<void> {
  const { session, ctx: own } = await requireProved(ctx, id);
  await removeMfa(own, session, code, mfaDependencies(ctx));
}

/** Completes the set-up of a second factor, which also proves it. */
export async function confirm(
  ctx: RequestContext,
  id: string,
  code: string,
): Promise<LoginProgress> {
  const { request, session, ctx: own } = await requireProved(ctx, id);
  await confirmMfa(own, session, code, mfaDependencies(ctx));
  return progressOf(await provedLogin(ctx, request));
}
