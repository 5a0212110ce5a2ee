import type { Logger } from 'pino';
import { DataModelSource } from '../../network/data-model/index.js';
import { enableOverdue } from '../../trust/auth/index.js';
import { every } from './every.js';
import type { Controller } from './start-controller.js';
import { warn } from './warn.js';

const LOOK_MILLIS = 1_000;
const FAILED = 'the data model of routers could not be read or sent';

interface DataModelOptions {
  readonly controller: Controller;
  readonly servesRouters: () => boolean;
  readonly log: Logger;
  readonly now: () => Date;
}

/** The data model of routers, which follows the change log, the keys of this controller, and the time. */
export function startDataModel({ controller, servesRouters, log, now }: DataModelOptions): {
  readonly source: DataModelSource;
  readonly stop: () => void;
} {
  const { store, contexts, network, keys, record } = controller;
  const onError = warn(log, FAILED);
  const source = new DataModelSource({
    ...{ store, catalog: contexts.catalog, servesRouters, now, onError },
    keys: () => keys.current,
    enableOverdue: () => enableOverdue(contexts.make('', undefined)),
    timelineId: `${record.id}-${String(record.epoch)}`,
  });
  network.changeListeners.push((changes, isEnd) => {
    source.apply({ changes, isEnd });
  });
  keys.onChange(() => void source.lookAtKeys());
  const looking = [
    every(LOOK_MILLIS, () => source.lookAtTime(), onError),
    every(LOOK_MILLIS, () => source.lookAtKeys(), onError),
  ];
  return {
    source,
    stop() {
      for (const timer of looking) clearInterval(timer);
    },
  };
}
