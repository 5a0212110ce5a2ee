import type { Logger } from 'pino';
import { removeDeletedUsers } from '../../access/directories/index.js';
import type { Leases } from '../../data/store/leases.js';
import type { ContextFactory } from '../../graph/index.js';
import { every } from './every.js';

const REMOVAL_MILLIS = 30_000;

interface DirectoryUpkeepOptions {
  readonly contexts: ContextFactory;
  readonly leases: Pick<Leases, 'alone'>;
  readonly log: Logger;
  readonly onError: (error: unknown) => void;
}

/** Deletes the identities of users that their providers have deleted, after the grace time. */
export function startDirectoryUpkeep(options: DirectoryUpkeepOptions): () => Promise<void> {
  const { contexts, leases, log, onError } = options;
  const remove = (): Promise<void> =>
    leases.alone('deleted users of directories', () =>
      removeDeletedUsers(contexts.make('', undefined), (identityId, error) => {
        log.warn({ identityId, err: error }, 'the identity of a deleted user can not be deleted');
      }),
    );
  const removal = every(REMOVAL_MILLIS, remove, onError);
  return () => {
    clearInterval(removal);
    return Promise.resolve();
  };
}
