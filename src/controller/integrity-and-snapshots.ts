import { join } from 'node:path';
import type { Logger } from 'pino';
import { IntegrityRuns } from '../integrity/index.js';
import { readKeyFiles, type LiveKeys } from '../pki/index.js';
import type { ModelIndex } from '../resources/index.js';
import type { ModelStore } from '../store/model-store.js';
import type { Snapshots } from '../store/snapshot/index.js';
import type { Config } from '../config.js';

export interface DataCareOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => Date;
  readonly store: ModelStore;
  readonly model: ModelIndex;
  readonly keys: Pick<LiveKeys, 'current'>;
}

/** The check of the data against the declarations; its owner stops it. */
export const integrityRuns = ({ log, now, store, model }: DataCareOptions): IntegrityRuns =>
  new IntegrityRuns({
    store,
    held: model,
    now,
    onError: (err) => {
      log.error({ err }, 'the data integrity check broke off');
    },
  });

/** Snapshots, with the private keys where that is asked for. */
export function snapshotsOf({ config, now, store, keys }: DataCareOptions): Snapshots {
  const { dataDir, pki } = config;
  return store.snapshots({
    folder: join(dataDir, 'snapshots'),
    now,
    keyFiles: async () => ({
      ...(await readKeyFiles(join(dataDir, 'pki'), { allowOpen: pki.allowOpenKeyFiles })),
      // The one in force, whether it came from a file or from the environment.
      'secret.key': keys.current.secretKey,
    }),
  });
}
