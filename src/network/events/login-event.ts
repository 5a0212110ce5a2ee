import type { LoginAttempt } from '../../trust/auth/index.js';
import { LOGIN_REFUSALS } from '../../data/rows/login/index.js';
import type { NetworkEvent } from './network-event.js';

/** The event `authentication` of a login. */
export function loginEvent(attempt: LoginAttempt): NetworkEvent {
  const { at, refusal } = attempt;
  const isSuccess = refusal === undefined;
  const kind = isSuccess ? 'success' : 'fail';
  const members = {
    event_type: kind,
    type: attempt.method,
    authenticator_id: attempt.authenticatorId,
    external_jwt_signer_id: attempt.signerId,
    identity_id: attempt.identityId,
    auth_policy_id: attempt.authPolicyId,
    remote_address: attempt.address,
    success: isSuccess,
    reason: isSuccess ? '' : LOGIN_REFUSALS[refusal],
    improper_client_cert_chain: attempt.isChainImproper,
  };
  return { type: 'authentication', at, kind, members };
}
