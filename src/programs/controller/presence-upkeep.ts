import type { RouterPresence } from '../../network/presence/index.js';
import { every } from './every.js';
import type { Leases } from '../../data/store/leases.js';

const POLL_MILLIS = 250;
const RENEW_MILLIS = 5_000;

/** Reads the router presence of other controllers, and renews that of this one. */
export async function startPresenceUpkeep(
  presence: RouterPresence,
  leases: Leases,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const stopPolling = await startPresencePolling(presence, onError);
  const forgetting = every(
    RENEW_MILLIS,
    () => leases.alone('lost routers', () => presence.deleteExpired()),
    onError,
  );
  return async () => {
    clearInterval(forgetting);
    await stopPolling();
  };
}

/** The same without what one controller does for all. */
export async function startPresencePolling(
  presence: RouterPresence,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  await presence.refresh();
  const polling = every(POLL_MILLIS, () => presence.refresh(), onError);
  const renewing = every(RENEW_MILLIS, () => presence.renew(), onError);
  return async () => {
    clearInterval(polling);
    clearInterval(renewing);
    await presence.stop();
  };
}
