import { may, permits, unauthorized } from '../../kernel/declare/permissions.js';
import type { Write } from '../../kernel/declare/resource.js';
import { changesMore } from './management-trust.js';

/* First logins create identities: a caller who decides which ones could also create them by hand. */

/**
 * Checks a signer or an authority that creates identities, after its settings have their final state. Its keys and its
 * conditions decide who gets one, so they count as well.
 * @throws ApiError UNAUTHORIZED
 */
export function checkIdentityCreation(
  write: Write<'CertificateAuthority' | 'ExternalJwtSigner'>,
): void {
  const { ctx, values } = write;
  const { createsIdentities, enrollAuthPolicyId } = values;
  if (!ctx.caller || createsIdentities !== true || !changesMore(write)) return;
  const needed = [
    may('identity', 'create'),
    ...(enrollAuthPolicyId == null ? [] : [may('auth-policy', 'read')]),
  ];
  const { caller } = ctx;
  if (!needed.every((permission) => permits(caller, permission))) throw unauthorized(caller);
}
