import { ApiError } from '../base/errors.js';
import type { RequestContext } from '../kernel/request/context.js';
import { signerOf } from './ext-jwt-login.js';
import type { ProvedIdentity } from './password-login.js';
import { RefusedLogin, type KnownLogin } from './refused-login.js';

/** A login and its outcome, for operators; ids are empty where they are not known. */
export interface LoginAttempt {
  readonly at: Date;
  readonly method: LoginMethod;
  readonly address: string;
  readonly isSuccess: boolean;
  /** Why it was refused; empty for a success. */
  readonly reason: string;
  readonly identityId: string;
  readonly authenticatorId: string;
  /** The external signer of method `ext-jwt`. */
  readonly signerId: string;
  readonly authPolicyId: string;
  /** The client left intermediates out of its chain. */
  readonly isChainImproper: boolean;
}

type LoginMethod = 'password' | 'cert' | 'ext-jwt';

/** Called with each login. */
export type LoginObserver = (attempt: LoginAttempt) => void;

/** Runs a login, and tells the observer of this process its outcome. */
export async function observed<P extends ProvedIdentity>(
  { address, now, modules: { onLogin } }: RequestContext,
  method: LoginMethod,
  prove: () => Promise<P>,
): Promise<P> {
  if (!onLogin) return prove();
  const tell = (login: KnownLogin, outcome: LoginOutcome): void => {
    const { identityId = '', authenticatorId = '', authPolicyId = '' } = login;
    const ids = { identityId, authenticatorId, authPolicyId, signerId: signerOf(authenticatorId) };
    onLogin({ at: now(), method, address, ...ids, ...outcome });
  };
  try {
    const proof = await prove();
    const isChainImproper = 'improperClientCertChain' in proof && proof.improperClientCertChain;
    tell(
      { ...proof, authPolicyId: proof.authPolicy.id },
      { isSuccess: true, reason: '', isChainImproper: isChainImproper === true },
    );
    return proof;
  } catch (error) {
    const reason = reasonOf(error);
    const login = error instanceof RefusedLogin ? error.login : {};
    if (reason !== undefined) tell(login, { isSuccess: false, reason, isChainImproper: false });
    throw error;
  }
}

type LoginOutcome = Pick<LoginAttempt, 'isSuccess' | 'reason' | 'isChainImproper'>;

const REFUSALS: Readonly<Record<number, string>> = {
  401: 'the credentials are not valid',
  429: 'too many logins failed lately, or run at the moment',
};

/** Why a login was refused; undefined for faults of the request or of the controller. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof RefusedLogin) return error.reason;
  return error instanceof ApiError ? REFUSALS[error.status] : undefined;
}
