import type { Logger } from 'pino';
import type { Leases } from '../../data/store/leases.js';
import type { ContextFactory } from '../../graph/index.js';
import { refreshBundles } from '../../trust/auth/index.js';
import type { Config } from '../configuration.js';
import { every } from './every.js';

/** How soon a new authority has its bundle; each bundle has its own time. */
const LOOK_MILLIS = 5_000;

interface BundleUpkeepOptions {
  readonly config: Pick<Config, 'jwksAllowPrivate'>;
  readonly contexts: ContextFactory;
  readonly leases: Pick<Leases, 'alone'>;
  readonly log: Logger;
  readonly onError: (error: unknown) => void;
}

/** Downloads the bundles of trust domains, which are the certificates of their authorities. */
export function startBundleUpkeep(options: BundleUpkeepOptions): () => Promise<void> {
  const { config, contexts, leases, log, onError } = options;
  const refresh = (): Promise<void> =>
    leases.alone('trust bundles', () =>
      refreshBundles(contexts.make('', undefined), {
        allowPrivate: config.jwksAllowPrivate,
        onFault: (authorityId, reason) => {
          log.warn({ authorityId, reason }, 'the bundle of a trust domain was refused');
        },
      }),
    );
  const looking = every(LOOK_MILLIS, refresh, onError);
  return () => {
    clearInterval(looking);
    return Promise.resolve();
  };
}
