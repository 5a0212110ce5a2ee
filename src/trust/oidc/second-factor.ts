import { oidcSessions } from '../../data/rows/api-session/index.js';
import { secondFactors } from '../../data/rows/identity/index.js';
import { failure } from '../../base/errors.js';
import { merged } from '../../base/merged.js';
import { FACTORLESS, permit } from '../../kernel/declare/permissions.js';
import { senderOf } from '../../requests/limits/index.js';
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
import { fingerprint } from '../pki/index.js';
import {
  missingProofs,
  progressOf,
  provedLogin,
  requireProved,
  type LoginProgress,
  type ProvedLogin,
} from './login-progress.js';
import { pageHashOf } from './secret-hash.js';

/** Names a login within which a second factor is set up. */
export interface SetUp {
  readonly id: string;
  /** The key of the page that offers the set-up; programs have none. */
  readonly key: string | undefined;
}

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

/**
 * Begins to set up a second factor within a login. A pending one stays, unless it may be replaced.
 * @throws ApiError MFA_EXISTS, UNAUTHORIZED
 */
export async function enroll(
  ctx: RequestContext,
  setUp: SetUp,
  { replacesPending = false } = {},
): Promise<MfaView> {
  const { session, ctx: own } = await requireSetUp(ctx, setUp);
  if (!replacesPending && (await secondFactors.find(ctx.store, session.identityId))) {
    throw failure('MFA_EXISTS');
  }
  await startMfa(own, session, mfaDependencies(ctx));
  return currentMfa(own, session, mfaDependencies(ctx));
}

/** Removes the second factor within a login; a completed one needs a code. @throws ApiError UNAUTHORIZED */
export async function unenroll(ctx: RequestContext, setUp: SetUp, code: string): Promise<void> {
  const { session, ctx: own } = await requireSetUp(ctx, setUp);
  await removeMfa(own, session, code, mfaDependencies(ctx));
}

/** Completes the set-up of a second factor, which also proves it. @throws ApiError UNAUTHORIZED */
export async function confirm(
  ctx: RequestContext,
  setUp: SetUp,
  code: string,
): Promise<LoginProgress> {
  const { request, session, ctx: own } = await requireSetUp(ctx, setUp);
  await confirmMfa(own, session, code, mfaDependencies(ctx));
  return progressOf(await provedLogin(ctx, request));
}

/**
 * A login that misses a one-time code alone, for the client that gave its first proof. A set-up proves
 * nothing about its sender, and its end is the end of the login.
 * @throws ApiError UNAUTHORIZED
 */
async function requireSetUp(ctx: RequestContext, { id, key }: SetUp): Promise<ProvedLogin> {
  const login = await requireProved(ctx, id);
  if (!(await isOfProver(ctx, login, key))) {
    throw failure('UNAUTHORIZED', 'another client gave the first proof of the login');
  }
  const missing = await missingProofs(login);
  permit(merged(ctx, { caller: merged(login.session, missing) }), FACTORLESS);
  if (missing.authQueries.length > 0) return login;
  throw failure('UNAUTHORIZED', 'the login needs no second factor');
}

/**
 * Whether a request comes from the client that gave the first proof. A browser sends the key of its page,
 * since somebody else may have begun its login. A program logs in to requests of its own, and sends back
 * nothing but the id: it is recognised by its certificate, or by its address.
 */
async function isOfProver(
  ctx: RequestContext,
  { request: { keyHash }, session: { apiSessionId } }: ProvedLogin,
  key: string | undefined,
): Promise<boolean> {
  if (keyHash !== null) return key !== undefined && pageHashOf(key) === keyHash;
  const opened = await oidcSessions.find(ctx.store, { id: apiSessionId }, ctx.now());
  if (!opened) return false;
  if (opened.certificateFingerprint === null) {
    return senderOf(opened.ipAddress) === senderOf(ctx.address);
  }
  const [leaf] = ctx.credentials.clientChain();
  return leaf !== undefined && fingerprint(leaf) === opened.certificateFingerprint;
}
