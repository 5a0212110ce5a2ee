import type { RequestContext } from '../../kernel/request/context.js';
import { loginSenders } from '../../data/rows/authenticator/index.js';

/*
 * The senders of successful logins: addresses, and /64 networks of IPv6. Failures of other senders,
 * which any attacker can cause, do not lock out the owner at a known sender.
 */

const DAY = 86_400_000;

/** Records the sender of a login; once a day is enough. */
export async function recordSender(
  { store, now }: RequestContext,
  authenticatorId: string,
  sender: string,
  lastLoginAt: Date | null,
): Promise<void> {
  const at = now();
  if (lastLoginAt && at.getTime() - lastLoginAt.getTime() < DAY) return;
  await loginSenders.put(store, authenticatorId, sender, at);
  await loginSenders.removeOld(store, authenticatorId, at);
}
