import { join } from 'node:path';
import type { Logger } from 'pino';
import { IntegrityRuns } from '../../inventory/integrity/index.js';
import { readKeyFiles, type LiveKeys } from '../../trust/pki/index.js';
import type { ModelIndex } from './model-index.js';
import type { ModelStore } from '../../data/store/model-store.js';
import type { Snapshots } from '../../data/store/snapshot/index.js';
import type { Config } from '../configuration.js';

export interface DataServiceOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => Date;
  readonly store: ModelStore;
  readonly model: ModelIndex;
  readonly keys: Pick<LiveKeys, 'current'>;
}

/** Makes the checks of the data against the declarations; the caller must stop them. */
export const integrityRuns = ({ log, now, store, model }: DataServiceOptions): IntegrityRuns =>
  new IntegrityRuns({
    store,
    held: model,
    now,
    onError: (err) => {
      log.error({ err }, 'the data integrity check failed');
    },
  });

/** Makes the snapshots; they include the private keys on request. */
export function snapshotsOf({ config, now, store, keys }: DataServiceOptions): Snapshots {
  const { dataDir, pki } = config;
  return store.snapshots({
    folder: join(dataDir, 'snapshots'),
    now,
    keyFiles: async () => ({
      ...(await readKeyFiles(join(dataDir, 'pki'), { allowOpen: pki.allowOpenKeyFiles })),
      // The current key, from a file or from the environment.
      'secret.key': keys.current.secretKey,
    }),
  });
}
