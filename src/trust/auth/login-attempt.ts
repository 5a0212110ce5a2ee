import { ApiError } from '../../base/errors.js';
import type { Caller, RequestContext } from '../../kernel/request/context.js';
import { signerOf } from '../../data/rows/api-session/index.js';
import type { LoginMethod, LoginRefusal } from '../../data/rows/login/index.js';
import type { ProvedIdentity } from './password-login.js';
import { RefusedLogin, type KnownLogin } from './refused-login.js';

/** A login and its outcome, for operators; ids are empty where they are not known. */
export interface LoginAttempt {
  readonly at: Date;
  readonly requestId: string;
  readonly method: LoginMethod;
  readonly address: string;
  /** Why it was refused; undefined for a success. */
  readonly refusal: LoginRefusal | undefined;
  readonly identityId: string;
  readonly authenticatorId: string;
  /** The external signer of method `ext-jwt`. */
  readonly signerId: string;
  readonly authPolicyId: string;
  /** The client left intermediates out of its chain. */
  readonly isChainImproper: boolean;
}

/** Those that the public format of events has. */
export const isLoginEvent = ({ method }: Pick<LoginAttempt, 'method'>): boolean =>
  method !== 'mfa' && method !== 'enroll';

/** Called with each login. */
export type LoginObserver = (attempt: LoginAttempt) => void;

/** Runs a login, and tells the observer of this process its outcome. */
export async function observed<P extends ProvedIdentity>(
  ctx: RequestContext,
  method: LoginMethod,
  prove: () => Promise<P>,
): Promise<P> {
  const proof = await observedFailure(ctx, method, {}, prove);
  const isChainImproper = 'improperClientCertChain' in proof && proof.improperClientCertChain;
  const { identityId, authenticatorId, authPolicy } = proof;
  tell(ctx, method, {
    login: { identityId, authenticatorId, authPolicyId: authPolicy.id },
    refusal: undefined,
    isChainImproper: isChainImproper === true,
  });
  return proof;
}

/** Runs the proof of an enrollment by an external JWT, and tells the observer a refusal. */
export const observedEnrollment = <T>(ctx: RequestContext, prove: () => Promise<T>): Promise<T> =>
  observedFailure(ctx, 'enroll', {}, prove);

/** Runs the proof of a second factor, and tells the observer of this process a wrong code. */
export const observedCode = (
  ctx: RequestContext,
  { identityId, authenticatorId }: Pick<Caller, 'identityId' | 'authenticatorId'>,
  prove: () => Promise<void>,
): Promise<void> => observedFailure(ctx, 'mfa', { identityId, authenticatorId }, prove);

/** The sender of a request, before its context is made. */
type Sender = Pick<RequestContext, 'requestId' | 'address' | 'now'> & {
  readonly modules: Pick<RequestContext['modules'], 'onLogin'>;
};

/** Tells the observer of this process a JWT that was refused as the second factor of a session. */
export function tellRefusedFactor(
  sender: Sender,
  { identityId, authenticatorId }: Pick<Caller, 'identityId' | 'authenticatorId'>,
  refusal: LoginRefusal,
): void {
  const login = { identityId, authenticatorId };
  tell(sender, 'mfa', { login, refusal, isChainImproper: false });
}

async function observedFailure<T>(
  ctx: RequestContext,
  method: LoginMethod,
  known: KnownLogin,
  prove: () => Promise<T>,
): Promise<T> {
  try {
    return await prove();
  } catch (error) {
    const refusal = refusalOf(error);
    const login = error instanceof RefusedLogin ? error.login : known;
    if (refusal !== undefined) tell(ctx, method, { login, refusal, isChainImproper: false });
    throw error;
  }
}

interface LoginOutcome extends Pick<LoginAttempt, 'refusal' | 'isChainImproper'> {
  readonly login: KnownLogin;
}

function tell(
  { requestId, address, now, modules: { onLogin } }: Sender,
  method: LoginMethod,
  { login, ...outcome }: LoginOutcome,
): void {
  const { identityId = '', authenticatorId = '', authPolicyId = '' } = login;
  const ids = { identityId, authenticatorId, authPolicyId, signerId: signerOf(authenticatorId) };
  onLogin({ at: now(), requestId, method, address, ...ids, ...outcome });
}

const REFUSALS: Readonly<Record<number, LoginRefusal>> = {
  401: 'INVALID_CREDENTIALS',
  429: 'TOO_MANY_LOGINS',
};

/** Why a login was refused; undefined for faults of the request or of the controller. */
function refusalOf(error: unknown): LoginRefusal | undefined {
  if (error instanceof RefusedLogin) return error.refusal;
  if (!(error instanceof ApiError)) return undefined;
  return error.code === 'MFA_INVALID_TOKEN' ? 'WRONG_CODE' : REFUSALS[error.status];
}
