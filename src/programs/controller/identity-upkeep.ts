import type { Logger } from 'pino';
import { moveDueIdentities } from '../../access/times/index.js';
import { timedIdentities } from '../../data/rows/identity/index.js';
import type { Leases } from '../../data/store/leases.js';
import type { ContextFactory } from '../../graph/index.js';
import type { Store } from '../../kernel/request/store-port.js';
import { removeIdleIdentities } from '../../trust/auth/index.js';
import { DueClock } from './due-clock.js';
import { every } from './every.js';

const REMOVAL_MILLIS = 60_000;

interface UpkeepOptions {
  readonly contexts: ContextFactory;
  readonly log: Logger;
  readonly onError: (error: unknown) => void;
}

/** Deletes the identities that were not in use for too long. */
export function startIdentityUpkeep(
  options: UpkeepOptions & { readonly leases: Pick<Leases, 'alone'> },
): () => Promise<void> {
  const { contexts, leases, log, onError } = options;
  const remove = (): Promise<void> =>
    leases.alone('idle identities', () =>
      removeIdleIdentities(contexts.make('', undefined), (identityId, error) => {
        log.warn({ identityId, err: error }, 'an idle identity can not be deleted');
      }),
    );
  const removal = every(REMOVAL_MILLIS, remove, onError);
  return () => {
    clearInterval(removal);
    return Promise.resolve();
  };
}

/**
 * Begins and ends identities when their time comes. As with role assignments, every controller does so. Those whose time
 * has come while no controller ran do so before this one serves anybody.
 */
export async function startTimedIdentities(
  options: UpkeepOptions & { readonly store: Store },
): Promise<() => Promise<void>> {
  const { store, contexts, onError } = options;
  const move = (): Promise<number> => moveDueIdentities(contexts.make('', undefined));
  try {
    while ((await move()) > 0);
  } catch (error) {
    onError(error);
  }
  const clock = new DueClock({
    ...options,
    resource: 'Identity',
    millisUntilDue: () => timedIdentities.millisUntilDue(store),
    moveDue: async () => ({ count: await move(), refusedIds: [] }),
  });
  return () => clock.stop();
}
