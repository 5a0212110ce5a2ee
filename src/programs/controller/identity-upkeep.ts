import type { Logger } from 'pino';
import type { Leases } from '../../data/store/leases.js';
import type { ContextFactory } from '../../graph/index.js';
import { removeIdleIdentities } from '../../trust/auth/index.js';
import { every } from './every.js';

const REMOVAL_MILLIS = 60_000;

interface IdentityUpkeepOptions {
  readonly contexts: ContextFactory;
  readonly leases: Pick<Leases, 'alone'>;
  readonly log: Logger;
  readonly onError: (error: unknown) => void;
}

/** Deletes the identities that first logins created and that were not in use for too long. */
export function startIdentityUpkeep(options: IdentityUpkeepOptions): () => Promise<void> {
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
