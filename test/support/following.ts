import { ChangeFeed } from '../../src/data/store/change-feed.js';
import { StoredChangeLog } from '../../src/data/store/change-log.js';
import type { InProcess } from './in-process.js';

/** Lets a controller follow what others write; gives what ends that. Faults of the feed go to `onError`. */
export async function follow(
  { parts: { database, store, stream, model } }: InProcess,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const log = new StoredChangeLog(database);
  const feed = new ChangeFeed(
    database,
    log,
    await log.horizon(),
    (changes) => {
      model.learn(changes);
      void store.deliver(changes);
      stream.append(changes);
    },
    onError,
  );
  await feed.start();
  return () => feed.stop();
}
