import { join } from 'node:path';
import { IntegrityRuns, type HeldModel } from '../integrity/index.js';
import { ModuleKey, type Modules } from '../kernel/request/context.js';
import { readKeyFiles } from '../pki/index.js';
import type { ModelStore } from '../store/model-store.js';
import type { Snapshots } from '../store/snapshot/index.js';

/** What looks after the data as a whole. */

export const INTEGRITY = new ModuleKey<IntegrityRuns>('integrity');
export const SNAPSHOTS = new ModuleKey<Snapshots>('snapshots');

export interface DataCareParts {
  readonly store: ModelStore;
  readonly model: HeldModel;
  /** The one in force. */
  readonly secretKey: () => Buffer;
  readonly keyFolder: { readonly path: string; readonly allowOpen: boolean };
  readonly dataDir: string;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

/** Wires it; the returned function ends what is under way. */
export function addDataCare(modules: Modules, parts: DataCareParts): () => Promise<void> {
  const { store, model, secretKey, keyFolder, dataDir, now, onError } = parts;
  const runs = new IntegrityRuns({ store, held: model, now, onError });
  const snapshots = store.snapshots({
    folder: join(dataDir, 'snapshots'),
    now,
    keyFiles: async () => ({
      ...(await readKeyFiles(keyFolder.path, keyFolder)),
      // Whether it came from a file or from the environment.
      'secret.key': secretKey(),
    }),
  });
  modules.add(INTEGRITY, runs).add(SNAPSHOTS, snapshots);
  return () => runs.stop();
}
