import type { Logger } from 'pino';
import { reservedPrefixGuard } from '../../access/assignments/index.js';
import {
  accessGuard,
  loadAccess,
  type AccessState,
  type RecentChanges,
} from '../../access/enforcement/index.js';
import { ChangeStream } from '../../data/changes/index.js';
import { ApiError } from '../../base/errors.js';
import type { ChangeLog, Cursor, LoggedChange } from '../../kernel/request/store-port.js';
import { catalog } from '../../resources/index.js';
import { ModelIndex } from './model-index.js';
import { ChangeFeed, type Feed } from '../../data/store/change-feed.js';
import { changesBetween, StoredChangeLog } from '../../data/store/change-log.js';
import type { Database } from '../../data/store/database.js';
import type { ModelStore } from '../../data/store/model-store.js';
import { recentChanges } from '../../data/store/read-recent-changes.js';
import type { RelayedFeed } from '../workers/index.js';
import { warn } from './warn.js';

type ChangeListener = (changes: readonly LoggedChange[], isEnd: boolean) => void;

/** The network in memory, and the feed that keeps it up to date after its start. */
export interface NetworkModel {
  readonly model: ModelIndex;
  readonly access: AccessState;
  /** Changes that others have committed and the feed has not delivered. */
  readonly recent: RecentChanges;
  readonly stream: ChangeStream;
  readonly feed: Feed;
  readonly changeLog: ChangeLog;
  /**
   * Called with every batch of changes that the feed delivers; `isEnd` says that it is all that was there, so
   * that the last transaction of it is complete.
   */
  readonly changeListeners: ChangeListener[];
  /** Milliseconds to read the model. */
  readonly indexMillis: number;
}

export interface NetworkModelOptions {
  readonly log: Logger;
  readonly now: () => Date;
  readonly database: Database;
  readonly store: ModelStore;
  /** Called if changes were pruned before this controller had read them. */
  readonly onLost?: (() => void) | undefined;
  /** The feed of a worker; by default the network has a feed of its own. */
  readonly relayed?: RelayedFeed | undefined;
}

const FEED = 'the change feed could not be read';

/** Reads the current network; it does not start the feed. */
export async function readNetworkModel(options: NetworkModelOptions): Promise<NetworkModel> {
  const { now, database, store, relayed } = options;
  const model = new ModelIndex(catalog, store);
  // Before the model is read, so that no change is missed.
  const changeLog = new StoredChangeLog(database);
  const here = relayed ? relayed.position : await changeLog.horizon();
  const stream = new ChangeStream(changeLog, here);
  const changeListeners: ChangeListener[] = [
    (changes) => {
      model.learn(changes);
      void store.deliver(changes);
      stream.append(changes);
    },
  ];
  const deliver: ChangeListener = (changes, isEnd) => {
    for (const listener of changeListeners) listener(changes, isEnd);
  };
  relayed?.deliverTo(deliver);
  const feed = relayed ?? new ChangeFeed(database, changeLog, here, deliver, onFault(options));
  const begin = performance.now();
  await model.load();
  const indexMillis = performance.now() - begin;
  const since = (position: Cursor) => changesBetween(changeLog, position, here);
  const access = await loadAccess(store, model.policies, { here, since }, now());
  const recent: RecentChanges = (tx, names) => recentChanges(tx, feed.position, names);
  store.guard(reservedPrefixGuard());
  store.guard(accessGuard({ catalog, index: model.policies, recent }));
  return { model, access, recent, feed, changeLog, stream, changeListeners, indexMillis };
}

const onFault =
  ({ log, onLost }: NetworkModelOptions) =>
  (error: unknown): void => {
    warn(log, FEED)(error);
    if (error instanceof ApiError && error.code === 'HISTORY_NOT_KEPT') onLost?.();
  };
