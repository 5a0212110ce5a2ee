import type { RequestContext } from '../kernel/request/context.js';
import { deleteOldSenders, storeSender } from './authenticator-sender-table.js';

/*
 * From where a password was right: addresses, and /64 networks of IPv6. Failures from elsewhere,
 * which anybody can cause, do not bar the owner of the password there.
 */

const DAY = 86_400_000;

/** Remembers where a login came from; once a day is enough. */
export async function rememberSender(
  { store, now }: RequestContext,
  authenticatorId: string,
  sender: string,
  lastLoginAt: Date | null,
): Promise<void> {
  const at = now();
  if (lastLoginAt && at.getTime() - lastLoginAt.getTime() < DAY) return;
  await storeSender(store, authenticatorId, sender, at);
  await deleteOldSenders(store, authenticatorId, at);
}
