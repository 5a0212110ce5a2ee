import { ChangeFeed, horizon } from '../../src/store/change-feed.js';
import type { InProcess } from './in-process.js';

/** Lets a controller follow what others write; gives what ends that. Faults of the feed go to `onError`. */
export async function follow(
  { parts: { database, store } }: InProcess,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const feed = new ChangeFeed(
    database,
    await horizon(database, 1),
    (changes) => {
      void store.deliver(changes);
    },
    onError,
  );
  await feed.start();
  return () => feed.stop();
}
