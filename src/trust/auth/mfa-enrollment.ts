import { randomUUID } from 'node:crypto';
import type { Caller, RequestContext } from '../../kernel/request/context.js';
import { failure } from '../../base/errors.js';
import { secondFactors, type SecondFactor } from '../../data/rows/identity/index.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { currentRow, originOf, patchIn } from '../../kernel/write/write.js';
import { openSecret, sealSecret } from '../pki/index.js';
import { forgetMfa, recordMfa, type PostureStore } from '../posture/index.js';
import type { LoginLimit } from './login-limit.js';
import {
  newRecoveryCodes,
  newTotpSecret,
  provisioningUrl,
  spendRecoveryCode,
  verifyTotp,
} from './mfa/index.js';
import { refuseHigherRights } from './target-rights.js';

/** Issuer shown by authenticator applications. */
const ISSUER = 'openziti.io';

interface MfaDependencies {
  readonly secretKey: Buffer;
  readonly limit: LoginLimit;
  readonly posture: PostureStore;
}

/** The parts of the controller that second factors need. */
export const mfaDependencies = ({ modules }: RequestContext): MfaDependencies => ({
  secretKey: modules.keys.secretKey,
  limit: modules.loginLimit,
  posture: modules.posture,
});

/** The stored second factor of an identity, with opened secrets. */
interface Enrollment {
  readonly id: string;
  readonly identityId: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly isVerified: boolean;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  readonly lastStep: number;
}

/** The owner's view of a second factor; it has secrets only while it is pending. */
export interface MfaView {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly isVerified: boolean;
  readonly provisioningUrl: string | null;
  readonly recoveryCodes: readonly string[] | null;
}

/** @throws ApiError NOT_FOUND when there is none */
export async function currentMfa(
  ctx: RequestContext,
  caller: Caller,
  dependencies: MfaDependencies,
): Promise<MfaView> {
  const mfa = openEnrollment(dependencies, await secondFactors.find(ctx.store, caller.identityId));
  if (!mfa) throw failure('NOT_FOUND');
  const { id, createdAt, updatedAt, isVerified } = mfa;
  return {
    id,
    createdAt,
    updatedAt,
    isVerified,
    provisioningUrl: isVerified ? null : urlOf(mfa),
    recoveryCodes: isVerified ? null : mfa.recoveryCodes,
  };
}

const urlOf = ({ name, secret }: Enrollment): string =>
  provisioningUrl({ issuer: ISSUER, account: name, secret });

/** Begins an enrollment and replaces a pending one. */
export async function startMfa(
  ctx: RequestContext,
  caller: Caller,
  dependencies: MfaDependencies,
): Promise<string> {
  const { identityId } = caller;
  const id = randomUUID();
  const seal = (text: string): string => sealSecret(dependencies.secretKey, text);
  await ctx.store.write(originOf(ctx), async (tx) => {
    await currentRow(tx, ctx.catalog.resources.Identity, identityId);
    const enrollment = await secondFactors.find(tx, identityId);
    if (enrollment?.isVerified) throw failure('MFA_EXISTS');
    const secret = seal(newTotpSecret());
    const recoveryCodes = seal(JSON.stringify(newRecoveryCodes()));
    await secondFactors.put(tx, { identityId, id, secret, recoveryCodes }, tx.origin.at);
  });
  return id;
}

/** Completes a pending enrollment; this also completes the authentication of the session. */
export async function confirmMfa(
  ctx: RequestContext,
  caller: Caller,
  code: string,
  dependencies: MfaDependencies,
): Promise<void> {
  await attempt(ctx, caller, dependencies, async (tx, mfa) => {
    if (mfa?.isVerified !== false) throw failure('NOT_FOUND');
    if (!(await useTotp(ctx, tx, mfa, code))) return false;
    await secondFactors.confirm(tx, mfa.identityId, tx.origin.at);
    await setEnabled(ctx, tx, mfa.identityId, true);
    await completeSession(ctx, tx, caller, dependencies);
    return true;
  });
}

/** Completes the authentication of a session. */
export const proveMfa = (
  ctx: RequestContext,
  caller: Caller,
  code: string,
  dependencies: MfaDependencies,
): Promise<void> =>
  prove(ctx, caller, dependencies, (tx, mfa) => useAnyCode(ctx, tx, mfa, code, dependencies));

/** The same by a one-time code alone. */
export const proveTotp = (
  ctx: RequestContext,
  caller: Caller,
  code: string,
  dependencies: MfaDependencies,
): Promise<void> => prove(ctx, caller, dependencies, (tx, mfa) => useTotp(ctx, tx, mfa, code));

function prove(
  ctx: RequestContext,
  caller: Caller,
  dependencies: MfaDependencies,
  useCode: (tx: Transaction, mfa: Enrollment) => Promise<boolean>,
): Promise<void> {
  return attempt(ctx, caller, dependencies, async (tx, mfa) => {
    if (!mfa?.isVerified) throw failure('MFA_NOT_ENROLLED');
    if (!(await useCode(tx, mfa))) return false;
    await completeSession(ctx, tx, caller, dependencies);
    return true;
  });
}

/** Removes the factor; a completed one needs a code. */
export async function removeMfa(
  ctx: RequestContext,
  caller: Caller,
  code: string,
  dependencies: MfaDependencies,
): Promise<void> {
  await attempt(ctx, caller, dependencies, async (tx, mfa) => {
    if (!mfa) throw failure('NOT_FOUND');
    if (mfa.isVerified && !(await useAnyCode(ctx, tx, mfa, code, dependencies))) return false;
    await secondFactors.remove(tx, mfa.identityId);
    await setEnabled(ctx, tx, mfa.identityId, false);
    await forgetMfa(dependencies.posture, tx, mfa.identityId);
    return true;
  });
}

/** Gives the remaining recovery codes for a current one-time code. */
export async function viewRecoveryCodes(
  ctx: RequestContext,
  caller: Caller,
  code: string,
  dependencies: MfaDependencies,
): Promise<MfaView> {
  let view: MfaView | undefined;
  await attempt(ctx, caller, dependencies, (tx, mfa) => {
    if (!mfa?.isVerified) throw failure('NOT_FOUND');
    const { id, createdAt, updatedAt, recoveryCodes } = mfa;
    view = { id, createdAt, updatedAt, isVerified: true, provisioningUrl: null, recoveryCodes };
    return useTotp(ctx, tx, mfa, code);
  });
  if (!view) throw failure('NOT_FOUND');
  return view;
}

/** Replaces all recovery codes. */
export async function renewRecoveryCodes(
  ctx: RequestContext,
  caller: Caller,
  code: string,
  dependencies: MfaDependencies,
): Promise<void> {
  await attempt(ctx, caller, dependencies, async (tx, mfa) => {
    if (!mfa?.isVerified) throw failure('NOT_FOUND');
    if (!(await useAnyCode(ctx, tx, mfa, code, dependencies))) return false;
    await storeCodes(tx, mfa, newRecoveryCodes(), dependencies);
    return true;
  });
}

/**
 * Uses a one-time code; false if it is wrong or used. RFC 6238 5.2 allows each code once. Only the
 * step of the last used code is stored, so codes of earlier steps become invalid; the next code
 * appears within half a minute.
 */
async function useTotp(
  ctx: RequestContext,
  tx: Transaction,
  { identityId, secret, lastStep }: Enrollment,
  code: string,
): Promise<boolean> {
  const step = verifyTotp(secret, code, ctx.now(), lastStep);
  if (step === undefined) return false;
  await secondFactors.useStep(tx, identityId, step);
  return true;
}

/** Uses a one-time code or a recovery code; each recovery code works once. */
async function useAnyCode(
  ctx: RequestContext,
  tx: Transaction,
  mfa: Enrollment,
  code: string,
  dependencies: MfaDependencies,
): Promise<boolean> {
  if (await useTotp(ctx, tx, mfa, code)) return true;
  const remaining = spendRecoveryCode(mfa.recoveryCodes, code);
  if (!remaining) return false;
  await storeCodes(tx, mfa, remaining, dependencies);
  return true;
}

/** Runs `work` on the locked enrollment; a wrong code is counted against the identity and refused. */
async function attempt(
  ctx: RequestContext,
  caller: Caller,
  dependencies: MfaDependencies,
  work: (tx: Transaction, mfa: Enrollment | undefined) => boolean | Promise<boolean>,
): Promise<void> {
  await dependencies.limit.attempt([`mfa:${caller.identityId}`], ctx.now, async () => {
    const isRight = await ctx.store.write(originOf(ctx), async (tx) => {
      await currentRow(tx, ctx.catalog.resources.Identity, caller.identityId);
      return work(
        tx,
        openEnrollment(dependencies, await secondFactors.find(tx, caller.identityId)),
      );
    });
    if (!isRight) throw failure('MFA_INVALID_TOKEN');
  });
}

function openEnrollment(
  { secretKey }: MfaDependencies,
  factor: SecondFactor | null,
): Enrollment | undefined {
  if (!factor) return undefined;
  const { identity, secret, recoveryCodes, lastStep, ...others } = factor;
  return {
    ...others,
    name: identity.name,
    secret: openSecret(secretKey, secret),
    recoveryCodes: JSON.parse(openSecret(secretKey, recoveryCodes)) as string[],
    lastStep: Number(lastStep),
  };
}

const storeCodes = (
  tx: Transaction,
  { identityId }: Enrollment,
  codes: readonly string[],
  { secretKey }: MfaDependencies,
): Promise<unknown> =>
  secondFactors.putRecoveryCodes(
    tx,
    identityId,
    sealSecret(secretKey, JSON.stringify(codes)),
    tx.origin.at,
  );

async function setEnabled(
  ctx: RequestContext,
  tx: Transaction,
  id: string,
  isMfaEnabled: boolean,
): Promise<void> {
  const identities = ctx.catalog.resources.Identity;
  const [identity] = await tx.find(identities, { id });
  if (identity && identity.isMfaEnabled !== isMfaEnabled) {
    await patchIn(tx, identities, identity, { isMfaEnabled });
  }
}

async function completeSession(
  ctx: RequestContext,
  tx: Transaction,
  caller: Caller,
  { posture }: MfaDependencies,
): Promise<void> {
  const sessions = ctx.catalog.resources.ApiSession;
  const [session] = await tx.find(sessions, { id: caller.apiSessionId });
  if (!session) throw failure('UNAUTHORIZED');
  await patchIn(tx, sessions, session, { isMfaRequired: true, isMfaComplete: true });
  await recordMfa(posture, tx, caller);
}

/**
 * Removes the factor of an identity in any state, unless the identity has more rights than the
 * caller. The caller's own factor needs a session that has proved it, since a session may be older
 * than the factor.
 */
export async function removeMfaOf(
  ctx: RequestContext,
  identityId: string,
  { posture }: Pick<MfaDependencies, 'posture'>,
): Promise<void> {
  await ctx.store.write(originOf(ctx), async (tx) => {
    const current = await currentRow(tx, ctx.catalog.resources.Identity, identityId);
    refuseHigherRights(ctx, current);
    const isOwn = identityId === ctx.caller?.identityId;
    if (isOwn && current.isMfaEnabled) await needProof(ctx, tx, ctx.caller);
    await secondFactors.remove(tx, identityId);
    await setEnabled(ctx, tx, identityId, false);
    await forgetMfa(posture, tx, identityId);
  });
}

async function needProof(ctx: RequestContext, tx: Transaction, caller: Caller): Promise<void> {
  const [session] = await tx.find(ctx.catalog.resources.ApiSession, { id: caller.apiSessionId });
  if (session?.isMfaComplete) return;
  throw failure(
    'UNAUTHORIZED',
    'the session has not proved the second factor that it would remove',
  );
}
