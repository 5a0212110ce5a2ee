import { may, permits, unauthorized, type Permission } from '../../kernel/declare/permissions.js';
import type { Write } from '../../kernel/declare/resource.js';
import { changesMore } from './management-trust.js';

/* The JWTs of a signer create identities: whoever decides which ones could also create them by hand. */

type SignerWrite = Write<'ExternalJwtSigner'>;

/**
 * Checks a signer that creates identities, after its settings have their final state. Its keys and its conditions
 * decide who gets one, so they count as well.
 * @throws ApiError UNAUTHORIZED
 */
export function checkIdentityCreation(write: SignerWrite): void {
  const { ctx, values, current } = write;
  if (!ctx.caller) return;
  const { createsIdentities, enrollAuthPolicyId, idleDaysBeforeDeletion } = values;
  const isWider = createsIdentities === true && changesMore(write);
  const needed: readonly (Permission | false)[] = [
    isWider && may('identity', 'create'),
    isWider && enrollAuthPolicyId != null && may('auth-policy', 'read'),
    idleDaysBeforeDeletion !== (current.idleDaysBeforeDeletion ?? null) &&
      may('identity', 'delete'),
  ];
  const { caller } = ctx;
  if (!needed.every((permission) => permission === false || permits(caller, permission))) {
    throw unauthorized(caller);
  }
}
