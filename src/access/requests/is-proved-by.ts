import type { RowOf } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';

type Factor = RowOf<'AccessOffer'>['secondFactor'];

/** Whether the session of the caller is proved by a second factor. */
export async function isProvedBy(
  { caller, catalog: { resources } }: RequestContext,
  tx: Transaction,
  factor: Factor,
): Promise<boolean> {
  if (factor === 'NONE') return true;
  const [session] = await tx.find(resources.ApiSession, { id: caller?.apiSessionId ?? '' });
  if (!session) return false;
  if (factor === 'TOTP') return session.isMfaComplete;
  // Each request of a session shows the JWT that the auth policy requires: without it, it is no full session.
  const [identity] = await tx.find(resources.Identity, { id: session.identityId });
  const [policy] = await tx.find(resources.AuthPolicy, { id: identity?.authPolicyId ?? '' });
  return policy?.secondary.requireExtJwtSigner !== null && policy !== undefined;
}
